# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bysums.sh - what lists of fields come to, of raw_syscalls:sys_enter in a report; after lib.sh and typed.sh.

# sums_of FILE: "FIELDS COUNT" of each list of fields, then "attributed N", "counted N", "lost N", "pending N"
sums_of() {
	"$jsoncheck" -p "$1" 'total.fields{key?,count,hist+}' 2>/dev/null | awk -F'\t' '
		$2 != $3 { exit bad = 1 }
		{ by[$1 == "-" ? "rest" : $1] += $2 }
		END {
			for (names in by)
				print names, by[names] | "sort"
			exit bad
		}' &&
		"$jsoncheck" -p "$1" 'total.events[name~raw_syscalls:sys_enter]{samples,counted,pending,lost}' 2>/dev/null |
		awk 'NR == 1 { print "attributed", $1; print "counted", $2; print "pending", $3; print "lost", $4 } END { exit !NR }'
}

# sums: of what the screen holds
sums() {
	report
	sums_of "$out"
}

# of NAME: its number in the sums
of() {
	awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' "$tmp/sums"
}

# has NAME...: all of these have counts
has() {
	local name

	sums >"$tmp/sums" || return 1
	for name; do
		[ "$(of "$name")" -gt 0 ] || return 1
	done
}

# adds_up: what the fields have is what was attributed, and with what is lost and pending what was counted
adds_up() {
	local fields

	fields=$(awk '$1 !~ /^(attributed|counted|pending|lost)$/ { n += $2 } END { print n }' "$tmp/sums")
	[ "$fields" = "$(of attributed)" ] || fail "$1: fields $fields, attributed $(of attributed): $(cat "$tmp/sums")"
	[ $((fields + $(of lost) + $(of pending))) = "$(of counted)" ] || fail "$1: $(cat "$tmp/sums")"
}
