#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --control: a script's orders by a FIFO, each answered when it was obeyed; marks have their names, a pause samples nothing,
# what is no order is counted, and stop ends with the total.  The FIFOs that were made are gone then.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/orders.sh"
need_perf
command -v python3 >/dev/null || skip "no python3 to judge the report"

rt_launch -e cpu-clock -d 0.2 --control "$orders_control" -- sh -c 'while :; do :; done'
orders_open 10
[ "$(stat -c %a "$tmp/ctl")" = 600 ] || fail "others may write to it"
wait_until 10 reports 1 || fail "nothing is measured"
order ping
order 'mark deploy 42'
order pause
n=$(grep -c '"type":"interval"' "$out")
wait_until 10 reports $((n + 4)) || fail "while it is paused no report comes"
order resume
printf 'nonsense\n\033[31mmark\n%300s\n' x >&5
printf 'mark "q\\"\xff\n' >&5
read -r -t 10 answer <&6 || fail "a mark of odd bytes is not answered"
order stop
wait "$rt_pid" 2>/dev/null
python3 - "$out" "$n" <<'EOS' || fail "the report is wrong"
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1], errors="surrogateescape")]
total = [l for l in lines if l["type"] == "total"][0]
intervals = [l for l in lines if l["type"] == "interval"]
if total["control"] != {"orders": 6, "unknown": 2, "too_long": 1, "unanswered": 0}:
    sys.exit(f"it counts {total['control']}")
names = [m["name"] for m in total["marks"]]
if names[0] != "deploy 42" or len(names) != 2 or not names[1].startswith('"q\\"'):
    sys.exit(f"the marks are {total['marks']}")
paused = intervals[int(sys.argv[2]) + 2:int(sys.argv[2]) + 4]
if len(paused) != 2 or any(i["events"][0]["samples"] for i in paused):
    sys.exit(f"while paused it samples {[i['events'][0]['samples'] for i in paused]}")
if not intervals[0]["events"][0]["counted"] and not intervals[1]["events"][0]["counted"]:
    sys.exit("before, nothing is counted")
EOS
{ [ -e "$tmp/ctl" ] || [ -e "$tmp/ack" ]; } && fail "the FIFOs are left"
pass "marks, a pause, what is no order, stop: $(grep -o '"control":{[^}]*}' "$out")"

touch "$tmp/file"
"$RINGTOP" --json --control "$tmp/file" -- true >"$out" 2>"$err"
[ $? = 2 ] || fail "a file is taken for a FIFO"
grep -q 'is not a FIFO' "$err" || fail "it says $(cat "$err")"
pass "what is not a FIFO is refused: $(cat "$err")"
