#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every target measures what it names and nothing else: processes with what they start later,
# threads, users, CPUs, one ring for a thread, and a command with its exit status.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work storm_grow storm_getppid spin_threads spin_hot
. "$live_dir/far.sh"
far_shell

event=syscalls:sys_enter_getppid

only_tasks() { # NAME FIELD VALUE: every row of the tasks is this one
	local others

	others=$(json "all:total.tasks.$2" | grep -vx "$3" | sort -u)
	[ -z "$others" ] || fail "$1: tasks of others: $others"
	holds "$(json "sum:total.tasks.samples") > 0" || fail "$1: no samples"
}

has_function() { # NAME FUNCTION
	holds "$(json "sum:total.functions[function=$2].samples") > 0" || fail "$1: $2 was not seen"
}

grow_case() { # NAME TRUTH-EXPRESSION OPTIONS...
	local name=$1 expected=$2 counted

	shift 2
	work_start "$work/storm_grow" -w -n 3000 -t 3 -k 3
	work_ready
	rt_start -d 0.2 -e $event -c 1 -S $event -p "$work_pid" "$@"
	go
	work_wait
	rt_stop
	expect_status 0 "$name"
	check_report
	counted=$(json 'total.events[0].counted')
	[ "$counted" = "$expected" ] || fail "$name: counted $counted of $expected calls"
	pass "$name: counted $counted"
}

case_process() {
	need_tracepoint syscalls sys_enter_getppid
	grow_case "-p with threads and children born later" 30000
	grow_case "-p --no-inherit" 3000 --no-inherit
	event=syscalls:sys_enter_getppid/inherit-thread/
	grow_case "-p, inherit-thread" 12000
	[ "$(json 'total.counters[0].count')" = 12000 ] ||
		fail "inherit-thread: $(json 'total.counters[0].count') of 12000 by -S"
	rt --json -d 0.2 -e $event -c 1 -S "$event,page-faults/no-inherit/,page-faults" -- "$work/storm_grow" -n 3000 -t 3 -k 3
	check_report
	[ "$(json 'total.events[0].counted') $(json 'total.counters[0].count')" = "12000 12000" ] ||
		fail "inherit-thread of a command: $(json 'total.events[0].counted'), $(json 'total.counters[0].count')"
	holds "$(json 'total.counters[1].count') < $(json 'total.counters[2].count')" ||
		fail "no-inherit beside one that is inherited: $(json 'total.counters[1].count') page faults of both"
	pass "inherit-thread of a command"
}

# A supervisor above another one, above a program with a thread on each CPU: all of them run before ringtop does.
supervised_case() { # NAME EXPECTED-PROCESSES EXPECTED-CALLS OPTIONS...
	local name=$1 below=$2 expected=$3 counted

	shift 3
	# shellcheck disable=SC2016 # expands in the shells
	work_start bash -c 'bash -c '"'"'"$@" <&0 & wait'"'"' sh "$@" <&0 & wait' sh "$work/storm_getppid" -w -n 3000
	work_ready
	rt_start -d 0.2 "$@" -p "$work_pid"
	go
	work_wait
	rt_stop
	expect_status 0 "$name"
	check_report
	[ "$expected" != all ] || expected=$(truth getppid)
	counted=$(json 'total.events[0].counted' 'total.events[0].attributed')
	[ "$counted" = "$expected"$'\n'"$expected" ] || fail "$name: counted and attributed ${counted/$'\n'/, } of $expected calls"
	[ "$(json 'count:total.counters')" = 0 ] || [ "$(json 'total.counters[0].count')" = "$expected" ] ||
		fail "$name: $(json 'total.counters[0].count') of $expected calls by -S"
	[ "$(json header.target)" = "pid $work_pid$below" ] || fail "$name: measured is '$(json header.target)'"
	pass "$name: $expected"
}

case_supervisor() {
	local both=" with 2 running children" event=syscalls:sys_enter_getppid

	supervised_case "-p of a supervisor" "$both" all -e $event -c 1 -S $event
	supervised_case "-p of a supervisor, --no-inherit" "" 0 -e $event -c 1 -S $event --no-inherit
	supervised_case "-p of a supervisor, inherit-thread" "" 0 -e $event/inherit-thread/ -c 1
	supervised_case "-p of a supervisor, --ftrace" "$both" all --ftrace $event
	supervised_case "-p of a supervisor, -H" "$both" all -e $event -c 1 -S $event -H far --ssh "$far_shell"
}

case_thread() {
	local tid

	work_start "$work/spin_threads" -t 3 -s 600
	wait_until 5 test -e "/proc/$work_pid/task" && wait_until 5 three_threads
	# shellcheck disable=SC2012 # names are numbers
	tid=$(ls "/proc/$work_pid/task" | sort -n | tail -n 1)
	rt_start -d 0.3 -e cpu-clock -F 999 -t "$tid"
	rt_stop
	kill "$work_pid"
	expect_status 0 "-t"
	check_report
	only_tasks "-t" tid "$tid"
	has_function "-t" spin_thread_work
	pass "-t $tid"
}

three_threads() {
	[ "$(find "/proc/$work_pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge 4 ]
}

case_user() {
	getent passwd nobody >/dev/null || return 0
	cp "$work/spin_hot" "$tmp/spin_user"
	chmod 755 "$tmp/spin_user"
	work_start setpriv --reuid=nobody --regid=65534 --clear-groups "$tmp/spin_user" -s 600
	wait_until 5 has_text "/proc/$work_pid/comm" spin_user
	rt_start -d 0.3 -e cpu-clock -F 999 -u nobody
	rt_stop
	kill "$work_pid"
	expect_status 0 "-u"
	check_report
	has_function "-u" spin_hot
	[ "$(json "count:total.tasks[pid=$$].pid")" = 0 ] || fail "-u: a task of another user"
	pass "-u nobody"
}

case_cpu() {
	local cpu

	cpu=$(awk '/^processor/ { n = $3 } END { print n }' /proc/cpuinfo)
	work_start taskset -c "$cpu" "$work/spin_hot" -s 600
	wait_until 5 has_text "/proc/$work_pid/comm" spin_hot
	rt_start -d 0.3 -e cpu-clock -F 999 -C "$cpu"
	rt_stop
	expect_status 0 "-C"
	check_report
	[ "$(json 'all:total.cpus.cpu' | sort -u)" = "$cpu" ] || fail "-C $cpu: samples of other CPUs"
	[ "$(json 'all:total.rings.cpu' | sort -u)" = "$cpu" ] || fail "-C $cpu: rings of other CPUs"
	has_function "-C" spin_hot
	pass "-C $cpu"
	rt_start -d 0.3 -e cpu-clock -F 999 -C "$cpu" -p "$work_pid"
	rt_stop
	kill "$work_pid"
	expect_status 0 "-C -p"
	check_report
	only_tasks "-C -p" pid "$work_pid"
	pass "-C $cpu -p"
}

case_per_thread() {
	work_start "$work/spin_hot" -s 600
	wait_until 5 has_text "/proc/$work_pid/comm" spin_hot
	rt_start -d 0.3 -e cpu-clock -F 999 --per-thread -p "$work_pid"
	rt_stop
	kill "$work_pid"
	expect_status 0 "--per-thread"
	check_report
	only_tasks "--per-thread" pid "$work_pid"
	[ "$(json 'all:total.rings.tid' | sort -u)" = "$work_pid" ] || fail "--per-thread: whose a ring is"
	has_function "--per-thread" spin_hot
	pass "--per-thread"
}

case_command() {
	rt --json -d 0.2 -e cpu-clock -- sh -c 'exit 7'
	expect_status 0 "command"
	check_report
	grep '"type":"total"' "$out" | grep -q 7 || fail "the total does not tell the exit status"
	rt --json -d 0.2 -e cpu-clock --propagate -- sh -c 'exit 7'
	expect_status 7 "--propagate"
	rt --text -d 0.2 -e cpu-clock -- sh -c 'exit 7'
	expect_status 0 "command, text"
	grep -q 7 "$out" || fail "the text report does not tell the exit status"
	rt --json -- "$tmp/no-such-program"
	[ "$rt_status" != 0 ] || fail "a command that is not there: exit status 0"
	grep -q no-such-program "$err" || fail "a command that is not there is not named"
	pass "command, --propagate, no such command"
}

case_gone() {
	rt --json -p 999999999
	[ "$rt_status" != 0 ] || fail "a process that is not there: exit status 0"
	[ -s "$err" ] || fail "a process that is not there: no word of it"
	pass "-p of nobody"
}

for name in process supervisor thread user cpu per_thread command gone; do
	"case_$name"
done
