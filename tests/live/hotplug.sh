#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A CPU that goes away and comes back is followed without a restart, and the sums stay right.
# HOTPLUG_STARTS: how many times it starts while a CPU goes and comes (5).
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work spin_threads
cpu=$(awk '/^processor/ { n = $3 } END { print n }' /proc/cpuinfo)
switch=/sys/devices/system/cpu/cpu$cpu/online
[ "$cpu" != 0 ] || skip "there is only one CPU"
[ -w "$switch" ] || skip "$switch cannot be written"
on_exit "echo 1 >$switch"

# samples_of_cpu: has the last interval some of the CPU?
samples_of_cpu() {
	holds "0$(json "sum:last.cpus[cpu=$cpu].samples") > 0"
}

no_samples_of_cpu() {
	! samples_of_cpu
}

# There are at least two intervals more than at the last look.
intervals_on() {
	[ "$(json 'count:each.time')" -ge $((seen + 2)) ]
}

work_start "$work/spin_threads" -t $((2 * (cpu + 1))) -s 20
rt_start -d 0.2 -e cpu-clock -F 999
wait_until 5 samples_of_cpu || fail "no samples of cpu $cpu to begin with"
echo 0 >"$switch" 2>/dev/null || skip "cpu $cpu cannot be taken offline"
wait_until 5 no_samples_of_cpu || fail "cpu $cpu is offline and still has samples"
seen=$(json 'count:each.time')
wait_until 5 intervals_on || fail "no intervals while cpu $cpu is offline"
echo 1 >"$switch"
wait_until 5 samples_of_cpu || fail "cpu $cpu is back, its samples are not"
gone "$rt_pid" && fail "ringtop is gone"
rt_stop
kill "$work_pid"
expect_status 0 hotplug
check_report
pass "cpu $cpu was followed"

# One that goes and comes while the events are opened is no reason not to begin.
(while :; do
	echo 0 >"$switch" || exit
	echo 1 >"$switch" || exit
done) 2>/dev/null &
started+=("$!")
for ((i = 0; i < ${HOTPLUG_STARTS:-5}; i++)); do
	rt --json -e cpu-clock --duration 0.1
	expect_status 0 "a start while cpu $cpu goes and comes"
	check_report
done
pass "it starts while cpu $cpu goes and comes"
