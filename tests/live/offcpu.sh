#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads that sleep, wait for a mutex and for a pipe, and measure it themselves: off-cpu says the same, each within
# one per cent and what they stood in line, of a COMMAND and of the whole machine, and what it counts is attributed,
# lost or under way.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
. "$(dirname "$0")/waits.sh"
waits_told=$err
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_instances
need_work waits_known
need_work storm_switch

# wakers WAITER WAKER [MORE]: all that one slept for was ended by the other, who woke nobody else, or some of the machine;
# but at its end who waits for that, which is the program's first thread.
wakers() {
	local first="0$(in_total "sum:total.wakers[comm=waits_known][waker_tid=$(said "$2_tid")].ns")"

	holds "0$(of "$2" off-cpu:wakers) >= 0.99 * 0$(of "$1" off-cpu:sleeping)" ||
		differs "$1 slept for $(of "$1" off-cpu:sleeping) ns, $2 woke $(of "$2" off-cpu:wakers)"
	[ -n "${3:-}" ] || holds "0$(of "$2" off-cpu:wakers) - $first <= 1.01 * 0$(of "$1" off-cpu:sleeping)" ||
		differs "$1 slept for $(of "$1" off-cpu:sleeping) ns, $2 woke $(of "$2" off-cpu:wakers)"
	echo "$1 was woken by $2: $(of "$2" off-cpu:wakers) ns"
}

# times_woken WAITER [WAKER]...: by whom, as the report's fields say it
times_woken() {
	in_total "sum:total.wakers[tid=$(said "$1_tid")]${2:-}.count"
}

# only_by WAITER WAKER FIELDS: each time that the kernel counts it as waiting in its part the other one woke it, and nobody
# else did, but for wakings that some kernels do not tell of; and each that the kernel counts before is told of, which may
# have been by the same one.
only_by() {
	local waits before count untold total

	waits=$(said "$1_waits") before=$(said "$1_before")
	count=$(times_woken "$1" "$3") untold=$(times_woken "$1" "[waker_comm=[waker unknown]]") total=$(times_woken "$1")
	holds "0$count <= $waits + $before && 0$count + 0$untold >= $waits" ||
		wrong "$1 waited $waits times and $before before, woken by $2 are ${count:-none}, by nobody known ${untold:-0}"
	holds "0$total == $waits + $before" ||
		wrong "$1 waited $waits times and $before before, and was woken ${total:-0} times, by $2 ${count:-0}"
	echo "$1 was woken by $2: ${count:-0} of $waits times, not known ${untold:-0}"
}

# woken_by WAITER WAKER: that, and it slept until then
woken_by() {
	only_by "$1" "$2" "[waker_comm=$2][waker_tid=$(said "$2_tid")]"
	holds "0$(times_woken "$1" "[waker_comm=[waker unknown]]") <= 0.1 * $(said "$1_waits")" ||
		differs "who woke $1 is mostly unknown"
	near "0$(in_total "sum:total.wakers[tid=$(said "$1_tid")].ns")" "0$(of "$1" off-cpu:sleeping)" \
		"0.01 * 0$(of "$1" off-cpu:sleeping)" || differs "$1 slept for $(of "$1" off-cpu:sleeping) ns, and not until it was woken"
}

accounts_hold() {
	local counted attributed lost

	counted=$(in_total 'sum:total.events[name=off-cpu].counted')
	attributed=$(in_total 'sum:total.events[name=off-cpu].attributed')
	lost=$(in_total 'sum:total.events[name=off-cpu].lost.overwritten')
	holds "$counted > 0 && $attributed + $lost == $counted" ||
		fail "$1: $counted ns are $attributed attributed and $lost lost"
	holds "$lost == 0" || differs "$1: $lost ns are lost, and $(in_total total.events[1].lost_samples.overwritten) switches"
	echo "$1: counted $counted ns, lost $lost"
}

# Where it waits: outside of the scheduler, and of the sampled event's own rows none is here.
where_it_waits() {
	local slept in_schedule

	slept=$(in_total 'sum:total.functions[event=off-cpu][function=hrtimer_nanosleep].weight')
	holds "0$slept > 3 * 0.9 * $1 * 7e6" || differs "hrtimer_nanosleep has ${slept:-no} ns"
	in_schedule=$(in_total 'sum:total.functions[event=off-cpu][function=schedule].weight')
	holds "0$in_schedule == 0" || fail "schedule itself has $in_schedule ns"
	echo "hrtimer_nanosleep: $slept ns"
}

# command_waits WHAT ARGS...: of a command, measured so
command_waits() {
	local what=$1

	shift
	rt --json "$@" --off-cpu -- "$work/waits_known" -n 60
	expect_status 0 "a command's waits, $what"
	check_report
	each_near "$what"
	accounts_hold "$what"
	whole_time "$what"
	wakers reading writer "${whole:-}"
	wakers locked holder "${whole:-}"
	woken_by reading writer
	woken_by locked holder
}

# The waits of others that began before we looked are no loss.
machine_waits() {
	local whole=more

	command_waits "of the machine" -a
	# Some kernels tell of no waking where the CPU idled.
	only_by sleeper "the clock's timer" "[waker_comm=[timer]]"
	where_it_waits 60
}

beside_ftrace() {
	rt --json --off-cpu -- "$work/waits_known" -n 20
	expect_status 0 "a command's waits beside ftrace"
	check_report
	where_it_waits 20
}

# Who is not switched in all that time waits all along: /proc says so, and where.
standing() {
	local slept seconds

	rt_start --off-cpu -p "$1"
	wait_until 20 has_lines "$out" 4 || fail "no third interval"
	rt_stop
	expect_status 0 "a process that sleeps all the time"
	check_report
	slept=$(in_total "sum:total.tasks[event=off-cpu:sleeping][tid=$1].weight")
	seconds=$(in_total total.seconds)
	# Until the readers run, and from the last record on, nothing is counted.
	holds "0$slept >= 0.9e9 * $seconds && 0$slept <= 1.001e9 * $seconds" ||
		differs "a process slept for all of $seconds s, off-cpu:sleeping has $slept ns"
	echo "not switched once: $slept ns of $seconds s"
}

agrees command_waits "of a command"

# Over a link it is the same.  The host is this machine; instead of ssh there is a shell.
far_shell
agrees command_waits "over a link" -d 0.2 -H here --ssh "$far_shell"
agrees machine_waits

# Somebody else takes switches, too: the kernel has a function that calls both, which is no part of the wait.
mkdir "$instances/ringtop-test-$$" || fail "no instance of ftrace"
on_exit "rmdir $instances/ringtop-test-$$"
echo 1 >"$instances/ringtop-test-$$/events/sched/sched_switch/enable" || fail "an instance cannot trace switches"
agrees beside_ftrace

sleep 1000 &
sleeps=$!
started+=("$sleeps")
agrees standing "$sleeps"

# Nobody reads while there are more switches than the rings hold: those that are lost are waits that are missing, and
# nothing is called exact.
rt_start -a --off-cpu -m 16k -d 0.5
kill -STOP "$rt_pid"
"$work/storm_switch" -n 5000 >"$tmp/storm"
kill -CONT "$rt_pid"
rt_stop
expect_status 0 "a reader that stood still"
check_report
switches=$(in_total 'sum:total.events[name=sched:sched_switch].lost_samples')
waits=$(in_total 'sum:total.events[name=off-cpu].lost_samples')
holds "$switches > 0" || fail "rings that nobody read lost none of $(cat "$tmp/storm")"
holds "$waits >= $switches" || fail "$switches switches were lost, and only $waits waits"
exact=$(in_total 'total.events[name=off-cpu].lost_exact')
[ "$exact" = false ] || fail "$waits waits were lost, and lost_exact is $exact"
has_text "$out" "records of sched:sched_switch were lost" || fail "no line of the log says that switches were lost"
pass "nobody read: $switches switches and $waits waits are lost"
