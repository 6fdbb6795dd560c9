#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What threads stand in line for is told from what they sleep, whoever wakes them: timers of CPUs that run others' tasks,
# and each other.  Beside them one spins on their CPU, so that they have to wait for it.  Of a process, a command and a
# cgroup it is what the kernel says (schedstat), within a third: our records and the kernel's figure begin and end a little
# apart at each switch.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known
[ -r /proc/thread-self/schedstat ] || skip "the kernel has no schedstat"

# in_line WHAT: what each thread stood in line for, of which it is unknown only where its waking was not told.
in_line() {
	local name line delay unknown off beyond

	for name in sleeper holder writer; do
		line=$(of $name off-cpu:runnable) unknown=$(of $name off-cpu:unknown) off=$(of $name off-cpu)
		delay=$(said ${name}_delay)
		# What it did before and after it looked at its own figures.
		beyond="(0$off + 0$(of $name on-cpu) - $(said ${name}_wall))"
		holds "0$line + 0$unknown >= 0.67 * $delay - 20e6" ||
			fail "$1: $name stood in line for $delay ns, off-cpu:runnable has ${line:-none} and :unknown ${unknown:-none}"
		holds "0$line <= 1.33 * $delay + 50e6 + $beyond" ||
			fail "$1: $name stood in line for $delay ns, off-cpu:runnable has $line"
		holds "0$unknown <= 0.5 * 0$off" ||
			fail "$1: of $name $unknown ns of $off are unknown, though its wakings can be seen"
		pass "$1: $name stood in line for $delay ns: runnable ${line:-0}, unknown ${unknown:-0}, sleeping $(of $name off-cpu:sleeping)"
	done
}

# A program that waits to be told to run: its pid comes to $program.
program() {
	waits_told=$tmp/waits.$1
	mkfifo "$tmp/go.$1"
	taskset -c "$cpu" "$work/waits_known" -n 25 -w <"$tmp/go.$1" >"$waits_told" 9>&- &
	program=$!
	started+=("$program")
	exec 8>"$tmp/go.$1"
}

# measured WHAT ARGS...: it runs, and ends, while ringtop measures it
measured() {
	local what=$1

	shift
	rt_start --off-cpu "$@"
	printf x >&8
	wait_until 60 has_text "$waits_told" "count=" || fail "$what: the program does not end"
	wait_until 2 gone "$rt_pid" || rt_stop # a process's session ends with it
	wait "$rt_pid"
	check_report
	whole_time "$what"
	in_line "$what"
}

# One CPU for the program, and one that never leaves it.
cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
taskset -c "$cpu" bash -c 'while :; do :; done' 9>&- &
hog=$!
started+=("$hog")

program 1
measured "of a process" -p "$program"
waits_told=$tmp/waits.command
"$RINGTOP" --json --off-cpu -- taskset -c "$cpu" "$work/waits_known" -n 25 >"$out" 2>"$waits_told" 9>&-
check_report
whole_time "of a command"
in_line "of a command"

# Whoever may not measure whole CPUs is not told a state that was not seen.
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
	setpriv --reuid=65534 --clear-groups -- "$RINGTOP" --json --off-cpu -- taskset -c "$cpu" "$work/waits_known" -n 20 \
		>"$out" 2>"$waits_told" 9>&-
	if [ -s "$out" ] && ! json 'all:total.events[].name' | grep -q sched_waking; then
		check_report
		holds "0$(of sleeper off-cpu:sleeping) == 0 && 0$(of sleeper off-cpu:unknown) > 0.5 * $(said sleeper_ns)" ||
			fail "without rights: sleeper slept for $(said sleeper_ns) ns, unknown are $(of sleeper off-cpu:unknown)"
		pass "without rights: of sleeper $(of sleeper off-cpu:unknown) ns are unknown"
	fi
fi

tree=$tmp/cgroups
mkdir "$tree"
if mount -t cgroup2 none "$tree" 2>"$err"; then
	group=ringtop-line-$$
	on_exit "rmdir '$tree/$group' 2>/dev/null; umount '$tree'"
	if mkdir "$tree/$group" 2>"$err"; then
		program 4
		echo "$program" >"$tree/$group/cgroup.procs" || fail "cannot move a process"
		measured "of a cgroup" -G "$group"
	fi
fi
kill "$hog"
