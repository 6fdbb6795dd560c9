#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads lose their CPU in several ways: of a recording each one's times preempted and yielded are
# what perf script says of its switches by prev_state and call path, to the nanosecond: of threads
# that sleep, yield and are preempted on one CPU, and of kernel threads, which are idle when it says
# so.  Live each of them has its own state.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
waits_told=$tmp/said
need_stock_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work states_known
command -v python3 >/dev/null || skip "no python3"
grep ' [tT] .*sys_sched_yield$' /proc/kallsyms | grep -qv '^0* ' ||
	skip "the kernel hides its addresses"

# perf's own words against the report; those that lack a switch are left out.
compare() {
	perf script --ns -F tid,cpu,time,event,trace,ip,sym -i "$tmp/data" 2>/dev/null | python3 -c '
import json, re, sys
head = re.compile(r"(\d+)\.(\d{9}):\s+sched:")
switch = re.compile(r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)")
scheduler = re.compile(r"(__)?schedule|preempt_schedule|perf_|trace|__traceiter|__bpf")
kinds = ("preempted", "yielded", "idle", "stopped")
went, known, holed, now, frames, last = {}, {}, set(), None, [], 0
def settle():
    if not now:
        return
    time, prev, state, into = now
    if into in went:
        since, kind = went.pop(into)
        known.setdefault(into, {}).setdefault(kind, []).append(time - since)
    if prev in went:
        holed.add(prev)
    caller = next((f for f in frames if not scheduler.match(f)), "")
    kind = "other"
    if "+" in state:
        kind = "preempted"
    elif state == "R":
        off = "exit_to_user" in caller or caller == "do_syscall_64"
        kind = "yielded" if "sched_yield" in caller else "preempted" if off else "other"
    elif "I" in state or "P" in state:
        kind = "idle"
    elif state in "Tt":
        kind = "stopped"
    if prev and state[0] not in "XZ":
        went[prev] = time, kind
    else:
        went.pop(prev, None)
for text in sys.stdin:
    m = head.search(text)
    if m:
        settle()
        last, frames, now = int(m[1]) * 10**9 + int(m[2]), [], None
        s = switch.search(text)
        if s:
            now = last, int(s[1]), s[2], int(s[3])
    elif now and text.split():
        frames.append((text.split() + [""])[1])
settle()
for tid, (since, kind) in went.items(): # what goes on is told of up to the end
    known.setdefault(tid, {}).setdefault(kind, []).append(last - since)
ours = {}
for text in open(sys.argv[1]):
    report = json.loads(text)
    for t in report["tasks"] if report["type"] == "total" else []:
        if t["event"].startswith("off-cpu:"):
            of = ours.setdefault(t["tid"], {})
            kind = t["event"].split(":")[1]
            of[kind] = of.get(kind, 0) + t["weight"]
tids = dict(re.findall(r"(\w+)_tid=(\d+)", open(sys.argv[2]).read()))
named = {int(tid): name for name, tid in tids.items()}
wrong = idle = 0
for tid in set(known) - holed:
    if tid in ours and (tid in named or "idle" in known[tid]):
        theirs = {kind: sum(known[tid].get(kind, [])) for kind in kinds}
        has = {kind: ours[tid].get(kind, 0) for kind in kinds + ("resting",)}
        idle += has["idle"] > 0
        # Behind its waking it stands in line, and where that is not told it may.
        if (any(theirs[kind] != has[kind] for kind in ("preempted", "yielded")) or has["idle"] > theirs["idle"] or
                has["idle"] + has["stopped"] != has["resting"]):
            wrong += 1
            print(named.get(tid, tid), "perf script:", theirs, "ours:", ours[tid])
for name, tid in tids.items():
    print(name, {kind: len(waits) for kind, waits in known.get(int(tid), {}).items()})
print(idle, "kernel threads idle")
lacks = [n for n, kind in (("yielder", "yielded"), ("burner", "preempted"), ("other", "preempted"))
         if not known.get(int(tids[n]), {}).get(kind)]
sys.exit(bool(wrong or lacks or not idle))
' "$out" "$waits_told"
}

as_recorded() {
	perf record -q -a -g -m 2048 -o "$tmp/data" -e sched:sched_switch -e sched:sched_waking -- "$work/states_known" -n 40 \
		>"$waits_told" 2>"$tmp/perf" || skip "perf cannot record here: $(tail -n 1 "$tmp/perf")"
	rt --json -i "$tmp/data" --off-cpu
	expect_status 0 "perf's sched_switch"
	check_report
	compare >"$tmp/compared" || wrong "times are not what the switches say: $(cat "$tmp/compared")"
	cat "$tmp/compared"
}

as_done() {
	"$RINGTOP" --json -a --off-cpu -- "$work/states_known" -n 40 >"$out" 2>"$waits_told" 9>&-
	check_report
	for name in sleeper yielder burner other; do
		holds "0$(of $name off-cpu:preempted) + 0$(of $name off-cpu:yielded) <= 0$(of $name off-cpu:runnable)" ||
			fail "$name: more than runnable is $(of $name off-cpu:preempted) preempted, $(of $name off-cpu:yielded) yielded"
		holds "0$(of $name off-cpu:idle) + 0$(of $name off-cpu:resting) == 0" || fail "$name rests"
		echo "$name: runnable $(of $name off-cpu:runnable), preempted $(of $name off-cpu:preempted), \
yielded $(of $name off-cpu:yielded)"
	done
	for name in burner other; do
		holds "0$(of $name off-cpu:preempted) > 0" || differs "$name was never preempted"
		holds "0$(of $name off-cpu:yielded) == 0" || fail "$name never yields"
	done
	holds "0$(of yielder off-cpu:yielded) > 0" || differs "yielder did not yield"
	holds "0$(of sleeper off-cpu:yielded) == 0" || fail "sleeper never yields"
	holds "0$(in_total 'sum:total.tasks[event=off-cpu:idle].weight') > 0" || differs "no kernel thread is idle"
}

agrees as_recorded
pass "preempted and yielded are what perf script says, to the nanosecond"
agrees as_done
pass "live each is told by its own state"
