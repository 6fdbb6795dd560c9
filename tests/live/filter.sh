#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --filter: the events seen are those that match, to the event: counted by the program itself, by the kernel's own
# statistics and beside perf; sampled and only counted; on CPUs, of a command, of a process that runs, with rings that
# are opened anew.  What the kernel refuses ends with 2 and one line: field, reason, place.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint sched sched_switch
need_work storm_exact tiny

calls=100000
event=(-e raw_syscalls:sys_enter --filter 'id == 110')

# check NAME COUNT: of the first event and the first counter, where there is one
check() {
	expect_status 0 "$1"
	check_report
	[ "$(json 'total.events[0].counted')" = "$2" ] || fail "$1: counted $(json 'total.events[0].counted'), not $2"
	[ "$(json 'total.events[0].attributed')" = "$2" ] || fail "$1: attributed $(json 'total.events[0].attributed')"
	pass "$1: $2"
}

# One of the calls is exit_group.
rt --json "${event[@]}" -m 64M -S raw_syscalls:sys_enter --filter 'id == 231' -S raw_syscalls:sys_enter -- \
	"$work/storm_exact" $calls
check "a command" $((calls - 1))
[ "$(json 'total.counters[0].count')" = 1 ] || fail "counter: $(json 'total.counters[0].count') exit_groups"
[ "$(json 'total.counters[1].count')" = $calls ] || fail "counter without a filter: $(json 'total.counters[1].count')"
[ "$(json 'total.events[0].filter')" = 'id == 110' ] || fail "the report does not tell the filter"
[ "$(json 'header.events[0].filter')" = 'id == 110' ] || fail "the header does not tell the filter"
[ "$(json 'total.counters[0].filter')" = 'id == 231' ] || fail "the counter's filter is not told"
pass "counters: 1 of $calls, and $calls of $calls"

rt --json "${event[@]}" --filter 'id == 231' -- "$work/storm_exact" 10
check "two filters that exclude each other" 0

# Recorded: the rings are others.
rt --json "${event[@]}" -m 64M -w "$tmp/perf.data" -- "$work/storm_exact" $calls
check "recorded" $((calls - 1))

work_start "$work/storm_exact" $calls wait
wait_until 5 has_text "/proc/$work_pid/syscall" '^0 ' || skip "/proc/PID/syscall does not tell"
rt_start -m 64M "${event[@]}" -p "$work_pid"
go
work_wait
rt_stop
check "a process that runs" $((calls - 1))

# What ran away from PID, as the kernel counts it in /proc/PID/status: on all CPUs, two events of one tracepoint.
sleeper='use Time::HiRes "usleep"; $| = 1; print "waiting\n"; <STDIN>; usleep(100) for 1 .. 2000; print "done\n"; <STDIN>'
switches() {
	awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$work_pid/status"
}
if command -v perl >/dev/null; then
	work_start perl -e "$sleeper"
	work_ready
	wait_until 5 has_text "/proc/$work_pid/stat" ' S '
	rt_start -a -m 16M -e sched:sched_switch --filter "prev_pid == $work_pid" -e sched:sched_switch/name=back/ \
		--filter "next_pid == $work_pid" -S sched:sched_switch --filter "prev_pid==$work_pid"
	before=$(switches)
	go
	wait_until 20 has_text "$tmp/work" '^done' || fail "the sleeper sleeps"
	wait_until 5 has_text "/proc/$work_pid/stat" ' S '
	after=$(switches)
	rt_stop
	go
	check "prev_pid on all CPUs" $((after - before))
	[ "$(json 'total.counters[0].count')" = $((after - before)) ] || fail "counter: $(json 'total.counters[0].count')"
	pass "its counter, too"
fi

if command -v perf >/dev/null; then
	perf record -q -o "$tmp/p.data" -m 32M -e raw_syscalls:sys_enter --filter 'id == 110' -- \
		"$work/storm_exact" $calls >/dev/null 2>&1 9>&-
	n=$(perf script -i "$tmp/p.data" -F event 2>/dev/null | grep -c sys_enter)
	[ "$n" = $((calls - 1)) ] || echo "note: perf has $n of $((calls - 1))"
	[ "$n" -le $((calls - 1)) ] || fail "perf sees $n"
	pass "beside perf: $n"
fi

# A CPU that goes and comes back: its events are opened anew, with the filter.
cpu=$(($(nproc) - 1))
if [ $cpu -gt 0 ] && [ -w "/sys/devices/system/cpu/cpu$cpu/online" ]; then
	on_exit "echo 1 >/sys/devices/system/cpu/cpu$cpu/online"
	rt_start -a -m 16M -d 0.2 "${event[@]}"
	if echo 0 2>/dev/null >"/sys/devices/system/cpu/cpu$cpu/online"; then
		echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"
		lines=$(wc -l <"$out")
		wait_until 10 has_lines "$out" $((lines + 10)) || fail "no intervals after the CPU came back"
		cp "$work/storm_exact" "$tmp/filter_own" # others on the machine may ask for their parent, too
		taskset -c $cpu "$tmp/filter_own" 1000
		rt_stop
		expect_status 0 "hotplug"
		n=$(json 'sum:total.tasks[comm=filter_own].samples')
		[ "$n" = 999 ] || fail "after the CPU came back: $n of 999"
		pass "a CPU that was away: $n"
	else
		rt_stop
	fi
fi

# refused TEXT WORDS...: exit 2, one line, each word in it
refused() {
	local filter=$1 word

	shift
	rt --text -e sched:sched_switch --filter "$filter"
	expect_status 2 "$filter"
	[ "$(wc -l <"$err")" = 1 ] || fail "$filter: not one line"
	for word; do
		grep -qF -- "$word" "$err" || fail "$filter: '$word' is not said: $(cat "$err")"
	done
}

refused 'nosuch == 1' sched:sched_switch nosuch 'Field not found' 'at character 1 of'
refused 'prev_pid > 0 && nosuch > 1' sched:sched_switch nosuch 'Field not found' 'at character 17 of'
refused 'prev_pid > 0 && prev_comm ~ 5' prev_comm 'Expecting string field'
refused '(prev_pid == 1' "Too many '('"
refused 'prev_pid ==' prev_pid 'Invalid value'
refused ' ' empty
rt --text -e cpu-clock --filter 'pid == 1'
expect_status 2 "no tracepoint"
grep -q 'cpu-clock cannot be filtered' "$err" || fail "no reason: $(cat "$err")"
rt --text --filter 'pid == 1' -e sched:sched_switch
expect_status 2 "before its event"
! ls -d "$(tracefs)"/instances/ringtop-filter-* 2>/dev/null || fail "an instance of tracefs is left"
pass "refusals"
