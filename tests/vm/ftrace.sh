#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The function tracers of --ftrace, which this machine's kernel may not allow: calls of one function that a program
# makes so many times, by function, thread and duration; and pages by read(), where they cannot be mapped (before 6.10).
. "$(dirname "$0")/lib.sh"
need_vm_work storm_exact
vm_machine "-k 6.1" "-k 6.12" "-k 7"

calls=2000
# Which one can be traced depends on what the compiler put into which.
getppid=$(grep -m 1 -oE '^__(x64|do|se)_sys_getppid\b' /sys/kernel/tracing/available_filter_functions)

# Of an event of the total: samples, lost; hits as the kernel counts them; the samples that are the function's (by its
# address where the kernel's names are not read yet: so much takes a machine seconds) and the storm's; what these weigh.
account() { # EVENT
	python3 - "$out" "$1" "$getppid" <<'PY'
import json, sys
total = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "total"][0]
symbols = [(int(l.split()[0], 16), l.split()[2]) for l in open("/proc/kallsyms")]
at = [addr for addr, name in symbols if name == sys.argv[3]][0]
names = [name for addr, name in symbols if addr == at] # of a call without arguments all its stubs are one
def ours(name):
	return name in names or name.startswith("[0x") and at <= int(name.strip("[]"), 16) < at + 16
rows = lambda list, of, what="samples": sum(r[what] for r in total[list] if r["event"] == sys.argv[2] and of(r))
e = [e for e in total["events"] if e["name"] == sys.argv[2]][0]
rings = [r for r in total["rings"] if r["kind"] == "ftrace"]
hits = sum(r["read_events"] + r["overrun"] + r["commit_overrun"] + r["dropped_events"] + r["entries"] for r in rings)
print(e["samples"], sum(e["lost"].values()), hits, rows("functions", lambda r: ours(r["function"])),
	rows("tasks", lambda r: r["comm"] == "storm_exact"),
	rows("tasks", lambda r: r["comm"] == "storm_exact", "weight"))
PY
}

trace() { # TRACER
	timeout 120 "$RINGTOP" --json -d 5 --ftrace "$1:$getppid" -- "$work/storm_exact" $calls >"$out" 2>"$err" </dev/null
	rt_status=$?
}

by_function() {
	local seen n=$((calls - 1))

	trace function
	expect_status 0 function
	seen=$(account ftrace:function)
	[ "$seen" = "$n 0 $n $n $n $n" ] || fail "of $n calls: $seen"
}

by_graph() {
	local seen ns n=$((calls - 1))

	grep -qw function_graph /sys/kernel/tracing/available_tracers || unable "no function_graph here"
	trace function_graph
	! grep -q "no such tracer for instances" "$err" || unable "$(cat "$err")"
	expect_status 0 function_graph
	seen=$(account ftrace:funcgraph_exit)
	ns=${seen##* }
	[ "${seen% *}" = "$n 0 $((2 * n)) $n $n" ] || fail "of $n calls: $seen"
	[ "$ns" -gt $((n * 10)) ] || fail "$n calls took $ns ns"
	seen=$(account ftrace:funcgraph_entry)
	[ "$seen" = "$n 0 $((2 * n)) $n $n $n" ] || fail "of $n entries: $seen"
	pass "$n calls of $((ns / n)) ns"
}

no_function() {
	timeout 60 "$RINGTOP" --json -n 1 --ftrace function:no_such_function >"$out" 2>"$err" </dev/null
	rt_status=$?
	expect_status 2 "no such function"
	grep -q available_filter_functions "$err" || fail "$(cat "$err")"
}

# Every hit is read or lost by name, mapped or not.
storm() { # SIZE MODE
	local seen

	# shellcheck disable=SC2086 # no mode is no word
	timeout 120 "$RINGTOP" --json -d 5 -m "$1" $2 --ftrace raw_syscalls:sys_enter --filter 'id == 110' -- \
		"$work/storm_exact" $calls >"$out" 2>"$err" </dev/null
	rt_status=$?
	expect_status 0 "$1 $2"
	seen=$(account raw_syscalls:sys_enter)
	read -r _ lost hits _ <<<"$seen"
	[ "$hits $((${seen%% *} + lost))" = "$((calls - 1)) $((calls - 1))" ] || fail "$1 $2: of $((calls - 1)) calls: $seen"
	pass "$1 $2: $lost lost of $hits"
}

all_read() {
	calls=5000
	for mode in "" --no-overwrite; do
		storm 4M "$mode"
		[ "$lost" = 0 ] || fail "4M $mode: $lost lost"
		storm 64K "$mode"
	done
}

# What trace-cmd recorded of the tracer, opened: each call, by the file's own names.
recorded() {
	local seen n=$((calls - 1))

	command -v trace-cmd >/dev/null || unable "no trace-cmd"
	trace-cmd record -q -p function -l "$getppid" -o "$tmp/trace.dat" "$work/storm_exact" $calls >"$out" 2>"$err" ||
		unable "trace-cmd cannot record here: $(tail -n 1 "$err")"
	timeout 120 "$RINGTOP" --json -i "$tmp/trace.dat" >"$out" 2>"$err" </dev/null
	rt_status=$?
	expect_status 0 "-i trace.dat"
	seen=$(account ftrace:function)
	[ "$seen" = "$n 0 0 $n $n $n" ] || fail "trace.dat of $n calls: $seen"
}

vm_case
try_case "-i trace.dat of the function tracer: each call" recorded
try_case "--ftrace: each hit of a tracepoint" all_read
try_case "--ftrace function: each call of one function" by_function
try_case "--ftrace function_graph: each call, and how long" by_graph
try_case "--ftrace function: one that is not there" no_function
tried
