#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every allocation, open, read, write, mapping, event, ioctl, poll and clone fails once, each in a run of
# its own: the program ends by itself, with the whole truth, or with a word of what is missing; never by a
# signal, never not at all, and never with other figures and no word.
#
# faults.sh MODE...           modes: replay export diff live log dwarf record screen
#   FAULT_PLACES   how many in each mode (4; 40 with RINGTOP_TEST_LONG); 0: every place
#   FAULT_SEED     the order in which places are tried: each has its rank, whichever others are met
. "$(dirname "$0")/../live/lib.sh"
need_perf
need_root
need_work spin_shares
places=${FAULT_PLACES:-4}
[ -n "${FAULT_PLACES:-}" ] || [ -z "${RINGTOP_TEST_LONG:-}" ] || places=40
seed=${FAULT_SEED:-${RINGTOP_TEST_SEED:-1}}
failures=0
injector=$tmp/inject.so
"${CC:-gcc}" -D_GNU_SOURCE -O2 -g -Wall -Wextra -shared -fPIC -o "$injector" \
	"$(dirname "$0")/inject.c" -ldl || fail "the injector does not compile"

# --- the modes: each runs the program under `timeout`, its report in $out ---

faulty() {
	timeout -k 1 60 env LD_PRELOAD="$injector" MALLOC_PERTURB_=165 "$RINGTOP" "$@" \
		>"$out" 2>"$err" 9>&- </dev/null
	rt_status=$?
}

run_replay() {
	faulty --json -i "$tmp/seed.data"
}

run_diff() {
	faulty --json --diff "$tmp/seed.data" "$tmp/seed.data"
}

# The report counts what the system refused.
says_failures() {
	local at=total.self

	[ "$mode" != diff ] || at=total
	holds "$(json $at.failed_allocations) + $(json $at.failed_reads) > 0"
}

run_export() {
	local format

	rm -f "$tmp"/export.*
	faulty --json -i "$tmp/seed.data" --export "folded:$tmp/export.folded" \
		--export "pprof:$tmp/export.pprof" --export "speedscope:$tmp/export.speedscope" \
		--export "firefox:$tmp/export.firefox" \
		--export "text:$tmp/export.text" --export "csv:$tmp/export.csv" \
		--export "svg:$tmp/export.svg" \
		--export "html:$tmp/export.html" --export "json:$tmp/export.json"
	# of a past that found no memory there is nothing to export: an empty file, and the report says so
	for format in folded pprof speedscope firefox text csv svg html json; do
		[ "$rt_status" != 0 ] || [ -s "$tmp/export.$format" ] ||
			{ [ -f "$tmp/export.$format" ] && says_failures; } ||
			complain "ended well without the $format file"
	done
}

run_live() {
	faulty --json -g -e cpu-clock -F 999 --duration 0.3 -d 0.1
}

run_log() {
	faulty --json --log-events -m 1M -e sched:sched_switch -c 1 -d 0.1 -- "$work/spin_shares" -s 0.2
}

run_dwarf() {
	faulty --json --call-graph dwarf -e cpu-clock -F 499 -d 0.1 -- "$work/spin_shares" -s 0.2
}

run_record() {
	rm -f "$tmp/rec.data"
	faulty --json -g -w "$tmp/rec.data" -e cpu-clock -F 999 -- "$work/spin_shares" -s 0.2
	[ "$rt_status" != 0 ] || [ -s "$err" ] ||
		"$RINGTOP" --json -i "$tmp/rec.data" >"$tmp/again" 2>"$tmp/again.err" 9>&- ||
		complain "ended well, and its recording does not replay: $(tail -n 1 "$tmp/again.err")"
}

# On a terminal of its own; what it says at the end, and how it ended, are kept by the shell around it.
screen_script() {
	cat <<-'END'
		expect 60 Functions
		key 3
		pump 0.2
		key 6
		key D
		pump 0.2
		size 30 100
		key 1
		key \n
		pump 0.2
		key q
		exit 60
	END
}

run_screen() {
	rm -f "$tmp/status"
	screen_script | timeout -k 1 150 "$tmp/ptyrun" -r 24 -c 80 -- sh -c '
		env LD_PRELOAD="$1" MALLOC_PERTURB_=165 "$2" -g -e cpu-clock -F 499 --snapshot-dir "$3" 2>"$3/err"
		echo $? >"$3/status"' sh "$injector" "$RINGTOP" "$tmp" >"$tmp/pty" 2>&1 9>&-
	wait_until 30 test -s "$tmp/status" || echo 124 >"$tmp/status"
	rt_status=$(cat "$tmp/status")
	rm -f "$tmp"/*.data
}

# --- what a run must be like ---

complain() {
	failures=$((failures + 1))
	echo "FAIL: $mode: $kind fails at ${addresses:-?}: $*"
	[ ! -s "$err" ] || sed 's/^/    /' "$err" | head -n 5
	addr2line -Cfpsie "$RINGTOP" $addresses 2>/dev/null | sed 's/^/    at /' | head -n 8
}

# The figures that a recording must always have; names may be missing where the log says so.
figures() {
	if [ "$mode" = diff ]; then
		json 'total.events[0].now.samples' 'total.events[0].baseline.samples' 'sum:total.functions.samples' \
			'sum:total.functions.baseline_samples' total.significant
		return
	fi
	json 'total.events[0].samples' 'total.events[0].attributed' 'sum:total.functions.samples' \
		'sum:total.tasks.samples' 'sum:total.cpus.samples' 'count:total.functions.samples'
}

judge() {
	case $rt_status in
	124 | 137) complain "does not end$([ "$mode" != screen ] || sed 's/^/: /' "$tmp/pty" | tail -n 1)" ;;
	0) judge_good ;;
	[123]) [ -s "$err" ] || complain "ends with $rt_status and without a word" ;;
	*) complain "ends with status $rt_status" ;;
	esac
}

# Does the report itself say that something is missing?
says_so() {
	[ -s "$err" ] || says_failures ||
		[ "$(json 'sum:total.self.helpers.ends')" != 0 ] || # a helper was lost, and what it would have told
		[ "$(json total.advice)" != - ] ||
		[ "$(json 'count:total.now.log.text')$(json 'count:total.baseline.log.text')" != 00 ] ||
		[ "$(json 'count:each.log[level=warning].text')" != 0 ] ||
		[ "$(json 'count:total.log[level=warning].text')" != 0 ]
}

judge_good() {
	[ "$mode" != screen ] || return 0
	"$jsoncheck" "$out" >"$tmp/check" 2>&1 || {
		complain "a report that breaks a rule: $(head -n 1 "$tmp/check")"
		return
	}
	case $mode in
	replay | export | diff)
		[ "$(figures)" = "$(cat "$tmp/figures")" ] || says_so ||
			complain "other figures without a word: $(figures | tr '\n' ' ')"
		;;
	esac
}

# --- all places of a mode ---

try_site() { # KIND HASH ADDRESS...
	kind=$1
	local site=$1:$2

	shift 2
	addresses=$*
	rm -f "$tmp/fired"
	FAULT_SITE=$site FAULT_FIRED=$tmp/fired "run_$mode"
	if [ ! -s "$tmp/fired" ] && [ "$rt_status" = 0 ]; then
		return 0 # another run, another way: it was not met
	fi
	fired=$((fired + 1))
	judge
}

# The places in the seed's order.
drawn_sites() {
	local kind hash addresses mix rank

	mix=$(echo "$seed" | sha256sum)
	while read -r kind hash addresses; do
		rank=$(((16#$hash ^ 16#${mix:0:16}) * 0x9e3779b97f4a7c15 >> 24 & 0xffffffffff))
		echo "$rank $kind $hash $addresses"
	done <"$tmp/sites" | sort -n | cut -d ' ' -f 2-
}

try_mode() {
	local line tried=0 before=$failures

	mode=$1 fired=0 kind=none addresses=
	rm -f "$tmp/sites"
	FAULT_SITES=$tmp/sites "run_$mode"
	[ "$rt_status" = 0 ] || fail "$mode: ends with $rt_status where nothing fails"
	[ -s "$tmp/sites" ] || fail "$mode: the injector found no place"
	[ "$mode" = screen ] || figures >"$tmp/figures"
	while read -r line; do
		[ "$places" = 0 ] || [ "$fired" -lt "$places" ] || break
		tried=$((tried + 1))
		# shellcheck disable=SC2086 # words
		try_site $line
	done < <(drawn_sites)
	[ "$fired" -gt 0 ] || fail "$mode: no call failed"
	echo "$mode: $fired calls failed, of $(wc -l <"$tmp/sites") places $tried were tried," \
		"$((failures - before)) wrong (FAULT_SEED=$seed)"
}

perf_data() {
	"$RINGTOP" --json -g -w "$tmp/seed.data" -e cpu-clock -F 999 -- "$work/spin_shares" -s 0.1 \
		>"$tmp/rec" 2>&1 9>&- || fail "no recording to begin with: $(tail -n 1 "$tmp/rec")"
}

perf_data
[ $# -gt 0 ] || set -- replay export diff live log dwarf record screen
if ! "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o "$tmp/ptyrun" "$tests_dir/bench/ptyrun.c" -lvterm -lutil 2>/dev/null; then
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -DPTYRUN_NO_VTERM -O2 -o "$tmp/ptyrun" \
		"$tests_dir/bench/ptyrun.c" -lutil || fail "ptyrun does not compile"
fi
for m; do
	try_mode "$m"
done
[ "$failures" = 0 ] || fail "$failures calls ended badly"
pass "every failure was answered"
