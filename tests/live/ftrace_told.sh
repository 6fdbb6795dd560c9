#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --ftrace: a burst that its reader emptied before the next interval, so that nothing waits in the buffers, is told with
# that interval or the next, in the event's account and in the rings' figures alike, which come to what the kernel's own
# stats say.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"
need_instances
chrt -f 90 true 2>/dev/null || skip "no real-time priority for a burst that nothing interrupts"

bursts=${BURSTS:-6}

# What is counted so far: by the kernel in the buffers' stats, by the intervals of the event, by the newest of the rings;
# and through how many intervals, one after the other, the last two differed at most.  A reader that answers late is told
# in the next.
sums() {
	python3 -c '
import json, sys
kernel = int(sys.argv[2])
counted, rings, differed, most = 0, 0, 0, 0
for line in open(sys.argv[1]):
    if not line.endswith("\n"):
        break
    r = json.loads(line)
    if r["type"] != "interval":
        continue
    counted += sum(e["counted"] for e in r["events"])
    rings = sum(g["read_events"] + g["overrun"] + g["commit_overrun"] + g["dropped_events"] + g["entries"]
                for g in r["rings"] if g["kind"] == "ftrace")
    late = any(g["late_ns"] for g in r["rings"])
    differed = 0 if counted == rings else differed if late else differed + 1
    most = max(most, differed)
print(kernel, counted, rings, most)' "$out" "$(ftrace_hits "$rt_pid")"
}

agree() {
	read -r kernel counted rings differed <<<"$(sums)"
	[ "$kernel" = "$1" ] && [ "$counted" = "$kernel" ] && [ "$rings" = "$kernel" ]
}

# Nobody else calls while it is looked at: only this one's children are.
mkfifo "$tmp/feed"
feeder() {
	while read -r calls; do
		chrt -f 90 "$work/storm_exact" "$calls"
	done <"$tmp/feed"
}
feeder 9>&- &
feeder=$!
started+=("$feeder")
exec 8>"$tmp/feed"

for mode in "" --no-overwrite; do
	ran=0
	# shellcheck disable=SC2086 # no mode is no word
	rt_start $mode -d 0.1 -m 1M --ftrace raw_syscalls:sys_enter --filter 'id == 110' -p "$feeder"
	wait_until 20 has_text "$out" '"type":"interval"' || fail "mode '$mode': it does not begin: $(cat "$err")"
	for ((n = 1; n <= bursts; n++)); do
		echo $((4000 + 37 * n)) >&8
		ran=$((ran + 4000 + 37 * n - 1))
		wait_until 20 agree "$ran" ||
			fail "mode '$mode', burst $n of $bursts: the kernel counted $kernel, ringtop $counted, its rings say $rings"
	done
	[ "$differed" -le 1 ] || fail "mode '$mode': for $differed intervals the event's count and the rings' were not the same"
	rt_stop
	pass "mode '$mode': $bursts bursts told, $counted of $kernel"
done
