#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --max-cpu: what costs too much is sampled less often within seconds, the log, the rates and JSON say so, and accounts hold
# across the change; a recording keeps the rate that it began with, and tracepoints theirs, and that is said.
. "$(dirname "$0")/lib.sh"
need_perf
command -v python3 >/dev/null || skip "no python3 to judge the report"

burn() {
	for _ in 1 2; do
		sh -c 'while :; do :; done' 9>&- &
		started+=("$!")
	done
}


later() {
	[ "$(sed -n '/"rate_divisor":[2-9]/p;/"rate_divisor":[1-9][0-9]/p' "$out" | wc -l)" -ge 2 ] || gone "$rt_pid"
}

burn
for target in "" "-p ${started[0]},${started[1]}"; do
	# shellcheck disable=SC2086
	rt_start -e cpu-clock/freq=50000/ --call-graph dwarf --max-cpu 1 -d 0.5 $target
	wait_until 30 later || fail "the rate is not stepped down: $(grep -o '"self":{"cpu_seconds[^}]*' "$out" | tail -n 3)"
	gone "$rt_pid" && fail "ended by itself"
	rt_stop
	python3 - "$out" <<'EOS' || fail "the report is wrong"
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1], errors="surrogateescape")]
total = [l for l in lines if l["type"] == "total"][0]
said = [m["text"] for l in lines if l["type"] == "interval" for m in l.get("log", []) if m["text"].startswith("--max-cpu 1: ")]
if not said or "of the requested rate" not in said[0]:
    sys.exit(f"the log says {said}")
last = [l for l in lines if l["type"] == "interval"][-1]
if last["self"]["rate_divisor"] < 2 or not last["self"]["cause"] or not last["self"]["cpu_limit"]:
    sys.exit(f"self is {last['self']}")
for e in total["events"]:
    for c in e["cpus"] or [e]:
        if c["counted"] != c["attributed"] + sum(c["lost"].values()) + c["pending"]: # with what is unsampled
            sys.exit(f"the account of cpu {c.get('cpu')} does not hold: {c}")
if not total["events"][0]["attributed"]:
    sys.exit("nothing is attributed")
print(said[0])
EOS
	pass "stepped down ${target:-of the whole machine}, accounts hold: $(grep -o '\-\-max-cpu 1: [^"]*' "$out" | head -n 1)"
done

# It is said once measuring has cost too much for some of its seconds, which are the longer the later it gets a CPU.
kept() {
	has_text "$out" 'does not change during a recording' || gone "$rt_pid"
}
rt_start -e cpu-clock/freq=20000/ --max-cpu 1 -d 0.5 -w "$tmp/data"
wait_until 60 kept ||
	fail "a recording's rate is not said to stay: $(grep -o '"self":{"cpu_seconds[^,]*' "$out" | tail -n 5 | paste -sd' ')"
gone "$rt_pid" && fail "a recording ends by itself"
# What ends is written whole: that may take its time beside others.
kill -INT "$rt_pid"
wait_until 60 gone "$rt_pid" || fail "a recording does not end"
wait "$rt_pid" || fail "a recording fails"
grep -q '"rate_divisor":\([2-9]\|1[0-9]\)' "$out" && fail "a recording's rate was changed"
pass "a recording keeps its rate, and that is said"

"$RINGTOP" --max-cpu 0 >"$out" 2>"$err"
[ $? = 2 ] || fail "--max-cpu 0 is taken"
"$RINGTOP" --max-cpu 101 >"$out" 2>"$err"
[ $? = 2 ] || fail "--max-cpu 101 is taken"
pass "what is no share is refused: $(cat "$err")"
