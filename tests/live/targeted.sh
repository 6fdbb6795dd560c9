#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tracepoints about a task that other tasks cause (sched_waking, sched_wakeup): of a process they are counted as perf stat
# counts them, and what the kernel adds to the counters for others is told beside it: nothing is lost, and no alert fires.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
need_perf
need_stock_perf
need_tracepoint sched sched_waking
need_tracepoint sched sched_wakeup
need_work waits_known
waits_told=$tmp/waits

mkfifo "$tmp/go"
"$work/waits_known" -n 60 -w <"$tmp/go" >"$waits_told" 9>&- &
program=$!
started+=("$program")
exec 8>"$tmp/go"
perf stat -x, -o "$tmp/stat" -e sched:sched_waking,sched:sched_wakeup -p "$program" 9>&- 8>&- &
perf=$!
started+=("$perf")
counters_open() {
	ls -l "/proc/$perf/fd" 2>/dev/null | grep -q perf_event
}
wait_until 20 counters_open || skip "perf stat opens no counters"
rt_start -e sched:sched_waking,sched:sched_wakeup --alert 'lost>1%' -p "$program"
printf x >&8
wait_until 60 has_text "$waits_told" "count=" || fail "the program does not end"
wait_until 20 gone "$rt_pid" || fail "the session does not end with its process"
wait_until 20 gone "$perf" || fail "perf stat does not end with its process"
check_report
grep -q ALERT "$out" "$err" && fail "an alert: $(grep -h ALERT "$out" "$err")"

for name in sched:sched_waking sched:sched_wakeup; do
	theirs=$(sed -n "s/^\\([0-9]*\\),.*$name.*/\\1/p" "$tmp/stat")
	[ -n "$theirs" ] || skip "perf stat does not count $name"
	counted=$(json "sum:total.events[name=$name].counted") lost=$(json "sum:total.events[name=$name].lost")
	others=$(json "sum:total.events[name=$name].others")
	[ "0$lost" -eq 0 ] || fail "$name: $lost of $counted are lost"
	near "$counted" "$theirs" "2 + 0.02 * $theirs" || fail "$name: counted $counted, perf stat $theirs, others ${others:-none}"
	pass "$name: counted $counted, perf stat $theirs, beside it ${others:-none}"
done
