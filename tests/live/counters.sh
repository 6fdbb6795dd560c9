#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is only counted: N system calls are N, of a command, of a running process, of the whole machine; forked
# children count too, to the event, also in a storm; so do a user's processes that start later; a group's members have the same times; CPUs and threads add up;
# what cannot be counted says why while the others go on; perf stat says the same of the same work.  COUNTERS_CALLS: N (300000).
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact storm_fork storm_grow tiny

calls=${COUNTERS_CALLS:-300000}
event=raw_syscalls:sys_enter
count="total.counters[name=$event].count"

# --- a command, and what perf stat says ---

what="a command"
rt --json -d 0.2 -e dummy -S "$event,{context-switches,page-faults},task-clock" -- "$work/storm_exact" $calls
expect_status 0 "$what"
check_report
[ "$(json "$count")" = $calls ] || fail "$what: $(json "$count") of $calls"
[ "$(json 'total.counters[name=context-switches].running')" = "$(json 'total.counters[name=page-faults].running')" ] ||
	fail "$what: its group did not run for the same time"
[ "$(json 'total.counters[name=context-switches].group')" = "$(json 'total.counters[name=page-faults].group')" ] ||
	fail "$what: two groups"
pass "$what: $calls"

# perf_counts EVENT COMMAND...: what perf stat counts of it
perf_counts() {
	local event=$1

	shift
	perf stat -x, -e "$event" -- "$@" 2>&1 >/dev/null | awk -F, -v e="$event" '$3 == e { print $1 }'
}

if command -v perf >/dev/null; then
	what="perf stat"
	[ "$(perf_counts $event "$work/storm_exact" $calls)" = $((calls + 1)) ] || # its own exec's return is none of ours
		[ "$(perf_counts $event "$work/storm_exact" $calls)" = $calls ] ||
		fail "$what: it counts $(perf_counts $event "$work/storm_exact" $calls) of $calls"
	pass "$what: the same"
fi

# --- forks ---

what="a fork storm"
rt --json -d 0.5 -e dummy -S "sched:sched_process_fork,sched:sched_process_exec" -- \
	"$work/storm_fork" -s 2 -r 800 -- "$work/tiny_static" 2000
expect_status 0 "$what"
check_report
forks=$(json 'total.counters[name=sched:sched_process_fork].count')
execs=$(json 'total.counters[name=sched:sched_process_exec].count')
processes=$(sed -n 's/.*processes=\([0-9]*\).*/\1/p' "$err" "$out" | tail -n 1)
holds "$processes > 500" || fail "$what: only $processes processes"
# One spawner for each CPU; the command itself is executed after its counters were opened.
[ "$forks" = $((processes + $(nproc))) ] || fail "$what: $forks forks for $processes processes"
[ "$execs" = $((processes + 1)) ] || fail "$what: $execs execs for $processes processes"
pass "$what: $forks forks, $execs execs"

# --- a running process, and its threads ---

what="a running process"
work_start "$work/storm_exact" $calls wait
wait_until 5 has_text "/proc/$work_pid/syscall" '^0 ' || skip "/proc/PID/syscall does not tell"
rt_start -d 0.2 -e dummy -S $event -p "$work_pid"
go
work_wait
rt_stop
check_report
[ "$(json "$count")" = $calls ] || fail "$what: $(json "$count") of $calls"
[ "$(json "total.counters[name=$event].cpus[0].tid")" = "$work_pid" ] || fail "$what: of which thread?"
pass "$what: $calls"

# --- a user's processes that start later ---

sleeps() {
	pgrep -u nobody -x sleep >/dev/null
}

is_found() {
	holds "0$(json "sum:last.tasks[pid=$later].samples") > 0"
}

if getent passwd nobody >/dev/null; then
	what="a user's process that starts later"
	need_tracepoint syscalls sys_enter_getppid
	cp "$work/storm_grow" "$tmp/storm_user"
	chmod 755 "$tmp/storm_user"
	as_nobody="setpriv --reuid=nobody --regid=65534 --clear-groups"
	$as_nobody sleep 600 9>&- &
	started+=($!)
	wait_until 20 sleeps || fail "$what: nobody has no process"
	rt_start -d 0.2 -e cpu-clock -S syscalls:sys_enter_getppid -u nobody
	$as_nobody sh -c "while [ ! -e $tmp/found ]; do :; done; exec $tmp/storm_user -n 3000 -t 3 -k 3" \
		>"$tmp/later" 9>&- &
	later=$!
	started+=($later)
	wait_until 20 is_found || fail "$what: it is not found"
	: >"$tmp/found"
	wait $later || fail "$what: it failed"
	rt_stop
	check_report
	of='total.counters[name=syscalls:sys_enter_getppid]'
	[ "$(json "$of.count")" = 30000 ] || fail "$what: $(json "$of.count") of 30000"
	[ "$(json "sum:$of.cpus[tid=$later].count")" = 30000 ] || fail "$what: they are not those of $later"
	pass "$what: 30000, its threads' and children's"
fi

# --- the whole machine ---

what="the whole machine"
rt_start -d 0.2 -e dummy -S "$event,cpu-clock" --duration 60
"$work/storm_exact" $calls >/dev/null 2>&1
rt_stop
check_report
holds "$(json "$count") >= $calls" || fail "$what: $(json "$count") of $calls"
holds "$(json "count:total.counters[name=cpu-clock].cpus.count") == $(nproc)" || fail "$what: not all CPUs"
pass "$what: $(json "$count"), $calls of them the storm's"

# --- what cannot be ---

what="what cannot be counted"
rt --json -d 0.2 -e dummy -S 'r1fffffffff,mem:0x1000:x,context-switches' -- true
expect_status 0 "$what"
check_report
[ "$(json 'total.counters[name=context-switches].why')" = - ] || fail "$what: the one that can"
holds "$(json 'total.counters[name=context-switches].count') >= 0" || fail "$what: the one that can"
pass "$what: $(json 'total.counters[0].why')"

what="wrong words"
rt --json -S nosuch -- true
expect_status 2 "$what"
grep -q -- "-S" "$err" || fail "$what: whose they are is not said: $(cat "$err")"
for term in freq=10 call-graph=fp max-stack=4 stack-size=64 overwrite no-overwrite; do
	rt --json -S "page-faults/$term/" -- true
	expect_status 2 "$what: $term"
	has_text "$err" "applies to samples, and -S takes no samples" || fail "$what: $term: $(cat "$err")"
done
pass "$what"

what="--delay-start"
rt --json -d 0.2 --delay-start 1000 -e $event -c 1 -S $event -- sh -c "$work/storm_exact 100000; sleep 2; $work/storm_exact 50000"
expect_status 0 "$what"
check_report
holds "$(json "$count") >= 50000 && $(json "$count") < 51000" || fail "$what: $(json "$count") calls were counted"
[ "$(json 'total.events[0].counted')" = "$(json "$count")" ] || fail "$what: $(json 'total.events[0].counted') were to be sampled"
pass "$what: $(json "$count") of the second storm, none of the first"
