#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# trace.dat with -i: counts of each event and thread, losses, and pairs are what trace-cmd report's lines come to, of both
# versions, packed or not, also where a helper reads it; the event log has its lines; what is cut or none is said.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint sched sched_switch
need_work storm_exact
need_instances
command -v python3 >/dev/null || skip "no python3"
command -v trace-cmd >/dev/null || skip "no trace-cmd"

calls=${TRACEDAT_CALLS:-20000}
maker=$(dirname "$0")/tracedat.py
events=raw_syscalls:sys_enter,raw_syscalls:sys_exit,sched:sched_switch

# ours: the same lines, of the report in $out
ours() {
	python3 - "$out" <<'END'
import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
assert t["type"] == "total", t
for e in t["events"]:
    assert e["counted"] == e["attributed"] + sum(e["lost"].values()) and e["attributed"] == e["samples"], e
    assert e["samples"] == sum(k["samples"] for k in t["tasks"] if k["event"] == e["name"]), e
tasks = {}
for k in t["tasks"]: # a thread that was renamed stands there by each name
    key = k["event"].split(":")[1], k["tid"]
    tasks[key] = tasks.get(key, 0) + k["samples"]
for (event, tid), n in tasks.items():
    print("task", event, tid, n)
l = t["latencies"][0]
print("pairs", l["count"], l["sum"], l["min"], l["max"], l["unpaired_from"], l["unpaired_to"])
print("lost", sum(sum(e["lost"].values()) for e in t["events"]))
END
}

# same NAME FILE
same() {
	rt --json -i "$2" --between syscalls
	expect_status 0 "$1"
	check_report
	ours | LC_ALL=C sort >"$tmp/said" || fail "$1: the report breaks a rule"
	trace-cmd report -t -i "$2" 2>/dev/null | python3 "$maker" report | LC_ALL=C sort >"$tmp/want"
	[ "$(wc -l <"$tmp/want")" -gt 5 ] || fail "$1: trace-cmd says nothing of it"
	diff "$tmp/want" "$tmp/said" || fail "$1: ringtop (>) and trace-cmd (<) differ"
	pass "$1: $(grep -c ^task "$tmp/said") tasks, $(sed -n 's/^pairs \([0-9]*\) .*/\1/p' "$tmp/said") pairs, $(tail -n +1 "$tmp/said" | sed -n 's/^lost //p') lost"
}

python3 "$maker" record "$tmp/six.dat" 16384 $events "" sh -c "$work/storm_exact $calls; ls -l / /usr" 9>&- ||
	fail "cannot record in an instance"
same "version 6" "$tmp/six.dat"
enters=$(awk '$2 == "sys_enter" && $4 > n { n = $4 } END { print n }' "$tmp/said")
[ "$enters" -ge $((calls - 1)) ] || fail "version 6: $enters calls of a storm of $calls"

for packer in none zstd; do
	trace-cmd convert --file-version 7 --compression $packer -i "$tmp/six.dat" -o "$tmp/$packer.dat" >"$tmp/convert" 2>&1 || {
		echo "trace-cmd cannot pack with $packer: $(tail -n 1 "$tmp/convert")"
		continue
	}
	same "version 7, $packer" "$tmp/$packer.dat"
	chmod 666 "$tmp/$packer.dat"
	same "version 7, $packer, read by a helper" "$tmp/$packer.dat"
done

# The list of names may have all of a machine's tasks: only those that records are of take room.
rt --json -i "$tmp/six.dat" --between syscalls --max-memory 16M
expect_status 0 "little memory"
ours | LC_ALL=C sort | cmp - "$tmp/want" || fail "little memory: the report says something else"

# Lines of the log: as many as trace-cmd prints, and of each thread's calls the same ones in the same order.
rt --text --log-events -i "$tmp/six.dat"
expect_status 0 "the event log"
sed -n 's/^[0-9.]* \[[0-9]*\] .*-\([0-9]*\) raw_syscalls:sys_enter: NR \(-\?[0-9]*\) .*/\1 \2/p' "$out" >"$tmp/said"
trace-cmd report -i "$tmp/six.dat" 2>/dev/null | sed -n 's/^ *.*-\([0-9]*\) *\[[0-9]*\].* sys_enter: *NR \(-\?[0-9]*\) .*/\1 \2/p' >"$tmp/want"
lines=$(wc -l <"$tmp/want")
[ "$lines" -ge "$calls" ] && cmp "$tmp/want" "$tmp/said" || fail "the event log: $(wc -l <"$tmp/said") lines, trace-cmd $lines"
pass "the event log: $lines lines"

# A buffer that is too small, of one event: what was read and what was lost is every call, to the event.
python3 "$maker" record "$tmp/lost.dat" 8 raw_syscalls:sys_enter 'id == 110' "$work/storm_exact" "$calls" 9>&- ||
	fail "cannot record in a small instance"
rt --json -i "$tmp/lost.dat"
expect_status 0 "losses"
check_report
python3 - "$out" $((calls - 1)) <<'END' || fail "losses"
import json, sys
e, = [json.loads(line) for line in open(sys.argv[1])][-1]["events"]
print(e["samples"], "read,", sum(e["lost"].values()), "lost")
assert e["counted"] == int(sys.argv[2]) and e["lost_exact"] and e["lost"]["full"] > 0 and e["samples"] > 0, e
END
pass "losses of one event are exact"

# Cut off in its pages: what came before counts, and the end says so; in its head: there is nothing.
size=$(stat -c %s "$tmp/six.dat")
head -c $((size - 5000)) "$tmp/six.dat" >"$tmp/cut.dat"
rt --json -i "$tmp/cut.dat"
expect_status 1 "cut off"
grep -q "the file is cut off" "$err" || fail "cut off: $(cat "$err")"
check_report

# refused WORD FILE
refused() {
	rt --text -i "$2"
	expect_status 1 "$1"
	[ "$(wc -l <"$err")" -le 2 ] && grep -qF -- "$1" "$err" || fail "'$1' is not said: $(cat "$err")"
}

head -c 3000 "$tmp/six.dat" >"$tmp/cut.dat"
refused "the file ends within its" "$tmp/cut.dat"
rt --text -i - < <(cat "$tmp/six.dat")
expect_status 1 "a pipe"
grep -q "must be a file, not a pipe" "$err" || fail "a pipe: $(cat "$err")"
{ head -c 10 "$tmp/six.dat" && printf 9 && tail -c +12 "$tmp/six.dat"; } >"$tmp/nine.dat"
refused "its version is 9" "$tmp/nine.dat"
pass "what is cut or none"
