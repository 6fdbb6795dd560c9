#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every tracepoint of the machine can be opened, printed and closed: in parts, drawn by a seed, as many as a time allows,
# since the kernel takes its time to close them (SECONDS_MOST=600 for all; RINGTOP_TEST_LONG: 40; SEED=n draws the same ones again).  What
# records look like of those that nothing hits is tests/unit/trace/test_print's to try.
. "$(dirname "$0")/lib.sh"
need_root
need_tracepoint sched sched_switch
command -v python3 >/dev/null || skip "no python3"

seconds=${SECONDS_MOST:-${RINGTOP_TEST_LONG:+40}}
seconds=${seconds:-6}
seed=${SEED:-${RINGTOP_TEST_SEED:-1}}
part=100

# check: lines are all that was sampled, no helper ended of it; prints lines and events that had any
check() {
	python3 - "$out" <<'END'
import json, sys
events, total = {}, None
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "event":
        events[r["event"]] = events.get(r["event"], 0) + 1
    elif r["type"] == "total":
        total = r
log = total["event_log"]
assert log["not_printed"] == 0, log
assert log["lines"] == sum(events.values()), log
assert log["lines"] + log["not_shown"] == sum(e["samples"] for e in total["events"]), log
for h in total["self"]["helpers"]:
    assert h["ends"] == 0, h
print(log["lines"], len(events))
END
}

(cd "$(tracefs)/events" && ls -d */*/) | sed -n 's#/$##; s#/#:#p' |
	grep -vE '^ftrace:|^irq_vectors:irq_work_' >"$tmp/all" # of the latter the kernel takes no samples: ringtop says so
shuf --random-source=<(yes "$(echo "$seed" | sha256sum)") "$tmp/all" >"$tmp/drawn"
all=$(wc -l <"$tmp/all")
[ "$all" -gt 0 ] || skip "tracefs lists no events"
tried=0 lines=0 hit=0
begun=$SECONDS
while [ $tried -lt "$all" ] && [ $((SECONDS - begun)) -lt "$seconds" ]; do
	args=()
	while read -r e; do
		args+=(-e "$e")
	done < <(tail -n +$((tried + 1)) "$tmp/drawn" | head -n $part)
	rt --json --log-events -a -c 1 --duration 0.5 "${args[@]}"
	expect_status 0 "events from $tried on, SEED=$seed"
	check >"$tmp/part" || fail "events from $tried on, SEED=$seed: the log breaks a rule"
	read -r n of <"$tmp/part"
	tried=$((tried + ${#args[@]} / 2)) lines=$((lines + n)) hit=$((hit + of))
done
pass "$tried of $all tracepoints, SEED=$seed: $lines lines of $hit of them, in $((SECONDS - begun)) s"
