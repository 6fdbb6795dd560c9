#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a tracepoint's sample weighs: by weight=FIELD a field of its record, to the unit, while the account goes on
# counting hits; of its own accord what it counts (sched_stat_runtime: ns, held against the kernel's own sum).
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact tiny

calls=100000

# sums NAME COUNT WEIGHT: of the first event
sums() {
	expect_status 0 "$1"
	check_report
	[ "$(json 'total.events[0].counted')" = "$2" ] || fail "$1: counted $(json 'total.events[0].counted'), not $2"
	[ "$(json 'total.events[0].attributed')" = "$2" ] || fail "$1: attributed $(json 'total.events[0].attributed')"
	[ "$(json 'sum:total.functions.weight')" = "$3" ] || fail "$1: weighs $(json 'sum:total.functions.weight'), not $3"
	pass "$1: $2 hits weigh $3"
}

# All but one are number 110, the last is 231.
weight=$((110 * (calls - 1) + 231))
rt --json -m 64M -e raw_syscalls:sys_enter/weight=id/ -- "$work/storm_exact" $calls
sums "by the call's number" $calls $weight
[ "$(json 'total.events[0].weight')" = id ] || fail "the report does not tell what it weighs"
rt --json -m 64M -g -e raw_syscalls:sys_enter/weight=id/ -- "$work/storm_exact" $calls
sums "the same with paths" $calls $weight
rt --json -m 64M -c 10 -e raw_syscalls:sys_enter/weight=id/ --filter 'id == 110' -- "$work/storm_exact" $((calls + 1))
expect_status 0 "every tenth"
check_report
# Where it goes to another CPU a period may be under way on either.
n=$(json 'total.events[0].attributed')
[ $((n + $(json 'total.events[0].pending'))) = $calls ] && holds "$n > $calls - 10 * $(nproc)" || fail "every tenth: $n"
[ "$(json 'sum:total.functions.weight')" = $((110 * n)) ] || fail "every tenth: weighs $(json 'sum:total.functions.weight')"
pass "every tenth, filtered: $n hits weigh $((110 * n))"
rt --json -m 64M -e 'raw_syscalls:sys_enter/weight=args[1]/' -- "$work/storm_exact" 1000
sums "an element of an array" 1000 0
rt --json -m 64M -w "$tmp/perf.data" -e raw_syscalls:sys_enter/weight=id/ -e raw_syscalls:sys_exit -- "$work/storm_exact" 1000
expect_status 0 "recorded"
check_report
[ "$(json 'total.events[0].attributed')" = 1000 ] || fail "recorded: $(json 'total.events[0].attributed')"
pass "recorded"

if [ -d "$(tracefs)/events/sched/sched_stat_runtime" ] && command -v perl >/dev/null; then
	ran() {
		cut -d' ' -f1 "/proc/$work_pid/schedstat"
	}
	work_start perl -e '$| = 1; print "waiting\n"; <STDIN>; $n += $_ for 1 .. 3000000; print "done\n"; <STDIN>'
	work_ready
	wait_until 5 has_text "/proc/$work_pid/stat" ' S '
	before=$(ran)
	# By an event of the task it is not exact: time is also accounted for by whoever wakes something on its CPU.
	rt_start -a -m 16M -e sched:sched_stat_runtime --filter "pid == $work_pid"
	go
	wait_until 20 has_text "$tmp/work" '^done' || fail "the worker does not end"
	wait_until 5 has_text "/proc/$work_pid/stat" ' S '
	after=$(ran)
	rt_stop
	go
	expect_status 0 sched_stat_runtime
	check_report
	[ "$(json 'total.events[0].unit')" = ns ] || fail "its unit is $(json 'total.events[0].unit')"
	n=$(json 'total.events[0].counted')
	[ "$n" = $((after - before)) ] || fail "sched_stat_runtime: $n ns, the kernel says $((after - before))"
	# What an interrupt or a softirq accounts for on an idle CPU the kernel counts without a sample (perf's lack it too).
	unseen=$(json 'total.events[0].lost.unknown')
	[ $(($(json 'total.events[0].attributed') + unseen)) = "$n" ] ||
		fail "attributed $(json 'total.events[0].attributed') of $n, unknown $unseen"
	holds "$unseen < 0.03 * $n" || fail "$unseen of $n without a sample"
	pass "sched_stat_runtime: $n ns in $(json 'total.events[0].samples') samples, as the kernel has it; $unseen ns without one"
	rt --text -e sched:sched_stat_runtime/weight=pid/ -- true
	expect_status 2 "a weight beside its own"
	rt --json -e sched:sched_stat_runtime/weight=runtime/ -- true
	expect_status 0 "its own weight, said"
fi

# refused EVENT WORD
refused() {
	rt --text -e "$1" -- true
	expect_status 2 "$1"
	[ "$(head -n 1 "$err" | grep -cF -- "$2")" = 1 ] || fail "$1: '$2' is not said: $(cat "$err")"
}

refused raw_syscalls:sys_enter/weight=nosuch/ "its fields: id, args"
refused raw_syscalls:sys_enter/weight=args/ "args[0]"
refused raw_syscalls:sys_enter/weight/ "the field is missing"
refused sched:sched_switch/weight=prev_comm/ "text"
refused cpu-clock/weight=x/ "tracepoint"
refused raw_syscalls:sys_enter/weight=id,freq=100/ "fixed period"
pass "refusals"
