#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --ftrace: every hit is read or counted as lost, to the event, in both modes; the instance goes with the session, and one
# that was left is removed by the next; what cannot be is said.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"
need_instances

calls=${FTRACE_CALLS:-500000}

# The total's account of the one event, and of its rings: counted, lost, and whether all agrees.
account() {
	python3 - "$out" <<'PY'
import json, sys
total = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "total"][0]
e = total["events"][0]
rings = [r for r in total["rings"] if r["kind"] == "ftrace"]
lost = sum(e["lost"].values())
hits = sum(r["read_events"] + r["overrun"] + r["commit_overrun"] + r["dropped_events"] + r["entries"] for r in rings)
read = sum(r["read_events"] for r in rings)
agrees = e["counted"] == hits and e["attributed"] + e["lost"]["dropped"] == read and e["counted"] == e["attributed"] + lost
print(e["counted"], lost, e["lost"]["overwritten"], e["lost"]["full"], "agrees" if agrees else "differs: %s %s" % (e, rings))
PY
}

# Instances of programs that this test started.
ours() {
	[ -z "$rt_pid" ] || compgen -G "$instances/ringtop-$rt_pid-*"
}

for mode in "" --no-overwrite; do
	# shellcheck disable=SC2086 # no mode is no word
	rt --json $mode --ftrace raw_syscalls:sys_enter --filter 'id == 110' -- "$work/storm_exact" $calls
	read -r counted lost overwritten full agrees <<<"$(account)"
	[ "$agrees" = agrees ] || fail "mode '$mode': $agrees"
	[ "$counted" = $((calls - 1)) ] || fail "mode '$mode': counted $counted of $((calls - 1))"
	[ $((lost * 10000)) -le "$calls" ] || fail "mode '$mode': lost $lost of $calls with the usual size"

	# A buffer that is too small loses, and says how much of what.
	# shellcheck disable=SC2086
	rt --json $mode -m 1 --ftrace raw_syscalls:sys_enter --filter 'id == 110' -- "$work/storm_exact" $calls
	read -r counted lost overwritten full agrees <<<"$(account)"
	[ "$agrees" = agrees ] || fail "small, mode '$mode': $agrees"
	[ "$counted" = $((calls - 1)) ] || fail "small, mode '$mode': counted $counted of $((calls - 1))"
	[ "$lost" = $((overwritten + full)) ] || fail "small, mode '$mode': lost $lost, of it $overwritten and $full"
done

rt --json --ftrace raw_syscalls:sys_enter --filter 'no_such == 1' -n 1
expect_status 2 'a filter that the kernel refuses'
grep -q no_such "$err" || fail "the refused filter's field is not named"
rt --json --ftrace cpu-clock -n 1
expect_status 2 'no tracepoint'
rt --json --ftrace raw_syscalls:sys_enter:u -n 1
expect_status 2 'a modifier'

# What does not go with it is refused in one line that names it.
refused() { # OPTION [ARGUMENT]
	rt --json --ftrace raw_syscalls:sys_enter -n 1 "$@"
	expect_status 2 "$1"
	[ "$(wc -l <"$err")" = 1 ] || fail "$1: not one line: $(cat "$err")"
	grep -q -e "--ftrace and $1 do not go together: " "$err" || fail "$1: $(cat "$err")"
}
refused -G /
refused --per-thread
refused -w "$tmp/data"
[ ! -e "$tmp/data" ] || fail "a refused -w made its file"
refused -u root

# An ordinary user is told what is refused and what helps, in one line, whatever is asked for.
if command -v setpriv >/dev/null; then
	cp "$RINGTOP" "$tmp/ringtop"
	for event in raw_syscalls:sys_enter function no:such; do
		setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
			env HOME=/nonexistent "$tmp/ringtop" --json --ftrace $event -n 1 >"$out" 2>"$err" </dev/null
		rt_status=$?
		expect_status 3 "an ordinary user: $event"
		[ "$(wc -l <"$err")" = 1 ] || fail "an ordinary user: not one line: $(cat "$err")"
		grep -q "^ringtop: --ftrace: .*$instances: Permission denied (run as root: " "$err" ||
			fail "an ordinary user: $(cat "$err")"
	done
	rm "$tmp/ringtop"
fi

# Sums by fields have every hit that was read.
rt --json --ftrace raw_syscalls:sys_enter --filter 'id == 110' --by id,comm -- "$work/storm_exact" 20000
read -r counted lost overwritten full agrees <<<"$(account)"
[ "$agrees" = agrees ] || fail "--by: $agrees"
by=$(python3 - "$out" <<'PY'
import json, sys
total = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "total"][0]
print(*("%s=%d" % (",".join(map(str, f["key"].values())) or "rest", f["count"]) for f in total["fields"]))
PY
)
[ "$by" = "110,storm_exact=$((19999 - lost))" ] || fail "--by: $by, with $lost lost of 19999"

# Its records have a thread and no process, which is found when they are told: all threads' together.
rt --json --ftrace raw_syscalls:sys_enter --filter 'id == 146' --by pid -- python3 -c '
import os, sys, threading
def calls():
    for i in range(1000):
        os.sched_get_priority_max(os.SCHED_OTHER)
for t in [threading.Thread(target=calls) for i in range(3)]:
    t.start()
    t.join()
open(sys.argv[1], "w").write(str(os.getpid()))' "$tmp/pid"
expect_status 0 '--by pid'
by=$(python3 - "$out" <<'PY'
import json, sys
total = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "total"][0]
print(*("%s=%d" % (",".join(map(str, f["key"].values())) or "rest", f["count"]) for f in total["fields"]))
PY
)
[ "$by" = "$(cat "$tmp/pid")=3000" ] || fail "--by pid: $by of $(cat "$tmp/pid")=3000"

# A process that is there, and waits until it is measured.
mkfifo "$tmp/go"
(exec 9<>"$tmp/go"; exec "$work/storm_exact" 20000 x <&9) &
storm=$!
started+=("$storm")
entered() { grep -q "^0 " "/proc/$storm/syscall" && [ "$(readlink "/proc/$storm/exe")" = "$(realpath "$work/storm_exact")" ]; }
wait_until 10 entered || fail "the storm does not wait"
rt_start -p "$storm" --ftrace raw_syscalls:sys_enter
echo x >"$tmp/go"
wait_until 20 gone "$rt_pid" || fail "it does not end with its process"
read -r counted lost overwritten full agrees <<<"$(account)"
[ "$agrees" = agrees ] || fail "-p: $agrees"
[ "$counted" = 20000 ] || fail "-p: counted $counted of 20000"

# None of these left its instance.  That of a killed session its guardian removes; where that was killed, too, any
# ringtop's start.
[ -z "$(ours)" ] || fail "left: $(ours)"
rt_start --ftrace raw_syscalls:sys_enter --filter 'id == 110'
[ -n "$(ours)" ] || fail "no instance while it runs"
kill -KILL "$rt_pid"
wait "$rt_pid" 2>/dev/null
no_instance() { [ -z "$(ours)" ]; }
wait_until 20 no_instance || fail "it was killed, and its guardian leaves the instance: $(ours)"
rt_start --ftrace raw_syscalls:sys_enter --filter 'id == 110'
guardian=$(pgrep -P "$rt_pid" -x ringtop-guard) || fail "no guardian"
kill -KILL "$guardian" "$rt_pid"
wait "$rt_pid" 2>/dev/null
[ -n "$(ours)" ] || fail "both were killed, and the instance is gone: what removed it?"
killed=$rt_pid
rt --json -e cpu-clock -d 0.1 -n 1
[ -z "$(compgen -G "$instances/ringtop-$killed-*")" ] || fail "the killed session's instance is still there"
pass "ftrace: every hit accounted for, in both modes; no instance is left"
