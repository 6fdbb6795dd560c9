#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --by: what samples come to by fields of their records, to the event: held against what a program does, what perf
# script tells of the same program, the account, and the kernel's own statistics; at a storm's rate.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint sched sched_switch
need_work storm_exact tiny
command -v python3 >/dev/null || skip "no python3"

calls=${BY_CALLS:-300000}

# keys: count, sum, min, max of each key, sorted, and whether the histograms and averages are right
keys() {
	python3 - "$out" "${1:-total}" <<'EOF'
import json, sys
rows, total = [], None
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "total":
        total = r
    elif r["type"] == "interval" and sys.argv[2] == "intervals":
        rows += r["fields"]
rows = rows if sys.argv[2] == "intervals" else total["fields"]
for f in rows:
    assert sum(f["hist"]) == f["count"], f
    assert abs(f["avg"] * f["count"] - f["sum"]) <= 1e-6 * f["sum"] + 1e-9, f
    assert f["min"].bit_length() < len(f["hist"]) and f["max"].bit_length() == len(f["hist"]) - 1, f
    assert all(n == 0 for n in f["hist"][:f["min"].bit_length()]), f
sums = {}
for f in rows:
    key = f["event"].split("/")[0] + " " + (",".join("%s=%s" % kv for kv in f["key"].items()) or "rest")
    s = sums.setdefault(key, [0, 0])
    s[0] += f["count"]
    s[1] += f["sum"]
for key in sorted(sums):
    print(key, *sums[key])
for e in total["events"]:
    n = sum(f["count"] for f in total["fields"] if f["event"] == e["name"])
    if n and n != e["samples"]:
        print("account of", e["name"], e["samples"], "fields", n)
EOF
}

# expect NAME: the keys are what stands on stdin
expect() {
	expect_status 0 "$1"
	check_report
	keys >"$tmp/keys" || fail "$1: the report breaks a rule"
	cat >"$tmp/want"
	diff "$tmp/want" "$tmp/keys" || fail "$1"
	pass "$1: $(wc -l <"$tmp/keys") keys"
}

rt --json -m 64M -e raw_syscalls:sys_enter --by id -- "$work/storm_exact" $calls
expect "by the call's number" <<EOF
raw_syscalls:sys_enter id=110 $((calls - 1)) $((calls - 1))
raw_syscalls:sys_enter id=231 1 1
EOF
rt --json -m 64M -e raw_syscalls:sys_enter/weight=id/ -e raw_syscalls:sys_exit --by id,args[0] -- "$work/storm_exact" 1000
expect "with a weight; sys_exit has no args" <<EOF
raw_syscalls:sys_enter id=110,args[0]=0 999 109890
raw_syscalls:sys_enter id=231,args[0]=0 1 231
EOF
rt --json -m 64M -e raw_syscalls:sys_enter --by id.syscall,id.hex,id.log2 -- "$work/storm_exact" 1000
expect "by what the calls are called" <<EOF
raw_syscalls:sys_enter id.syscall=exit_group,id.hex=0xe7,id.log2=128 1 1
raw_syscalls:sys_enter id.syscall=getppid,id.hex=0x6e,id.log2=64 999 999
EOF
rt --json -g -m 64M -C 0 -e raw_syscalls:sys_enter --by id,cpu -w "$tmp/perf.data" -- taskset -c 0 "$work/storm_exact" 1000
keys >"$tmp/keys"
[ "$rt_status" = 0 ] && has_text "$tmp/keys" 'id=231,cpu=0 ' || fail "by CPU, recorded: $(cat "$tmp/keys")"
pass "by CPU, with paths, recorded"

rt --json -m 64M -e raw_syscalls:sys_enter --by comm,id -- "$work/storm_exact" 1000
expect "by what the thread is called" <<EOF
raw_syscalls:sys_enter comm=storm_exact,id=110 999 999
raw_syscalls:sys_enter comm=storm_exact,id=231 1 1
EOF

# --only by the names of fields, of what is measured and of what was saved.
rt --json -m 64M -e raw_syscalls:sys_enter --by comm,id --only 'id:^110$' --save "$tmp/only" -- "$work/storm_exact" 1000
cp "$out" "$tmp/only.json"
keys | grep -v '^account' >"$tmp/keys"
[ "$rt_status" = 0 ] && [ "$(cat "$tmp/keys")" = "raw_syscalls:sys_enter comm=storm_exact,id=110 999 999" ] ||
	fail "--only id: $(cat "$tmp/keys" "$err")"
[ "$(json total.events[0].samples)" = 1000 ] || fail "--only changes the account"
rt --json -i "$tmp/only" --only '!id:^110$'
keys | grep -v '^account' >"$tmp/keys"
[ "$rt_status" = 0 ] && [ "$(cat "$tmp/keys")" = "raw_syscalls:sys_enter comm=storm_exact,id=231 1 1" ] ||
	fail "--only, of a file: $(cat "$tmp/keys" "$err")"
rt --text -i "$tmp/only" --only id:^231
[ "$(grep -c '1 hidden by the filter' "$out")" -ge 1 ] || fail "--only, as text: $(cat "$out")"
for words in '-i '"$tmp/only" '-e raw_syscalls:sys_enter --by comm,id'; do
	# shellcheck disable=SC2086
	rt --json $words --only stack:main
	[ "$rt_status" = 2 ] && grep -q "unknown field 'stack'" "$err" && grep -q 'of sums by fields comm, *id' "$err" ||
		fail "--only stack: $rt_status $(cat "$err")"
done
rt --json -g -m 64M -e raw_syscalls:sys_enter --by id,stack --only 'stack:storm_exact|main|getppid id:^110$' -- "$work/storm_exact" 1000
n=$(json total.fields[0].count)
[ "$rt_status" = 0 ] && [ "$n" -ge 998 ] || fail "--only stack: $n $(cat "$err")"
rt --json -g -m 64M -e raw_syscalls:sys_enter --by id,stack --only stack:no_such_function -- "$work/storm_exact" 1000
[ "$rt_status" = 0 ] && [ "$(json count:total.fields)" = 0 ] || fail "--only stack, none: $(json count:total.fields)"
pass "--only by the fields' names"

# A storm in the rings that are there by default.
rt --json -e raw_syscalls:sys_enter --by id -- "$work/storm_exact" $((calls * 10))
expect_status 0 "a storm"
n=$(json 'total.events[0].attributed')
holds "$n >= $calls * 10 * 0.999" || fail "a storm: $n of $((calls * 10)) attributed"
! keys | grep '^account' || fail "a storm"
pass "a storm: $n of $((calls * 10)), $(json 'total.self.cpu_seconds') s of CPU time"

# A storm in rings that are too small: what is summed up is what is attributed.
rt --json -m 1 -e raw_syscalls:sys_enter --by id -- "$work/storm_exact" $calls
expect_status 0 "losses"
check_report
! keys | grep '^account' || fail "losses"
n=$(json 'total.events[0].attributed')
[ $((n + $(json 'total.events[0].lost') + $(json 'total.events[0].pending'))) = $calls ] || fail "losses: $n"
pass "with losses: $n of $calls attributed, as many summed up"

# Texts, and intervals that add up to the total but for its end.
if command -v perl >/dev/null; then
	switches() {
		awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$work_pid/status"
	}
	work_start perl -e 'use Time::HiRes "usleep"; $0 = "a,b\tc"; $| = 1; print "waiting\n"; <STDIN>; usleep(100) for 1 .. 2000; print "done\n"; <STDIN>'
	work_ready
	wait_until 5 has_text "/proc/$work_pid/stat" ' S '
	rt_start -a -d 0.2 -m 16M -e sched:sched_switch --filter "prev_pid == $work_pid" --by prev_comm,prev_pid
	before=$(switches)
	go
	wait_until 20 has_text "$tmp/work" '^done' || fail "the sleeper sleeps"
	wait_until 5 has_text "/proc/$work_pid/stat" ' S '
	after=$(switches)
	rt_stop
	go
	expect "switches, by a comm that is no plain text" <<EOF
sched:sched_switch prev_comm=a,b\\x09c,prev_pid=$work_pid $((after - before)) $((after - before))
EOF
	n=$(keys intervals | awk '{ n += $(NF - 1) } END { print n }')
	[ "$n" -le $((after - before)) ] && [ "$n" -gt 0 ] || fail "the intervals have $n"
	pass "the intervals have $n of them"
fi

if command -v perf >/dev/null; then
	perf record -q -o "$tmp/p.data" -m 32M -e raw_syscalls:sys_enter -- "$work/storm_exact" 1000 >/dev/null 2>&1 9>&-
	perf script -i "$tmp/p.data" -F event,trace 2>/dev/null |
		sed -n 's/.*NR \([0-9]*\) .*/\1/p' | sort | uniq -c | awk '{ print "raw_syscalls:sys_enter id=" $2, $1, $1 }' >"$tmp/perf"
	rt --json -m 64M -e raw_syscalls:sys_enter --by id -- "$work/storm_exact" 1000
	expect "beside perf script" <"$tmp/perf"
fi

# More keys than there is room for: none is lost.
rt --json -m 64M -e raw_syscalls:sys_enter --by id,tid -a -- sh -c "for i in 1 2 3 4 5; do $work/storm_exact 10000; done"
expect_status 0 "the whole machine"
! keys | grep '^account' || fail "the whole machine"
n=$(keys | awk '/ id=110,/ { n += $(NF - 1) } END { print n + 0 }')
[ "$n" -ge 49995 ] || fail "the whole machine: $n of 49995"
pass "the whole machine: $n of 49995 and others"

# refused WORD ARGS...
refused() {
	expect_refused "$@" -- true
}

refused "no field 'nosuch' (its fields: id, args; cpu, pid, tid, comm, stack)" -e raw_syscalls:sys_enter --by nosuch
refused "args[0]" -e raw_syscalls:sys_enter --by args
refused "no tracepoint" -e cpu-clock --by id
refused "not a field name" -e raw_syscalls:sys_enter --by id,
refused "more than 4" -e raw_syscalls:sys_enter --by id,cpu,pid,tid,common_pid
pass "refusals"
