#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files whose samples carry the times of their counters: an event's account has the sums of what was said
# last of each of its ids, as perf prints them; where a file does not tell, or its times do not add up,
# they are null.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
command -v perf >/dev/null || skip "no perf on this machine"
command -v python3 >/dev/null || skip "no python3 on this machine"

# Sums of what is said last of each first id of a group, ns; nothing where no id is seen of two threads.
cat >"$tmp/said.py" <<'END'
import re
import sys

said, who, tid, first = {}, {}, None, False
for line in sys.stdin:
    if m := re.search(r"PERF_RECORD_SAMPLE\(.*\): \d+/(\d+):", line):
        tid = m.group(1)
    elif m := re.match(r"\.+ time (enabled|running) ([0-9a-f]+)", line):
        times = (times[0], int(m.group(2), 16)) if m.group(1) == "running" else (int(m.group(2), 16), 0)
    elif "group nr" in line:
        first = True
    elif first and (m := re.match(r"\.+ id ([0-9a-f]+)", line)):
        said[m.group(1)], first = times, False
        who.setdefault(m.group(1), set()).add(tid)
if any(len(t) > 1 or "0" in t for t in who.values()):
    print(sum(t[0] for t in said.values()), sum(t[1] for t in said.values()))
END

rt --json -a -e '{cpu-clock,page-faults}:S' -F 200 -w "$tmp/all" -- sleep 0.5
expect_status 0 "all"
rt --json -i "$tmp/all"
expect_status 0 "all, read"
check_report
perf report -D -i "$tmp/all" 2>"$tmp/report.err" | python3 "$tmp/said.py" >"$tmp/said"
[ -s "$tmp/said" ] || skip "no CPU has samples of two threads"
for event in 0 1; do
	[ "$(json "total.events[$event].enabled") $(json "total.events[$event].running")" = "$(cat "$tmp/said")" ] ||
		fail "all: event $event has $(json "total.events[$event].enabled") ns, perf says $(cat "$tmp/said")"
done
pass "all: enabled and running are $(cat "$tmp/said"), as perf says"

# Without them nothing is said; no figure is 0 that nobody measured.
perf record -q -o "$tmp/plain" -e cpu-clock -- true >"$tmp/record" 2>&1 9>&- || skip "perf cannot record here"
rt --json -i "$tmp/plain"
expect_status 0 "plain"
[ "$(json 'total.events[0].enabled')$(json 'total.events[0].running')" = -- ] ||
	fail "plain: enabled $(json 'total.events[0].enabled') though no record says it"
pass "plain: null"
