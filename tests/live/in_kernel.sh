#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --in-kernel: what the kernel sums up by fields is what a program does, to the call, and what found no room is counted; its
# instance is gone afterwards, and the next start removes that of one that was killed.  Where the kernel has no histograms
# it is said.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
tracefs=/sys/kernel/tracing
calls=${IN_KERNEL_CALLS:-300000}
on=(-a -e raw_syscalls:sys_enter --in-kernel)

refused() { # what it says, options
	local says=$1

	shift
	rt --json --duration 1 "$@"
	expect_status 2 "$*"
	grep -q -- "$says" "$err" || fail "$*: not '$says': $(cat "$err")"
}

refused 'goes with --by' "${on[@]}"
refused 'take no elements of arrays' "${on[@]}" --by 'args[0]'
refused 'not processes' "${on[@]}" --by pid
refused 'one key' "${on[@]}" --by tid,comm
refused 'whole machine' "${on[@]}" --by id -p $$
refused 'leaves no records' "${on[@]}" --by id --log-events
if [ ! -e $tracefs/events/raw_syscalls/sys_enter/hist ]; then
	refused CONFIG_HIST_TRIGGERS "${on[@]}" --by id
	grep -q 'without --in-kernel' "$err" || fail "what to do is not said: $(cat "$err")"
	skip "this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)"
fi

instances() {
	ls -d $tracefs/instances/ringtop-* 2>/dev/null
}

# storm_exact calls getppid (110) one time less.
expected() { # what
	grep '"type":"total"' "$out" | grep -q "$key,\"count\":$((calls - 1)),\"sum\":$((calls - 1)),\"min\":null,\"max\":null,\"avg\":1,\"hist\":null" ||
		fail "$1: not $((calls - 1)) calls: $(grep '"type":"total"' "$out" | grep -o "$key[^}]*")"
}

key='"key":{"id":110,"comm":"storm_exact"}'
rt --json "${on[@]}" --by id,comm -- "$work/storm_exact" $calls
expect_status 0 "a program's calls"
check_report
expected "by id and comm"
grep '"type":"header"' "$out" | grep -q '"in_kernel":true' || fail "the header does not say that the kernel sums up"

key='"key":{"id":110}'
rt --json "${on[@]}" --by id --filter 'id == 110' -- "$work/storm_exact" $calls
expect_status 0 "with a filter"
check_report
expected "with a filter"
[ "$(grep '"type":"total"' "$out" | grep -o '"key":{"id":[0-9]*' | grep -vc ':110')" = 0 ] || fail "others than the filter's"

rt --text "${on[@]}" --by id -- "$work/storm_exact" $calls
expect_status 0 "as text"
grep -Eq "^ +$((calls - 1)) +$((calls - 1)) +- +- +1.0  110" "$out" || fail "not a row of $((calls - 1)) calls without min and max: $(cat "$out")"

! instances || fail "an instance was left"
rt_start --json "${on[@]}" --by id
instances >/dev/null || fail "no instance while it runs"
kill -KILL "$rt_pid"
wait "$rt_pid" 2>/dev/null
instances >/dev/null || fail "nothing is left of one that was killed: nothing to sweep"
rt --json -n 1 "${on[@]}" --by id
expect_status 0 "after one that was killed"
! instances || fail "what was left of one that was killed is there still"
for signal in INT TERM; do
	rt_start --json "${on[@]}" --by id
	rt_signal $signal
	! instances || fail "an instance was left by SIG$signal"
done
pass "exactly $((calls - 1)) calls, and no instance is left"
