#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SIGUSR1 sets a mark where there is no screen: the interval in which it came has it, no other has, and the total has
# all; as JSON and as text, live and while a file is read.  One that comes early ends nothing.
. "$(dirname "$0")/lib.sh"
need_perf
command -v python3 >/dev/null || skip "no python3 to judge the report"

# main() has begun: the loader before it is killed as any program is.
holds_usr1() {
	local blocked

	blocked=$(awk '/^SigBlk:/ { print $2 }' "/proc/$rt_pid/status" 2>/dev/null)
	((0x${blocked:-0} & 0x200))
}

has_marks() {
	[ "$(grep -c '"marks":' "$out")" -ge "$1" ]
}

rt_launch -d 0.2 -- sleep 60
wait_until 5 holds_usr1 || fail "it does not start"
kill -USR1 "$rt_pid"
wait_until 10 rt_measures
gone "$rt_pid" && fail "an early SIGUSR1 ended it"
before=$(date +%s%3N)
kill -USR1 "$rt_pid"
after=$(date +%s%3N)
wait_until 10 has_marks 2 || fail "no interval has a mark after SIGUSR1"
rt_stop
check_report
[ "$rt_status" -lt 128 ] || fail "it ends with $rt_status"
python3 - "$out" "$before" "$after" <<'EOS' || fail "the marks are wrong"
import json, sys, time
lines = [json.loads(l) for l in open(sys.argv[1])]
start, before, after = lines[0]["start"], int(sys.argv[2]) / 1000, int(sys.argv[3]) / 1000
intervals = [l for l in lines if l["type"] == "interval"]
total = [l for l in lines if l["type"] == "total"][0]
told = [m for l in intervals for m in l.get("marks", [])]
if told != total["marks"] or len(told) != 2:
    sys.exit(f"the intervals have {told}, the total {total['marks']}")
for l in intervals:
    for m in l.get("marks", []):
        if not l["time"] - l["seconds"] - 0.002 <= m["time"] <= l["time"] + 0.002:
            sys.exit(f"{m} is not in the interval of {l['seconds']} s up to {l['time']}")
last = told[1]
if not before - 0.25 <= start + last["time"] <= after + 0.25:
    sys.exit(f"{last} is {start + last['time']}, the signal came at {before} to {after}")
days = [time.strftime("%H:%M:%S", time.localtime(start + last["time"] + d)) for d in (-0.01, 0.01)]
if last["name"] not in days:
    sys.exit(f"{last} is not called {days}")
EOS
pass "two signals are two marks, each in its interval: $(grep -o '"marks":[^]]*]' "$out" | tail -n 1)"

# Text; and a file, whose clock stands still while nothing of it comes.
env --default-signal=INT "$RINGTOP" --text -d 0.2 -- sleep 60 >"$out" 2>"$err" 9>&- &
rt_pid=$!
started+=("$rt_pid")
wait_until 10 has_text "$out" "at 0" || fail "no first interval as text"
kill -USR1 "$rt_pid"
wait_until 10 has_text "$out" "  mark at " || fail "the text has no mark"
rt_stop
[ "$(grep -c '^  mark at [0-9.]* s: [0-9:]*$' "$out")" = 2 ] || fail "the interval and the total are to have it"
pass "text: $(grep -m 1 '  mark at' "$out")"

mkfifo "$tmp/file"
exec 7<>"$tmp/file"
rt_launch -i "$tmp/file"
wait_until 5 holds_usr1 || fail "it does not start"
kill -USR1 "$rt_pid"
gone "$rt_pid" && fail "SIGUSR1 ended it while it waits for a file"
rt_stop
pass "while it waits for a file SIGUSR1 does not end it"
