#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What watches at home watches a host, and a fleet, as it does this machine: alerts, marks by a condition, a script's orders, --explain.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/orders.sh"
. "$(dirname "$0")/far.sh"
need_perf
need_work spin_hot
command -v python3 >/dev/null || skip "no python3 to judge the report"
far_shell

work_start "$work/spin_hot" -s 60
"$RINGTOP" --json -H one --ssh "$far_shell" -e cpu-clock -d 0.5 -p "$work_pid" --alert 'function>50%:500ms' \
	--mark-on 'task:spin_hot>50%' --duration 3 >"$out" 2>"$err" || fail "it ends with $?: $(cat "$err")"
python3 - "$out" <<'EOS' || fail "alerts and marks of a host are wrong"
import json, sys
total = [l for l in map(json.loads, open(sys.argv[1])) if l["type"] == "total"][0]
alerts, marks = total.get("alerts", []), total.get("marks", [])
if [a["condition"] for a in alerts] != ["function>50%:500ms"] or alerts[0]["until"] is not None:
    sys.exit(f"the alerts are {alerts}")
if not marks or not marks[0]["name"].startswith("task:spin_hot>50% ("):
    sys.exit(f"the marks are {marks}")
EOS
pass "an alert and a mark of a host: $(grep -o '"alerts":\[{[^}]*}' "$out" | tail -n 1)"

rt_launch -H one,two --ssh "$far_shell" -e cpu-clock -d 0.2 -p "$work_pid" --control "$orders_control"
orders_open 20
wait_until 20 reports 3 || fail "nothing is measured: $(cat "$err")"
order 'mark deploy'
order pause
n=$(grep -c '"type":"interval"' "$out")
wait_until 10 reports $((n + 10)) || fail "while it is paused no report comes"
order resume
n=$(grep -c '"type":"interval"' "$out")
wait_until 10 reports $((n + 10)) || fail "after it no report comes"
order stop
wait "$rt_pid" 2>/dev/null
python3 - "$out" "$n" <<'EOS' || fail "orders to a fleet are obeyed otherwise"
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
resumed = int(sys.argv[2])
total = [l for l in lines if l["type"] == "total"][0]
samples = [sum(e["samples"] for e in l["events"]) for l in lines if l["type"] == "interval"]
if [m["name"] for m in total.get("marks", [])] != ["deploy"]:
    sys.exit(f"the marks are {total.get('marks')}")
if any(samples[resumed - 4:resumed - 1]):
    sys.exit(f"while paused it samples {samples}")
if not any(samples[resumed:]) or not any(samples[:4]):
    sys.exit(f"else it does not: {samples}")
EOS
pass "a script's orders to a fleet: $(grep -o '"control":{[^}]*}' "$out")"

"$RINGTOP" --explain -H one --ssh "$far_shell" -e cpu-clock -d 2 -p "$work_pid" >"$out" 2>"$err" ||
	fail "--explain ends with $?: $(cat "$err")"
grep -qE '^- .*(spin_hot|hot).* has [0-9.]+% of the time' "$out" || fail "of a host it says: $(cat "$out")"
pass "of a host: $(grep -m 1 'of the time' "$out")"
