#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Generated code told of in a jitdump: every event is given to the function that stood at its
# address at its time, whether the dump grows as the code does or is written at the end.
. "$(dirname "$0")/lib.sh"
need_perf
need_work jit_dump
pages=500

intervals() {
	grep -c '"type":"interval"' "$out"
}

# two more intervals are out: a tick lies between what was and what comes
two_more() {
	[ "$(intervals)" -ge $((seen + 2)) ]
}

# run NAME [MODE...]: all phases, each in ticks of its own
run() {
	local number

	work_start "$work/jit_dump" -n $pages -w "$tmp" "$@"
	wait_until 10 has_text "$tmp/work" "^waiting" || {
		grep -q 'no code generator\|mapped as code' "$tmp/work.err" && skip "$(cat "$tmp/work.err")"
		cat "$tmp/work.err" >&2
		fail "the workload is not ready"
	}
	rt_start -e minor-faults:u -c 1 -d 0.2 --export "firefox:$tmp/firefox" -p "$work_pid"
	go
	for number in 1 2 3 4; do
		wait_until 20 has_text "$tmp/work" "^phase=$number" || {
			cat "$tmp/work.err" >&2
			fail "no phase $number"
		}
		seen=$(intervals)
		wait_until 20 two_more || fail "no more intervals in phase $number"
		go
	done
	work_wait
	wait_until 10 gone "$rt_pid" || fail "ringtop does not end with its target"
	wait "$rt_pid"
	check_report
}

samples() {
	json "sum:total.functions[function=$1].samples"
}

# expect NAME ROUNDS
expect() {
	[ "$(samples "$1")" = $(($2 * pages)) ] ||
		fail "$mode: $1 has $(samples "$1") of $(($2 * pages)) faults"
}

# expect_line NAME LINE: where its faults were, as its DEBUG_INFO has it
expect_line() {
	grep -q "\"$1\.src\"" "$tmp/firefox" || fail "$mode: nothing says that $1 is in $1.src"
	tr -d ' \n' <"$tmp/firefox" | grep -q "\"line\":\[[^]]*\b$2\b" ||
		fail "$mode: nothing is in line $2, where $1 works"
}

for mode in growing late swapped 'counter late'; do
	# shellcheck disable=SC2086 # several words
	run $mode
	if [ "$mode" = 'counter late' ] && grep -q 'cannot be compared' "$out" "$err"; then
		echo "   $mode: perf's clock is not made of the TSC here: not tried"
		continue
	fi
	expect jit_alpha 1
	expect jit_beta 2
	expect jit_gamma 7
	expect jit_delta 5
	expect_line jit_alpha 11
	expect_line jit_beta 21
	expect_line jit_gamma 31
	expect_line jit_delta 41
	echo "   $mode: exact"
done

# a dump that is not this process's must not be believed
mode=named
run named
[ "$(samples jit_alpha)" = 0 ] || fail "a dump by another process's number was believed"
grep -q 'not named after process' "$out" "$err" || fail "nothing says why there are no names"
pass "15 rounds of $pages faults each, four times"
