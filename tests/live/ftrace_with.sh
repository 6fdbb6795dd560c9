#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --ftrace with what else there is, to the hit: threads, CPUs, a CPU that goes and comes, pairs, the event log, another
# machine, perf's events beside it; and its buffers' gauges beside the kernel's own stats.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"
need_instances

calls=20000
storm() { # CPU
	taskset -c "$1" "$work/storm_exact" $calls
}

# value EXPRESSION: of the total (t), of what comes by ftrace
value() {
	python3 - "$out" "$1" <<'PY'
import json, sys
reports = [json.loads(line) for line in open(sys.argv[1])]
t = reports[-1]
assert t["type"] == "total", t["type"]
rings = [r for r in t["rings"] if r["kind"] == "ftrace"]
hits = sum(r["read_events"] + r["overrun"] + r["commit_overrun"] + r["dropped_events"] + r["entries"] for r in rings)
storm = sum(r["samples"] for r in t["tasks"] if r["comm"] == "storm_exact")
lost = sum(sum(e["lost"].values()) for e in t["events"])
print(eval(sys.argv[2]))
PY
}

getppid=(--ftrace raw_syscalls:sys_enter --filter 'id == 110')

# --off-cpu takes switches and wakings, not the other events' records: a record of --ftrace that it tried to read would be
# refused, for it is shorter than a waking's.
rt --json --off-cpu --ftrace raw_syscalls:sys_exit -- "$work/storm_exact" 2000
expect_status 0 "--off-cpu beside --ftrace"
refused=$(grep -o 'dropped switch records: [0-9]* (queue full)' "$out" | grep -o '[0-9]*' | tail -n 1)
[ "${refused:-2000}" -lt 2000 ] || fail "--off-cpu refused ${refused:-what?} records of --ftrace"

# A CPU alone, and all of them with one that goes and comes.
rt_start -C 0 "${getppid[@]}"
storm 0
! taskset -c 1 true 2>/dev/null || storm 1
rt_stop
expect_status 0 "-C 0"
[ "$(value 'storm, lost')" = "($((calls - 1)), 0)" ] || fail "-C 0: $(value 'storm, lost') of $((calls - 1))"
switch=/sys/devices/system/cpu/cpu1/online
if [ -w $switch ]; then
	on_exit "echo 1 >$switch"
	offline() { has_text "$out" '"cpu":1,"kind":"ftrace","mode":"overwrite","state":"offline"'; }
	back() { tail -n 1 "$out" | grep -q '"cpu":1,"kind":"ftrace","mode":"overwrite","state":"live"'; }
	rt_start -d 0.2 "${getppid[@]}"
	storm 1
	if echo 0 >$switch 2>/dev/null; then
		wait_until 10 offline || fail "cpu 1 is offline, and its buffer is not"
		storm 0
		echo 1 >$switch
		wait_until 10 back || fail "cpu 1 is back, and its buffer is not"
		storm 1
		want=$((3 * (calls - 1)))
	else
		want=$((calls - 1))
	fi
	rt_stop
	expect_status 0 "a CPU that goes and comes"
	[ "$(value 'storm, lost')" = "($want, 0)" ] || fail "a CPU that goes and comes: $(value 'storm, lost') of $want"
	[ "$(value 't["events"][0]["counted"] == hits')" = True ] || fail "a CPU that goes and comes: not what the kernel counts"
	pass "cpu 1 went and came: $want hits"
fi

# A thread.
mkfifo "$tmp/go"
(exec 8<>"$tmp/go"; exec "$work/storm_exact" $calls x <&8) &
pid=$!
started+=("$pid")
entered() { grep -q "^0 " "/proc/$pid/syscall" && [ "$(readlink "/proc/$pid/exe")" = "$(realpath "$work/storm_exact")" ]; }
wait_until 10 entered || fail "the storm does not wait"
rt_start -t "$pid" --ftrace raw_syscalls:sys_enter
echo x >"$tmp/go"
wait_until 20 gone "$rt_pid" || fail "it does not end with its thread"
[ "$(value 'storm, lost, hits')" = "($calls, 0, $calls)" ] || fail "-t: $(value 'storm, lost, hits') of $calls"

# Pairs: exit_group does not return, and of execve only the end is seen.
rt --json -m 16M --ftrace raw_syscalls:sys_enter,raw_syscalls:sys_exit --filter 'id == 110' \
	--between raw_syscalls:sys_enter,raw_syscalls:sys_exit -- "$work/storm_exact" $calls
expect_status 0 "--between"
pairs=$(value '[t["latencies"][0][k] for k in ("count", "unpaired_from", "unpaired_to", "lost")]')
[ "$pairs" = "[$((calls - 1)), 0, 0, 0]" ] || fail "--between: $pairs of $((calls - 1)) pairs"

# The event log.
rt --json --log-events -m 16M "${getppid[@]}" -- "$work/storm_exact" 5000
expect_status 0 "--log-events"
lines=$(grep -c '"type":"event".*"comm":"storm_exact".*"text":"NR 110 (.*"fields":{"id":110,' "$out")
[ "$lines" = 4999 ] || fail "--log-events: $lines lines of 4999"

# perf's beside it, by the same fields: 0 perf's, 1 ftrace's.
rt --json -m 16M -e raw_syscalls:sys_enter --filter 'id == 110' "${getppid[@]}" --by id,comm -- "$work/storm_exact" $calls
expect_status 0 "-e and --ftrace with --by"
sums=$(value '[(tuple(f["key"].values()), f["count"]) for f in t["fields"]]')
one="((110, 'storm_exact'), $((calls - 1)))"
[ "$sums" = "[$one, $one]" ] || fail "-e and --ftrace with --by: $sums"

# Another machine, which is this one.
far_shell
rt -H there --ssh "$far_shell" --json "${getppid[@]}" -- "$work/storm_exact" $calls
expect_status 0 "-H"
[ "$(value 'storm, lost, hits')" = "($((calls - 1)), 0, $((calls - 1)))" ] || fail "-H: $(value 'storm, lost, hits')"

# What the gauges say is what the kernel says, when nothing is written any more.
gauges() { # MODE
	python3 - "$out" $instances/ringtop-"$rt_pid"-* <<'PY'
import json, sys
last = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "interval"][-1]
seen = 0
for r in (r for r in last["rings"] if r["kind"] == "ftrace"):
    said = dict(line.rsplit(":", 1) for line in open("%s/per_cpu/cpu%d/stats" % (sys.argv[2], r["cpu"])))
    for ours, theirs in (("entries", "entries"), ("overrun", "overrun"), ("commit_overrun", "commit overrun"),
                         ("dropped_events", "dropped events"), ("read_events", "read events")):
        assert r[ours] == int(said[theirs]), (ours, r[ours], said)
        seen += r[ours]
    assert r["fill"] == int(said["bytes"]) / r["size"], (r, said)
    assert r["size"] == 1024 * int(open("%s/per_cpu/cpu%d/buffer_size_kb" % (sys.argv[2], r["cpu"])).read()), r
sys.exit(seen < 2 * int(19999))
PY
}
same() {
	gauges 2>"$tmp/gauges"
}
# Of the storm alone: what asks for the gauges makes system calls, too.
for mode in "" --no-overwrite; do
	# shellcheck disable=SC2086 # no mode is no word
	rt_start -d 0.2 $mode -m 64K --ftrace raw_syscalls:sys_enter --filter 'id == 110 && comm == "storm_exact"'
	storm 0
	storm 0
	wait_until 10 same || fail "gauges, mode '$mode': $(cat "$tmp/gauges")"
	rt_stop
	expect_status 0 "gauges"
	[ "$(value 'storm + lost')" = $((2 * (calls - 1))) ] || fail "gauges, mode '$mode': $(value 'storm, lost')"
done
pass "ftrace with threads, CPUs, pairs, the log, -H, perf's events and the kernel's own stats"
