#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The wall clock of threads that sleep, wait for a mutex and a pipe, and spin, while no CPU idles: on- and off-CPU are its
# whole time to 0.1 %, what it ran and what it stood in line are the kernel's own figures (schedstat), but for the switches
# themselves, which the kernel counts as running.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
waits_told=$err
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known
[ -r /proc/thread-self/schedstat ] || skip "the kernel has no schedstat"

each_switch=30000 # ns, at the most

# Time of interrupts and of the machine's host, ns, all CPUs: the kernel leaves it out of what a thread ran, the time
# between two switches does not.
taken_away() { awk '$1 == "cpu" { printf "%.0f\n", ($7 + $8 + $9) * 1e7 }' /proc/stat; }

# as_schedstat WHAT [LINE]: what it ran; and what it stood in line, less where the kernel did not tell of all its wakings.
# Its own clock does not see what comes after it has looked at that.
as_schedstat() {
	local name on off line ran delay wall slack untold away=$(($(taken_away) - taken_before))

	for name in sleeper holder locked writer reading spinner; do
		on=$(of $name on-cpu)
		off=$(of $name off-cpu)
		line=$(of $name off-cpu:runnable)
		wall=$(said ${name}_wall)
		ran=$(said ${name}_ran)
		delay=$(said ${name}_delay)
		slack="0.001 * $wall + $each_switch * (0$(json "sum:total.tasks[event=on-cpu][tid=$(said ${name}_tid)].samples") + 2)"
		holds "$on >= $ran - ($slack) && $on <= $ran + 0.001 * $wall + 1e6 + $away" ||
			fail "$1: $name ran for $ran ns, on-cpu says $on"
		[ -n "${2:-}" ] || continue
		untold=$(json "sum:total.wakers[tid=$(said ${name}_tid)][waker_comm=[waker unknown]].count")
		holds "(0$untold > 0 || 0$line >= $delay - ($slack)) && 0$line <= $delay + $slack + $on + $off - $wall" ||
			fail "$1: $name stood in line for $delay ns, off-cpu:runnable says $line"
		pass "$1: $name: ran $ran, on-cpu $on; in line $delay, off-cpu:runnable $line; wakings not told ${untold:-0}"
	done
}

busy_cpus
taken_before=$(taken_away)
rt --json --off-cpu -- "$work/waits_known" -n 60 spin
expect_status 0 "a command's threads"
check_report
whole_time "of a command" spinner
as_schedstat "of a command"

taken_before=$(taken_away)
rt --json -a --off-cpu -- "$work/waits_known" -n 60 spin
expect_status 0 "the machine's threads"
check_report
whole_time "of the machine" spinner
as_schedstat "of the machine" line
idle_cpus
