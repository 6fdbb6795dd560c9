#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --by, --between and weight= of recordings: the same numbers as perf script's lines come to, of perf's files and of our
# own; of our own file the same as the session that wrote it said; by the helper, through a pipe.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint sched sched_switch
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"
command -v perf >/dev/null || skip "no perf"

calls=${BY_CALLS:-30000}
program=(sh -c "$work/storm_exact $calls; ls -l / /usr >/dev/null; $work/storm_exact 1000")

# ours: what the report in $out says, a line for each key, and of pairs
ours() {
	python3 - "$out" <<'END'
import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
assert t["type"] == "total", t
for f in t["fields"]:
    assert sum(f["hist"]) == f["count"], f
    print("by", f["event"].split("/")[0], *("%s=%s" % kv for kv in f["key"].items()), f["count"], f["sum"], f["min"], f["max"])
for e in t["events"]:
    print("event", e["name"], e["samples"], e["attributed"], sum(f["weight"] for f in t["functions"] if f["event"] == e["name"]))
for l in t.get("latencies", []):
    assert sum(l["hist"]) == l["count"], l
    print("pairs", l["count"], l["sum"], l["min"], l["max"], l["unpaired_from"], l["unpaired_to"], l["lost"])
    print("parts", l["p50"], l["p99"])
END
}

# perfs FILE: the same of what perf script prints; the latencies themselves into $tmp/exact
perfs() {
	perf script -i "$1" --ns -F comm,tid,cpu,time,event,trace 2>/dev/null | python3 -c '
import re, sys
by, open_, times, end = {}, {}, [], {"from": 0, "to": 0}
for line in sys.stdin:
    m = re.match(r" *(.*?) +(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +(raw_syscalls:sys_\w+)\S*: +NR (-?\d+)", line)
    if not m:
        continue
    comm, tid, cpu, s, ns, event, nr = m.groups()
    time, nr = int(s) * 10**9 + int(ns), int(nr)
    k = by.setdefault((event, nr, comm), [0, 0, 1 << 64, 0])
    w = max(nr, 0) if event.endswith("enter") else 1
    by[(event, nr, comm)] = [k[0] + 1, k[1] + w, min(k[2], w), max(k[3], w)]
    if event.endswith("enter"):
        end["from"] += tid in open_
        open_[tid] = time
    elif tid in open_:
        times.append(time - open_.pop(tid))
    else:
        end["to"] += 1
for (event, nr, comm), k in by.items():
    print("by", event, "id=%d" % nr, "comm=%s" % comm, *k)
print("pairs", len(times), sum(times), min(times), max(times), end["from"] + len(open_), end["to"], 0)
times.sort()
open(sys.argv[1], "w").write("\n".join(map(str, times)))
' "$tmp/exact"
}

# same NAME FILE ARGS...: what ringtop says of the file is what perf script's lines come to
same() {
	local name=$1 file=$2

	shift 2
	rt --json -i "$file" --by id,comm --between syscalls "$@"
	expect_status 0 "$name"
	check_report
	ours >"$tmp/said" || fail "$name: the report breaks a rule"
	perfs "$file" | LC_ALL=C sort >"$tmp/want"
	grep -v '^parts\|^event' "$tmp/said" | LC_ALL=C sort | diff "$tmp/want" - || fail "$name"
	# Within one step of the histogram, which is an eighth.
	awk '/^parts/ { split($0, p) } END { print p[2], p[3] }' "$tmp/said" >"$tmp/parts"
	python3 - "$tmp/exact" $(cat "$tmp/parts") <<'END' || fail "$name: p50 and p99 are $(cat "$tmp/parts")"
import math, sys
times = [int(t) for t in open(sys.argv[1])]
for part, said in ((0.5, int(sys.argv[2])), (0.99, int(sys.argv[3]))):
    exact = times[max(math.ceil(part * len(times)), 1) - 1]
    assert exact <= said <= exact * 1.125 + 1, (part, exact, said)
END
	pass "$name: $(grep -c '^by' "$tmp/said") keys, $(sed -n 's/^pairs \([0-9]*\) .*/\1/p' "$tmp/said") pairs"
}

events=(-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit)
weight=(-e raw_syscalls:sys_enter/weight=id/)

perf record -q -m 64M -o "$tmp/perf.data" "${events[@]}" -- "${program[@]}" >/dev/null 2>&1 9>&-
same "perf's file" "$tmp/perf.data" "${weight[@]}"

# Records of what we write have their fields for perf, too.
rt --json -m 64M -e raw_syscalls:sys_enter/weight=id/ -e raw_syscalls:sys_exit --between syscalls --by id,comm -w "$tmp/ours.data" -- "${program[@]}"
expect_status 0 "recording"
ours >"$tmp/live"
same "our own file, whose names say what weighs" "$tmp/ours.data"
# Keys of as many samples stand in the order in which they came.
diff <(LC_ALL=C sort "$tmp/live") <(LC_ALL=C sort "$tmp/said") || fail "our own file says something else than the session that wrote it"
pass "our own file says what the session said that wrote it"

# Who else may write it has it read by a helper.
chmod 666 "$tmp/perf.data"
same "read by a helper" "$tmp/perf.data" "${weight[@]}"

perf record -q -m 64M -o - "${events[@]}" -- "$work/storm_exact" 1000 2>/dev/null 9>&- >"$tmp/pipe.data"
rt --json -i - --by id --between syscalls <"$tmp/pipe.data"
expect_status 0 "a pipe"
ours >"$tmp/said"
has_text "$tmp/said" "by raw_syscalls:sys_enter id=110 999 999 1 1" && has_text "$tmp/said" "pairs 999 " ||
	fail "a pipe: $(cat "$tmp/said")"
pass "a pipe"

# Rings that are too small: what was lost is in no pair.
perf record -q -m 1 -o "$tmp/lost.data" "${events[@]}" -- "$work/storm_exact" 300000 >/dev/null 2>&1 9>&-
rt --json -i "$tmp/lost.data" --between syscalls --by id
expect_status 0 "losses"
check_report
python3 - "$out" <<'END' || fail "losses: $(ours)"
import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
l = t["latencies"][0]
hits = sum(e["samples"] for e in t["events"])
assert 2 * l["count"] + l["unpaired_from"] + l["unpaired_to"] + l["lost"] == hits, (l, hits)
assert sum(sum(e["lost"].values()) for e in t["events"]) > 0 and l["lost"] > 0, t["events"]
assert l["count"] > 0 and sum(f["count"] for f in t["fields"]) == hits
END
pass "with losses: $(ours | sed -n 's/^pairs \([0-9]*\) .*/\1/p') pairs"

# A time line that was saved has them, but no records by which others could be made.
rt --json -d 0.2 -m 64M --save "$tmp/line" "${events[@]}" --by id,comm --between syscalls -- "${program[@]}"
expect_status 0 "saving a time line"
ours >"$tmp/live"
rt --json -i "$tmp/line"
expect_status 0 "a saved time line"
ours | LC_ALL=C sort | diff <(LC_ALL=C sort "$tmp/live") - || fail "a saved time line says something else than the session"
pass "a saved time line"

expect_refused "no field 'nosuch' (its fields: id, args; cpu, pid, tid, comm, stack)" -i "$tmp/perf.data" --by nosuch
expect_refused "no tracepoint block:block_rq_issue was recorded" -i "$tmp/perf.data" --between block
expect_refused "no field 'nosuch'" -i "$tmp/perf.data" --between raw_syscalls:sys_enter,raw_syscalls:sys_exit:nosuch
expect_refused "no field 'nosuch'" -i "$tmp/perf.data" -e raw_syscalls:sys_enter/weight=nosuch/
expect_refused "NAME/weight=FIELD/" -i "$tmp/perf.data" -e raw_syscalls:sys_enter
expect_refused "no tracepoint cpu-clock was recorded" -i "$tmp/perf.data" -e cpu-clock/weight=id/
perf record -q -o "$tmp/clock.data" -e cpu-clock -- true >/dev/null 2>&1 9>&-
expect_refused "no tracepoint is sampled" -i "$tmp/clock.data" --by id
expect_refused "does not keep tracepoint records" -i "$tmp/line" --by id
pass "refusals"
