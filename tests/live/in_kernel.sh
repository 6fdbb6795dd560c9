#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --in-kernel: what the kernel sums up by fields is what a program does, to the call, and what found no room is counted; its
# instance is gone afterwards, and the next start removes that of one that was killed.  Where the kernel has no histograms
# it is said.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact storm_keys
command -v python3 >/dev/null || skip "no python3"
. "$(dirname "$0")/far.sh"
map=8192 # INKERNEL_ENTRIES
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

refused 'needs --by' "${on[@]}"
refused 'do not support elements of arrays' "${on[@]}" --by 'args[0]'
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

# What is made of a number is made here.
rt --json "${on[@]}" --by id.syscall,id.log2,comm -- "$work/storm_exact" $calls
expect_status 2 "one field twice, which is one key to the kernel"
key='"key":{"id.syscall":"getppid","comm":"storm_exact"}'
rt --json "${on[@]}" --by id.syscall,comm -- "$work/storm_exact" $calls
expect_status 0 "names of system calls"
check_report
expected "by id.syscall and comm"

key='"key":{"id":110}'
rt --json "${on[@]}" --by id --filter 'id == 110' -- "$work/storm_exact" $calls
expect_status 0 "with a filter"
check_report
expected "with a filter"
[ "$(grep '"type":"total"' "$out" | grep -o '"key":{"id":[0-9]*' | grep -vc ':110')" = 0 ] || fail "others than the filter's"

rt --text "${on[@]}" --by id -- "$work/storm_exact" $calls
expect_status 0 "as text"
grep -Eq "^ +$((calls - 1)) +$((calls - 1)) +- +- +1.0  110" "$out" || fail "not a row of $((calls - 1)) calls without min and max: $(cat "$out")"

# More keys than the kernel's map has room for: what found none is counted, and all together is what was called.
keys=$((map + map / 4)) storm=$((2 * (map + map / 4)))
totals() { # the event's: counted, in fields, in the rest, dropped
	grep '"type":"total"' "$out" | python3 -c '
import json, sys
t = json.load(sys.stdin)
e = t["events"][0]
own = [f for f in t["fields"] if f["key"]]
print(e["counted"], e["attributed"], e["lost"]["dropped"], len(own), sum(f["count"] for f in own), sum(f["count"] for f in t["fields"] if not f["key"]))'
}
rt --json "${on[@]}" --by id --filter 'id > 1000' -- "$work/storm_keys" -n $storm $keys numbers
expect_status 0 "more keys than the map has room for"
check_report
read -r counted attributed dropped rows sum rest <<<"$(totals)"
[ "$counted" = $storm ] || fail "$keys keys: counted $counted of $storm"
[ $((attributed + dropped)) = $storm ] || fail "$keys keys: $attributed attributed, $dropped dropped, of $storm"
[ "$dropped" -gt 0 ] || fail "$keys keys: nothing is dropped of a map of $map"
[ $((sum + rest)) = "$attributed" ] || fail "$keys keys: $rows rows of $sum, and a rest of $rest, of $attributed"
pass "$keys keys: $storm calls are $attributed in $rows rows, $dropped dropped"

# Saved, and read again, the same.
rt --json "${on[@]}" --by id --filter 'id > 1000' --save "$tmp/saved" -- "$work/storm_keys" -n 10000 100 numbers
expect_status 0 "saved"
read -r counted attributed dropped rows sum rest <<<"$(totals)"
[ "$counted $rows $sum" = "10000 100 10000" ] || fail "saved: counted $counted, $rows rows of $sum"
rt --json -i "$tmp/saved"
expect_status 0 "read again"
[ "$(totals)" = "$counted $attributed $dropped $rows $sum $rest" ] || fail "read again: $(totals)"
pass "saved and read again: $rows rows of $sum"

# Of another machine, by a shell in place of ssh.
far_shell
rt --json -H here --ssh "$far_shell" "${on[@]}" --by id --filter 'id > 1000' -- "$work/storm_keys" -n 10000 100 numbers
expect_status 0 "over a link"
read -r counted attributed dropped rows sum rest <<<"$(totals)"
[ "$counted $rows $sum" = "10000 100 10000" ] || fail "over a link: counted $counted, $rows rows of $sum"
pass "over a link: $rows rows of $sum"

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
