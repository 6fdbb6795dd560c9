#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The event log: every record is a line, or counted as one that is not shown or was lost; lines are perf script's and the
# kernel's own, in order of time; of a file by the file's formats; a storm costs neither counts nor memory.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint sched sched_switch
need_work storm_exact storm_switch
command -v python3 >/dev/null || skip "no python3"

calls=${LOG_CALLS:-300000}

# log: lines, not_shown, lost and not_printed of the total; fails where what stands in the report is not what it counts.
# At the end what is being printed is waited for, but not without end: on a busy machine some may be not printed.
log() {
	python3 - "$out" <<'END'
import json, sys
n, last, total = 0, 0, None
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "event":
        n += 1
        assert r.get("late") or r["time"] >= last, (r, last)
        last = max(last, r["time"])
        assert r["fields"], r
    elif r["type"] == "total":
        total = r
log = total["event_log"]
assert n == log["lines"], (n, log)
assert log["lines"] + log["not_shown"] + log["not_printed"] == sum(e["samples"] for e in total["events"]), (log, total["events"])
print(log["lines"], log["not_shown"], log["lost"], log["not_printed"])
END
}

rt --json --log-events -m 64M -e raw_syscalls:sys_enter -c 1 -- "$work/storm_exact" 5000
expect_status 0 "a small storm"
check_report
[ "$(log)" = "5000 0 0 0" ] || fail "a small storm: $(log) of 5000 calls"
grep '"type":"event"' "$out" | tail -n 1 | grep -q '"comm":"storm_exact".*"text":"NR 231 (.*"fields":{"id":231,' ||
	fail "the last call is exit_group: $(grep '"type":"event"' "$out" | tail -n 1)"
pass "every record is a line: 5000 calls"

rt --json --log-events -m 64M -e raw_syscalls:sys_enter -c 1 -- "$work/storm_exact" "$calls"
expect_status 0 "a storm"
check_report
log >"$tmp/log" || fail "a storm: the log breaks a rule"
read -r lines hidden lost late <"$tmp/log"
[ $((lines + hidden + lost + late)) = "$calls" ] || fail "a storm: $lines lines, $hidden not shown, $lost lost, $late not printed of $calls calls"
[ "$lines" -gt 0 ] || fail "a storm: no line"
pass "a storm of $calls calls: $lines lines, $hidden not shown, $lost lost, $late not printed"

# An event that comes by the hundred thousand does not hide one that comes seldom.
rt --json --log-events -m 64M -e raw_syscalls:sys_enter -e sched:sched_process_exit -c 1 -- \
	sh -c '"$0" "$1" & for i in 1 2 3 4 5 6 7 8; do /bin/true; done; wait' "$work/storm_exact" "$calls"
expect_status 0 "a rare event"
check_report
log >"$tmp/log" || fail "a rare event: the log breaks a rule"
read -r lines hidden lost late <"$tmp/log"
nr=$(grep -c '"type":"event".*"event":"sched:sched_process_exit"' "$out")
exits=$(json total.events[name=sched:sched_process_exit].samples)
[ "$nr" = "$exits" ] || { [ "$nr" -lt "$exits" ] && [ $((nr + late)) -ge "$exits" ]; } ||
	fail "a rare event: $nr lines of $exits, $late not printed"
pass "a rare event beside a storm: $nr lines of $exits, $late not printed"

# Rings that are too small: what is lost is told apart.
rt --json --log-events -m 1 --no-overwrite -e raw_syscalls:sys_enter -c 1 -- "$work/storm_exact" "$calls"
expect_status 0 "losses"
check_report
log >"$tmp/log" || fail "losses: the log breaks a rule"
read -r lines hidden lost late <"$tmp/log"
[ $((lines + hidden + lost + late)) = "$calls" ] || fail "losses: $lines lines, $hidden not shown, $lost lost, $late not printed of $calls calls"
pass "with losses: $lines lines, $hidden not shown, $lost lost, $late not printed"

# The text form has the same lines.
rt --text --log-events -m 64M -e raw_syscalls:sys_enter -c 1 -- "$work/storm_exact" 5000
expect_status 0 "text"
nr=$(grep -cE '^[0-9]+\.[0-9]{9} \[[0-9]{3}\] storm_exact-[0-9]+ raw_syscalls:sys_enter: NR ' "$out")
[ "$nr" = 5000 ] || fail "text: $nr lines of 5000"
pass "text: a line for each"

rt --text --log-events -e cpu-clock -- true
expect_status 2 "no tracepoint"
grep -q 'no tracepoint is sampled' "$err" || fail "no tracepoint: $(cat "$err")"

# What the kernel itself and perf make of the same records, of a file of perf's.
need_stock_perf
events=(raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch sched:sched_waking sched:sched_process_exec)
for e in block:block_rq_issue irq:softirq_entry irq:irq_handler_entry timer:hrtimer_expire_entry; do
	[ -d "$(tracefs)/events/${e/://}" ] && events+=("$e")
done
args=()
for e in "${events[@]}"; do
	args+=(-e "$e")
done
perf record -q -a -m 16M "${args[@]}" -o "$tmp/perf.data" -- \
	sh -c '"$0" 20000; dd if=/dev/zero of="$1" bs=64k count=16 conv=fsync 2>/dev/null' "$work/storm_exact" "$tmp/block" \
	>/dev/null 2>&1 || skip "perf cannot record tracepoints here"
perf script -F event,trace -i "$tmp/perf.data" 2>/dev/null | sed 's/^ *//; s/ *$//' >"$tmp/perf.txt"
chown nobody "$tmp/perf.data" 2>/dev/null # not root's: by a helper
rt --text --log-events -i "$tmp/perf.data"
expect_status 0 "perf's file"
sed -nE 's/^[0-9]+\.[0-9]{9} \[[0-9]{3}\] .*-[0-9]+ ([a-z_]+:[a-z_]+: .*)$/\1/p' "$out" | sed 's/ *$//' >"$tmp/our.txt"
[ "$(wc -l <"$tmp/our.txt")" = "$(wc -l <"$tmp/perf.txt")" ] ||
	fail "perf's file: $(wc -l <"$tmp/our.txt") lines, perf script has $(wc -l <"$tmp/perf.txt")"
diff <(sort "$tmp/our.txt") <(sort "$tmp/perf.txt") >"$tmp/diff" || fail "perf's file: $(head -n 4 "$tmp/diff")"
pass "perf's file: $(wc -l <"$tmp/perf.txt") lines are perf script's"

# The kernel's own text, in an instance of our own.
instance=$(tracefs)/instances/ringtop-log-$$
if mkdir "$instance" 2>/dev/null; then
	on_exit "rmdir '$instance'"
	echo 1 >"$instance/events/sched/sched_process_exec/enable"
	rt --text --log-events -e sched:sched_process_exec -c 1 -a -- sh -c '/bin/true; /bin/false; exit 0'
	echo 0 >"$instance/events/sched/sched_process_exec/enable"
	# Others start these programs, too, before and behind us.
	for program in true false; do
		line=$(sed -nE "s/.*sched:sched_process_exec: (filename=\/bin\/$program pid=[0-9]+ old_pid=[0-9]+)$/\1/p" "$out" | head -n 1)
		[ -n "$line" ] || fail "no line for the exec of $program"
		grep -qF "sched_process_exec: $line" "$instance/trace" || fail "the kernel's trace has no line '$line'"
	done
	pass "lines are the kernel's own"
fi
