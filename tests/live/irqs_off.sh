#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where a timer samples, functions that allow interrupts again are marked, and their part is the sum of their rows; an
# event that counts by itself has none.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work storm_fork

rt --json -e cpu-clock -F 4999 -e page-faults -a -- "$work/storm_fork" -s 1 -- /bin/true
expect_status 0 "a storm"
check_report
python3 - "$out" <<'EOS' || fail "the marks are wrong"
import json, sys
total = [json.loads(l) for l in open(sys.argv[1]) if '"type":"total"' in l][0]
events = {e["name"]: e for e in total["events"]}
marked = {}
for f in total["functions"]:
    if f.get("interrupts_off"):
        marked.setdefault(f["event"], []).append((f["function"], f["self"]))
if "page-faults" in marked or "interrupts_off" in events["page-faults"]:
    sys.exit("page-faults: %s" % marked)
clock = marked.get("cpu-clock", [])
whole = sum(self for _, self in clock)
if abs(whole - events["cpu-clock"]["interrupts_off"]) > 0.001:
    sys.exit("%s are not %s" % (clock, events["cpu-clock"]["interrupts_off"]))
known = {"do_syscall_64", "exc_page_fault", "_raw_spin_unlock_irqrestore", "finish_task_switch"}
missing = [f["function"] for f in total["functions"] if f["event"] == "cpu-clock" and f["object"] == "[kernel]" and
           f["samples"] and f["function"].split(".")[0] in known and not f.get("interrupts_off")]
if missing:
    sys.exit("not marked: %s" % missing)
print("%.1f%% with interrupts off before: %s" % (100 * whole, clock[:4]))
EOS
pass "what allows interrupts again is marked"
