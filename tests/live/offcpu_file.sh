#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --off-cpu of recordings: of perf's sched_switch each thread's waits are what the switches' own times say, to the
# nanosecond; with SWITCH records they are what the threads measured, also where these are alone; who woke them is known.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
waits_told=$tmp/said
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known
command -v perf >/dev/null || skip "no perf to record with"
command -v python3 >/dev/null || skip "no python3"

record() {
	perf record -q -a -o "$tmp/data" "$@" -- "$work/waits_known" -n 60 >"$tmp/said" 2>"$tmp/perf" ||
		skip "perf cannot record here: $(tail -n 1 "$tmp/perf")"
}

# Each thread's waits from one switch out to the next one in, by perf's own words; those that lack one of these are left
# out there and here.
compare() {
	perf script --ns -G -F tid,cpu,time,event,trace -i "$tmp/data" 2>/dev/null | python3 -c '
import json, re, sys
went, known, ended, holed = {}, {}, set(), set()
line = re.compile(r"(\d+)\.(\d{9}):\s+sched:sched_switch:.*prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)")
for text in sys.stdin:
    m = line.search(text)
    if not m:
        continue
    time, prev, state, into = int(m[1]) * 10**9 + int(m[2]), int(m[3]), m[4], int(m[5])
    if into in went:
        known[into] = known.get(into, 0) + time - went.pop(into)
    if prev in went: # it came, and some kernels do not say so where the CPU idled
        holed.add(prev)
    if prev and state[0] in "XZ":
        went.pop(prev, None)
        ended.add(prev)
    elif prev:
        went[prev] = time
ours = {}
for text in open(sys.argv[1]):
    report = json.loads(text)
    for t in report["tasks"] if report["type"] == "total" else []:
        if t["event"] == "off-cpu":
            ours[t["tid"]] = ours.get(t["tid"], 0) + t["weight"]
same = [tid for tid in known if tid not in went and tid not in holed]
wrong = [(tid, ours.get(tid), known[tid]) for tid in same if ours.get(tid) != known[tid]]
print(len(same), len(ended), *wrong)
sys.exit(bool(wrong) or len(ended) < 5 or not same)
' "$out"
}

as_switches() {
	local pair sleeper waker count lost untold waits

	busy_cpus
	record -e sched:sched_switch -e sched:sched_waking -g
	idle_cpus
	rt --json -i "$tmp/data" --off-cpu
	expect_status 0 "perf's sched_switch"
	check_report
	compare >"$tmp/compared" ||
		wrong "waits are not what the switches say (threads, ended; tid, ours, theirs): $(cat "$tmp/compared")"
	for pair in "reading writer" "locked holder"; do
		read -r sleeper waker <<<"$pair"
		count=$(in_total "sum:total.wakers[tid=$(said "${sleeper}_tid")][waker_tid=$(said "${waker}_tid")].count")
		lost=$(in_total 'sum:total.events[name=off-cpu].lost_samples')
		untold=$(in_total "sum:total.wakers[tid=$(said "${sleeper}_tid")][waker_comm=[waker unknown]].count")
		waits=$(said "${sleeper}_waits")
		holds "0$count <= $waits + $(said "${sleeper}_before") && 0$count + 0$untold + 0$lost >= $waits" ||
			wrong "$waker woke $sleeper $waits times, of these are ${count:-none}, ${untold:-0} not known, $lost waits lost"
		holds "0$untold <= 0.1 * $waits" || differs "who woke $sleeper is mostly unknown, $untold of $waits times"
		echo "$waker woke $sleeper $count times"
	done
}

as_measured() { # WHAT RECORD...
	record "${@:2}"
	rt --json -i "$tmp/data" --off-cpu
	expect_status 0 "$1"
	check_report
	each_near "$1"
}

agrees as_switches
pass "waits of $(cut -d' ' -f1 "$tmp/compared") threads are what the switches say, to the nanosecond"
agrees as_measured "switches and records of them" --switch-events -e sched:sched_switch -e sched:sched_waking -g
agrees as_measured "records alone" --switch-events -e cpu-clock

# What has no switches says so.
perf record -q -e cpu-clock -o "$tmp/data" -- true >/dev/null 2>&1
rt --json -i "$tmp/data" --off-cpu
expect_status 2 "no switches"
has_text "$err" "no context switches" || fail "a recording without switches: $(cat "$err")"
pass "a recording without switches is refused"
