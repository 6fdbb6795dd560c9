#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The wall clock of threads that sleep, wait for a mutex and a pipe, and spin, while no CPU idles: on- and off-CPU are its
# whole time to 0.1 %, what it ran and what it stood in line are the kernel's own figures (schedstat), but for the switches
# themselves, which the kernel counts as running.  How long these take is measured, of the other threads each time.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
waits_told=$err
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known
[ -r /proc/thread-self/schedstat ] || skip "the kernel has no schedstat"

# Time of interrupts and of the machine's host, ns, all CPUs: the kernel leaves it out of what a thread ran, the time
# between two switches does not.
taken_away() { awk '$1 == "cpu" { printf "%.0f\n", ($7 + $8 + $9) * 1e7 }' /proc/stat; }

# each_switch THREAD: what one of the others' switches took of what they ran, ns, and 30 us at the least
each_switch() {
	local name took=0 all=0

	for name in sleeper holder locked writer reading; do
		[ "$name" != "$1" ] || continue
		took="$took + ${ran[$name]} - ${on[$name]}"
		all="$all + ${switches[$name]}"
	done
	awk "BEGIN { each = ($took) / ($all + 1); print int(each > 30000 ? each : 30000) }"
}

# as_schedstat WHAT [LINE]: what it ran; and what it stood in line, less where the kernel did not tell of all its wakings.
# A waking is a record of its own, an interrupt of another CPU, and a switch: three of these.  Its own clock does not see
# what comes after it has looked at that.
as_schedstat() {
	local name off line delay wall each slack untold away=$(($(taken_away) - taken_before))
	local -A on ran switches

	for name in sleeper holder locked writer reading spinner; do
		on[$name]=$(of $name on-cpu)
		switches[$name]=$(in_total "sum:total.tasks[event=on-cpu][tid=$(said ${name}_tid)].samples")
		ran[$name]=$(said ${name}_ran)
	done
	for name in "${!on[@]}"; do
		wall=$(said ${name}_wall)
		each=$(each_switch "$name")
		slack="(0.001 * $wall + $each * (${switches[$name]} + 2))"
		holds "${on[$name]} >= ${ran[$name]} - $slack && ${on[$name]} <= ${ran[$name]} + 0.001 * $wall + 1e6 + $away" ||
			differs "$1: $name ran for ${ran[$name]} ns, on-cpu says ${on[$name]}; a switch took $each, taken away $away"
		[ -n "${2:-}" ] || continue
		off=$(of "$name" off-cpu)
		line=$(of "$name" off-cpu:runnable)
		untold=$(in_total "sum:total.wakers[tid=$(said ${name}_tid)][waker_comm=[waker unknown]].count")
		delay=$(said ${name}_delay)
		slack="3 * $slack"
		holds "($untold > 0 || $line >= $delay - $slack) &&
			$line <= $delay + $slack + ${on[$name]} + $off - $wall + $away" ||
			differs "$1: $name stood in line for $delay ns, off-cpu:runnable says $line; a switch took $each"
		echo "$1: $name: ran ${ran[$name]}, on-cpu ${on[$name]}; in line $delay, off-cpu:runnable $line; \
wakings not told $untold, a switch $each, taken away $away"
	done
}

# The spinner stands in line as long as it runs.
measured() {
	busy_cpus 0
	taken_before=$(taken_away)
	rt --json "$@" --off-cpu -- "$work/waits_known" -n 30 spin
	idle_cpus
}

of_command() {
	measured
	expect_status 0 "a command's threads"
	check_report
	whole_time "of a command" spinner
	as_schedstat "of a command"
}

of_machine() {
	measured -a
	expect_status 0 "the machine's threads"
	check_report
	whole_time "of the machine" spinner
	as_schedstat "of the machine" line
}

agrees of_command
agrees of_machine
