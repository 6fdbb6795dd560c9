#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program with a known call tree: TOTAL of its functions, its paths in the report and in what is
# exported say the same, within five standard deviations and one per cent for the loops themselves.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_paths

# share WHAT WEIGHT PERCENT: of what was sampled below main
share() {
	near "${2:-0} / ${all:-0}" "$3 / 100" "5 * sqrt($3 / 100 * (1 - $3 / 100) / $samples) + 0.01" ||
		differs "$1: $2 of $all, not $3 %"
	echo "$1: $(awk "BEGIN { printf \"%.1f\", 100 * $2 / $all }") % of $samples samples, $3 expected"
}

# weight PATTERN: of the lines of the folded file that match
weight() {
	awk -v pattern="$1" '{ n = $NF; sub(/ [0-9]+$/, "") } $0 ~ pattern { sum += n }
		END { printf "%d", sum }' "$tmp/folded"
}

# A timer that is late on a busy machine may fall in with the turns of the program, of 1 ms each.
known_paths() {
	local name percent total

	rt --json --paths -g -d 0.5 -e cpu-clock -F 1999 --export "folded:$tmp/folded" \
		--export "pprof:$tmp/pprof" --export "speedscope:$tmp/speedscope" \
		--export "firefox:$tmp/firefox" -- "$work/spin_paths" -n 6000 -s 600
	expect_status 0 "paths"
	check_report
	all=$(json 'sum:total.paths[path~main;path_].weight')
	samples=$(json 'sum:total.paths[path~main;path_].samples')
	holds "${samples:-0} > 500" || {
		differs "only $samples samples with a path from main, in 1.5 s at 1999 Hz"
		return
	}
	attributed=$(json 'total.events[0].attributed')
	while read -r name percent; do
		share "folded $name" "$(weight ";main(;.*)?;$name(;|\$)")" "$percent"
		# rows count recursion once
		total=$(json "sum:total.functions[function=$name].total")
		share "TOTAL of $name" "$(awk "BEGIN { printf \"%.0f\", $total * $attributed }")" "$percent"
	done <<-END
		path_parse 60
		path_emit 40
		path_lex 50
		path_walk 30
	END
	# with what is inlined into it, where it was built with debug information
	share "parse itself" "$(weight ';main;path_parse(;[^;]* [(]inlined[)])*$')" 20
	share "lex from parse" "$(weight ';main;path_parse;path_lex(;|$)')" 40
	share "lex from emit" "$(weight ';main;path_emit;path_lex(;|$)')" 10
	share "walk, three deep" "$(weight ';main;path_emit;path_walk;path_walk;path_walk(;|$)')" 30

	holds "$(weight .) == $(json 'sum:total.paths[path~].weight')" || fail "folded and paths differ"
}

agrees known_paths
gzip -t "$tmp/pprof" || fail "pprof is not gzipped"
for file in speedscope firefox; do
	[ -s "$tmp/$file" ] || fail "no $file"
done
go=$(type -P go)
if [ -n "$go" ]; then
	"$go" tool pprof -symbolize=none -top "$tmp/pprof" 2>/dev/null | grep -q path_lex ||
		fail "go tool pprof does not know path_lex"
	pass "go tool pprof reads it"
fi

rt --json -g --export nonsense:x -- true
expect_status 2 "an unknown format"
has_text "$err" "folded, pprof, speedscope, firefox, text, json, csv, svg, html" || fail "the formats are not named"
rt --json -d 0.1 --export "folded:$tmp/no/such" -- true
expect_status 1 "a file that cannot be written"
has_text "$err" "no/such" || fail "the file is not named"
