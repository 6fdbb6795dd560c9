#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --between: pairs of tracepoints, to the pair: held against what a program does; sleeps of known length; losses are
# told, and never paired by a guess.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint sched sched_switch
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"

calls=${BETWEEN_CALLS:-300000}

# latency MEMBER: of the total; fails where the report breaks a rule, which is judged once
latency() {
	[ "$tmp/latency" -nt "$out" ] || latencies >"$tmp/latency" || { rm "$tmp/latency"; return 1; }
	sed -n "s/^$1 //p" "$tmp/latency"
}

latencies() {
	python3 - "$out" <<'END'
import json, sys
total, count = None, 0
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "total":
        total = r
for r in (json.loads(line) for line in open(sys.argv[1])):
    if r["type"] not in ("total", "interval"):
        continue
    l = r["latencies"][0]
    count += l["count"] if r["type"] == "interval" else 0
    assert sum(l["hist"]) == l["count"], l
    assert l["min"] <= l["p50"] <= l["p99"] <= l["max"], l
    assert abs(l["avg"] * l["count"] - l["sum"]) <= 1e-6 * l["sum"], l
l = total["latencies"][0]
assert count <= l["count"]
hits = sum(e["samples"] for e in total["events"] if e["name"] in (l["from"], l["to"]))
# Each half is in one place; but a record that is attributed may have had no field.
assert 2 * l["count"] + l["unpaired_from"] + l["unpaired_to"] + l["lost"] == hits, (l, hits)
for member in l:
    print(member, l[member])
END
}

# exit_group does not return, and of execve only the end is seen: events count from there on.
exact() {
	expect_status 0 "$1"
	check_report
	[ "$(latency count)" = $((calls - 1)) ] || fail "$1: $(latency count) pairs of $((calls - 1)), lost $(latency lost)"
	[ "$(latency unpaired_from) $(latency unpaired_to) $(latency lost)" = "1 1 0" ] ||
		fail "$1: unpaired $(latency unpaired_from), $(latency unpaired_to), lost $(latency lost)"
	pass "$1: $(latency count) pairs, p50 $(latency p50) ns, p99 $(latency p99) ns"
}

rt --json -m 64M --between syscalls -- "$work/storm_exact" $calls
exact "by thread"
rt --json -d 0.2 -m 64M -c 1 -e raw_syscalls:sys_exit --between raw_syscalls:sys_enter,raw_syscalls:sys_exit:id -- "$work/storm_exact" $calls
exact "by a field, with an event of -e"

# counted NAME: of an event of the total
counted() {
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "total":
        print(*[e[sys.argv[3]] if sys.argv[3] == "counted" else e["lost"][sys.argv[3]]
                for e in r["events"] if e["name"] == sys.argv[2]])' "$out" "$1" "${2:-counted}"
}

# A storm on each CPU, as fast as they go, and the same session's recording, read by perf: each pair is known there, to
# the ns.  What a histogram says may be one step of it away, and not below: an eighth of a power of two.
storms=
for ((i = $(nproc); i; i--)); do
	storms+="'$work/storm_exact' $((2 * calls / $(nproc) + 1)) & "
done
only=(-e raw_syscalls:sys_enter --filter "id == 110" -e raw_syscalls:sys_exit --filter "id == 110")
rt --json -m 64M "${only[@]}" -w "$tmp/exact.data" --between syscalls -- bash -c "$storms wait"
expect_status 0 "beside a list of all pairs"
if command -v perf >/dev/null && [ "$(latency lost)" = 0 ] && [ "$(counted raw_syscalls:sys_exit overwritten)" = 0 ]; then
	perf script -i "$tmp/exact.data" --ns -F tid,time,event 2>/dev/null >"$tmp/list"
	said=$(python3 - "$tmp/list" "$out" <<'END'
import json, math, re, sys
line = re.compile(r"\s*(\d+)\s+(\d+)\.(\d{9}):\s+(?:\d+\s+)?raw_syscalls:sys_(enter|exit)")
entered, took, times, total = {}, [], {}, None
for text in open(sys.argv[1]):
    m = line.match(text)
    if not m:
        continue
    tid, at = m[1], int(m[2]) * 10**9 + int(m[3])
    if m[4] == "enter":
        entered[tid] = at
        times[at // 10**8] = times.get(at // 10**8, 0) + 1
    elif tid in entered:
        took.append(at - entered.pop(tid))
took.sort()
for text in open(sys.argv[2]):
    r = json.loads(text)
    total = r if r["type"] == "total" else total
l = total["latencies"][0]
assert len(took) == l["count"], (len(took), l["count"])
assert (sum(took), took[0], took[-1]) == (l["sum"], l["min"], l["max"]), l
for name, part in (("p50", 0.5), ("p99", 0.99)):
    exact = took[math.ceil(part * len(took)) - 1]
    e = exact.bit_length() - 1
    step = 1 if exact < 8 else 1 << (e - 3)
    assert exact <= l[name] < exact + step, (name, exact, l[name], step)
    print(f"{name} {l[name]} of {exact},", end=" ")
print(f"{len(took)} pairs, {max(times.values()) * 10} calls/s in the busiest 100 ms")
END
	) || fail "beside a list of all pairs: $said"
	holds "$(latency count) >= 2 * $calls" || fail "beside a list of all pairs: only $(latency count)"
	pass "beside a list of all pairs: $said"
else
	pass "not held against a list of all pairs: no perf, or halves were lost ($(latency lost))"
fi

# so_far NAME: of it overwritten in all intervals until now
so_far() {
	python3 -c 'import json, sys
print(sum(e["lost"]["overwritten"] for line in open(sys.argv[1]) if line.endswith("\n") for r in [json.loads(line)]
          if r["type"] == "interval" for e in r["events"] if e["name"] == sys.argv[2]))' "$out" "$1"
}

# Rings that are too small.  The storm is between two calls whenever the reader of its CPU runs; who sleeps is in one,
# whose other half may be lost from then on, and is told as lost.  What is lost before it sleeps is not its: the storm
# waits until all of that has been told, in an interval that began when it slept.
gone=0
mkfifo "$tmp/begin"
exec 7<>"$tmp/begin"
for ((i = 0; i < 5 && !gone; i++)); do
	rm -f "$tmp/sleeps"
	rt_launch -d 0.2 -m 8k --between syscalls -- bash -c "
		sleep 1000 & pid=\$!
		until [ \"\$(cut -d' ' -f1 /proc/\$pid/syscall)\" = 230 ]; do :; done
		: >'$tmp/sleeps'
		read -r <'$tmp/begin'
		'$work/storm_exact' $((calls * 2))
		kill \$pid" 7>&-
	wait_until 20 [ -e "$tmp/sleeps" ] || fail "losses: nobody sleeps"
	wait_until 20 has_lines "$out" $(($(wc -l <"$out") + 2)) || fail "losses: no interval while it sleeps"
	before=$(so_far raw_syscalls:sys_enter) || fail "losses: the report breaks a rule"
	echo >&7
	wait_until 60 gone "$rt_pid" || fail "losses: it does not end"
	wait "$rt_pid"
	rt_status=$?
	expect_status 0 "losses"
	check_report
	latency count >"$tmp/count" || fail "losses: the report breaks a rule"
	all=$(counted raw_syscalls:sys_enter overwritten)
	gone=$((all - before))
done
if [ "$gone" -gt 0 ]; then
	[ "$(latency lost)" -gt 0 ] || fail "losses: $gone first halves are overwritten while one sleeps, which waits for no other"
	holds "$(cat "$tmp/count") <= $(counted raw_syscalls:sys_enter) - $all" || fail "losses: more pairs than first halves"
	pass "with losses: $(cat "$tmp/count") pairs, $(latency lost) halves lost, beside $gone overwritten, $before before"
else
	pass "not held with losses: there were none in $i runs"
fi

# Sleeps of a known length.
rt --json -m 16M --between sched:sched_switch,sched:sched_waking:prev_pid=pid -- \
	python3 -c 'import time; [time.sleep(0.02) for i in range(20)]'
expect_status 0 "by fields of other names"
rt --json -m 16M -e raw_syscalls:sys_enter --filter "id == 230" --between syscalls -- \
	python3 -c '
import sys, time
took = []
for i in range(20):
    begun = time.monotonic_ns()
    time.sleep(0.02)
    took.append(time.monotonic_ns() - begun)
print(sorted(took)[9], file=open(sys.argv[1], "w"))' "$tmp/took"
expect_status 0 "sleeps"
[ "$(latency count)" = 20 ] || fail "sleeps: $(latency count) of 20"
# the program saw each of them take longer than the kernel; the median is told by the end of its step
read -r took <"$tmp/took"
holds "20000000 <= $(latency min) && $(latency p50) <= 1.125 * $took + 1" ||
	fail "sleeps: from $(latency min) ns, median $(latency p50) ns, the program says $took ns"
pass "20 sleeps of 20 ms: from $(latency min) ns, p50 $(latency p50) ns, the program says $took ns"

rt --text --between syscalls -- true
expect_status 0 "text"
grep -q 'from raw_syscalls:sys_enter to raw_syscalls:sys_exit by thread' "$out" || fail "text: $(cat "$out")"
pass "text"

# Rings opened anew while it goes on: a recording that finds no room ends, the session does not.  While they are closed,
# which takes the longer the more the machine does, nothing is counted; half of the calls are.  What came meanwhile
# is lost, and no pair is guessed: none takes longer than the program between two calls.
(ulimit -f 98304; rt --json -m 16M -w "$tmp/full.data" --between syscalls -- "$work/storm_exact" $((calls * 10)); echo "$rt_status" >"$tmp/status")
rt_status=$(cat "$tmp/status")
latency count >"$tmp/count" || fail "opened anew: the report breaks a rule"
grep -q 'full.data' "$out" || fail "opened anew: the recording did not end"
n=$(counted raw_syscalls:sys_enter)
holds "$n > $calls * 5 && $n <= $calls * 10" || fail "opened anew: $n calls counted of $((calls * 10))"
holds "$(cat "$tmp/count") > $calls * 5 && $(cat "$tmp/count") < $n" || fail "opened anew: $(cat "$tmp/count") pairs of $n"
pass "opened anew: $(cat "$tmp/count") pairs of $n, $(latency lost) halves lost, at most $(latency max) ns"

# refused WORD ARGS...
refused() {
	expect_refused "$@" -- true
}

refused "is not A,B" --between nonsense
refused "is not A,B" --between raw_syscalls:sys_enter,raw_syscalls:sys_exit:
refused "is the start and the end" --between raw_syscalls:sys_enter,raw_syscalls:sys_enter
refused "no field 'nosuch'" --between raw_syscalls:sys_enter,raw_syscalls:sys_exit:nosuch
refused "is a text" --between sched:sched_waking,sched:sched_switch:comm=next_comm
refused "every hit" -c 100 -e raw_syscalls:sys_enter --between syscalls
pass "refusals"
