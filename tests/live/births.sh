#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads and processes that are born all the time while ringtop attaches to those who start them:
# each of those that are there in the end is counted whole and once, or said to be unsure.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_tracepoint syscalls sys_enter_getppid
need_tracepoint sched sched_process_fork
need_work storm_birth

calls=10
event=syscalls:sys_enter_getppid

# judge NAME: the workload is over; what was counted is what it did, less what is unsure
judge() {
	local counted expected unsure only

	rt_stop
	expect_status 0 "$1"
	check_report
	counted=$(json 'total.events[0].counted')
	unsure=$(json 'total.self.births_unsure')
	expected=$(truth getppid)
	holds "$counted <= $expected" || fail "$1: $counted of $expected calls: some counted twice"
	holds "$counted + $unsure * $calls >= $expected" ||
		fail "$1: $counted of $expected calls, $unsure births unsure"
	# those that are only counted go through the same rounds
	only=$(json 'total.counters[0].count')
	holds "$only <= $expected && $only + $unsure * $calls >= $expected" ||
		fail "$1: $only of $expected calls counted by -S, $unsure births unsure"
	# some for each of the creators, each time that events are opened; more on a busy machine
	holds "$unsure * $calls <= $expected / 2" || differs "$1: $unsure births unsure"
	[ "$unsure" = 0 ] || grep -q "whether they are measured" "$out" || fail "$1: the log is silent"
	echo "$1: $counted of $expected calls, $only by -S, $unsure births unsure, $(truth born) born"
}

measure() {
	rt_start -d 0.2 -e $event -c 1 -S $event "$@"
}

of_process() {
	work_start "$work/storm_birth" -w -t 300 -k 2 -n $calls
	work_ready
	measure -p "$work_pid"
	go
	work_wait
	judge "-p, $1"
}

for round in 1 2 3 4; do
	agrees of_process "$round"
done

getent passwd nobody >/dev/null || skip "no user nobody"
cp "$work/storm_birth" "$tmp/storm_user"
chmod 755 "$tmp/storm_user"

start_user() {
	work_start setpriv --reuid=nobody --regid=65534 --clear-groups "$tmp/storm_user" "$@"
	work_ready
}

of_user() {
	start_user -w -t 100 -k 1 -n $calls fork
	measure -u nobody
	go
	work_wait
	judge "-u"
}
agrees of_user

# A user's processes whose parents are not measured: found once a second, and joined.  Each birth is
# a sample; of a clock there may be none, since the rest of a period stays with the context of a
# thread, which the kernel exchanges with those of its relatives, and no thread here runs for long.
has_samples() {
	holds "0$(json "sum:each.tasks[pid=$work_pid].samples") > 0"
}

setpriv --reuid=nobody --regid=65534 --clear-groups sleep 600 9>&- &
started+=($!)
has_process() {
	pgrep -u nobody -x sleep >/dev/null
}
wait_until 20 has_process || fail "nobody has no process"
joined() {
	rt_start -d 0.2 -e $event -e sched:sched_process_fork -c 1 -S $event -u nobody
	start_user -w -t 100 -k 2 -n $calls
	wait_until 60 has_samples || fail "-u: a new process is not found: $(tail -n 3 "$err"), last line $(tail -n 1 "$out" | cut -c 1-400)"
	go
	work_wait
	judge "-u, joined"
}
agrees joined
