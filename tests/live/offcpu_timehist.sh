#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# -i FILE --off-cpu beside perf sched timehist on the same recording of perf sched record: of each program's
# first thread that ended in it the time on CPUs, the waits and what of them it stood in line after it was woken are the
# same sums.  timehist cuts each of its figures to whole microseconds, so ours are larger by less than one for each of its
# rows.
#
# What timehist has besides, and is left out: how long a new thread stands in line first, for no switch of it is that wait's
# beginning.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
waits_told=$tmp/said
need_perf
need_stock_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known
command -v python3 >/dev/null || skip "no python3"

compare() {
	python3 -c '
import json, re, sys
row = re.compile(r"\s*[\d.]+ \[\d+\]\s+.*\[(\d+)(?:/\d+)?\]\s+(\d+)\.(\d{3})\s+(\d+)\.(\d{3})\s+(\d+)\.(\d{3})\s+(\S)")
theirs, state, ended = {}, {}, set()
for m in filter(None, map(row.match, open(sys.argv[1]))):
    tid = int(m[1])
    wait, delay, run = (int(m[n] + m[n + 1]) * 1000 for n in (2, 4, 6))
    of = theirs.setdefault(tid, {"rows": 0, "off-cpu": 0, "on-cpu": 0, "off-cpu:runnable": 0})
    of["rows"] += 1
    of["off-cpu"] += wait
    of["on-cpu"] += run
    # It was preempted (R, R+, which some take for W) and stood in line all the time, or slept and did so from its waking on.
    of["off-cpu:runnable"] += wait if state.get(tid, "-") in "RW" else delay if tid in state else 0
    state[tid] = m[8]
    if m[8] in "XZ":
        ended.add(tid)
ours = {}
for text in open(sys.argv[2]):
    report = json.loads(text)
    for t in report["tasks"] if report["type"] == "total" else []:
        of = ours.setdefault(t["tid"], {})
        of[t["event"]] = of.get(t["event"], 0) + t["weight"]
wrong = 0
ended &= set(map(int, re.findall(r"_tid=(\d+)", open(sys.argv[3]).read())))
for tid in sorted(ended):
    for event in ("on-cpu", "off-cpu", "off-cpu:runnable"):
        has, says = ours.get(tid, {}).get(event, 0), theirs[tid][event]
        if not 0 <= has - says <= 1000 * theirs[tid]["rows"]:
            wrong += 1
            print("tid %d, %s: %d ns here, %d ns of timehist in %d rows" % (tid, event, has, says, theirs[tid]["rows"]))
print("%d threads, %d rows" % (len(ended), sum(theirs[tid]["rows"] for tid in ended)))
sys.exit(wrong or len(ended) < 6)
' "$tmp/timehist" "$out" "$waits_told"
}

# Where the recording lost switches timehist makes one wait of two.
as_timehist() {
	local lost

	busy_cpus
	# Eight, for of threads but the first of a process the kernel no longer knows the id when they switch for the last time.
	perf sched record -g -m 2048 -o "$tmp/data" -- bash -c 'for i in {1..8}; do "$0" -n 8 & echo "first_tid=$!"; wait; done' \
		"$work/waits_known" >"$tmp/said" 2>"$tmp/perf" || skip "perf sched cannot record here: $(tail -n 1 "$tmp/perf")"
	idle_cpus
	perf sched timehist --state -i "$tmp/data" >"$tmp/timehist" 2>"$tmp/perf" ||
		skip "no perf sched timehist --state here: $(tail -n 1 "$tmp/perf")"
	rt --json -i "$tmp/data" --off-cpu
	expect_status 0 "perf sched record's file"
	check_report
	lost=$(in_total 'sum:total.events[name=off-cpu].lost_samples')
	compare >"$tmp/compared" || differs "timehist says something else, ${lost:-0} waits are lost: $(cat "$tmp/compared")"
}

agrees as_timehist
pass "on-cpu, off-cpu and off-cpu:runnable are timehist's, to less than a microsecond a row: $(tail -n 1 "$tmp/compared")"
