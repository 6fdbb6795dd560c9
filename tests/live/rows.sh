#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stock perf recorded of all kinds of programs in all kinds of ways, and what ringtop recorded:
# every row of `perf report` is a row of the replay, with its samples, its periods and its share.
# Each row that differs is printed (rows.py).
. "$(dirname "$0")/lib.sh"
need_root
need_perf
command -v python3 >/dev/null || skip "no python3 to compare rows with"
need_stock_perf
need_work spin_shares spin_stripped plt_calls cxx_names storm_exact many_threads

# Work of different kinds: compilers, scripts, tools.
compile="gcc -D_GNU_SOURCE -O2 -S -o /dev/null '$tests_dir/work/spin_shares.c' -I '$tests_dir/work'"
shells='i=0; while [ $i -lt 60 ]; do ls / >/dev/null; expr $i + 1 >/dev/null; i=$((i + 1)); done'
script='import json, re; x = json.dumps(list(range(60000))); json.loads(x); re.findall("[0-9]+", x)'

# report FILE: as perf has it, into $tmp/report
report() {
	local how=(perf report --stdio -i "$1" -F 'overhead,sample,period,dso,sym' -t '|'
		--percent-limit 0)

	"${how[@]}" --no-children -g none >"$tmp/report" 2>"$tmp/report.err" ||
		"${how[@]}" >"$tmp/report" 2>"$tmp/report.err" || {
		cat "$tmp/report.err" >&2
		fail "$1: perf does not report"
	}
}

# same NAME [--machine] [--labels PROGRAM]
same() {
	report "$tmp/$1"
	rt -i "$tmp/$1" --json
	expect_status 0 "$1"
	check_report
	python3 "$live_dir/rows.py" "$tmp/report" "$out" "${@:2}" >"$tmp/rows" 2>&1 || {
		cat "$tmp/rows" >&2
		fail "$1: rows differ from perf's"
	}
	pass "$1: $(tail -n 1 "$tmp/rows")"
}

# record NAME OPTION... -- COMMAND: by perf; compared, with the labels of $program where that is set
record() {
	local name=$1

	shift
	perf record -q -o "$tmp/$name" "$@" >"$tmp/record" 2>&1 9>&- || {
		cat "$tmp/record" >&2
		fail "$name: perf does not record"
	}
	case " $* " in
	*" -a "*) same "$name" --machine ;;
	*) same "$name" ${program:+--labels "$program"} ;;
	esac
}

# tried NAME OPTION... -- COMMAND: the same where this perf and this kernel can
tried() {
	local options=()

	for option in "${@:2}"; do
		[ "$option" = -- ] && break
		options+=("$option")
	done
	perf record -q -o "$tmp/probe" "${options[@]}" -- true >"$tmp/record" 2>&1 9>&- || {
		echo "# $1: perf cannot: $(tail -n 1 "$tmp/record")"
		return
	}
	record "$@"
}

record flat -e cpu-clock -F 5000 -- "$work/spin_shares" -s 0.4
record shells -e cpu-clock -F 20000 -- sh -c "$shells"
record compiler -e cpu-clock -F 5000 -g -- sh -c "$compile"
record cxx -e cpu-clock -F 5000 -- "$work/cxx_names" -s 0.4
record plt -e cpu-clock -F 5000 -- "$work/plt_calls" -s 0.3
record stripped -e cpu-clock -F 5000 -- "$work/spin_stripped" -s 0.3
record python -e cpu-clock -F 10000 -- python3 -c "$script"
record dwarf -e cpu-clock -F 499 --call-graph dwarf -- sh -c "$compile"
record busy -a -g -e cpu-clock -F 2000 -- sh -c "$compile; $shells"
record several -a -e cpu-clock,task-clock,page-faults,context-switches -- sh -c "$compile"
record faults -c 1 -e page-faults -- sh -c "$compile"
record thread --per-thread -e cpu-clock -F 5000 -- "$work/spin_shares" -s 0.3
record group -e '{cpu-clock,page-faults}' -- sh -c "$compile"
tried leader -e '{cpu-clock,page-faults}:S' -- sh -c "$compile"
tried compressed -z -e cpu-clock -F 5000 -g -- sh -c "$compile"
[ -x "$work/rust_names" ] && record rust -e cpu-clock -F 5000 -- "$work/rust_names" 0.5

perf record -q -e cpu-clock -F 5000 -g -o - -- sh -c "$compile" 2>/dev/null 9>&- | cat >"$tmp/stream"
same stream

"$work/spin_shares" -s 600 >"$tmp/work" 2>&1 9>&- &
started+=($!)
record attached -p $! -e cpu-clock -F 5000 -- sleep 0.5
kill "${started[-1]}"

if [ -d "$(tracefs)/events/sched/sched_switch" ]; then
	record switches -a -e sched:sched_switch,cpu-clock -R -- sh -c "$compile"
	record calls -e raw_syscalls:sys_enter -g -- sh -c "$compile"
	record lost -m 1 -e raw_syscalls:sys_enter -- "$work/storm_exact" 300000
fi

# generated code, by the map that it leaves behind
if command -v node >/dev/null; then
	program=$(readlink -f "$(command -v node)") record node -e cpu-clock -F 5000 -- \
		node --perf-basic-prof "$tests_dir/work/jit_hot.js" 700
	json 'total.functions[function~hot].function' | grep -q . ||
		fail "node: no function by perf-PID.map"
	rm -f /tmp/perf-"$(sed -n 's/.*\[JIT\] tid \([0-9]*\).*/\1/p' "$tmp/report" | head -n 1)".map
fi

# built anew since it was recorded: perf has the old one in its cache, and so have we
cp "$work/spin_shares" "$tmp/changing"
perf record -q -o "$tmp/changed" -e cpu-clock -F 5000 -- "$tmp/changing" -s 0.3 >"$tmp/record" 2>&1 9>&-
cp "$work/cxx_names" "$tmp/changing"
same changed
[ "$(json 'sum:total.functions[function=share_50].samples')" -gt 10 ] ||
	fail "changed: no share_50 from perf's cache"

# recorded on a kernel that is no longer the one that runs: perf kept its symbols
kernel=$(perf buildid-list -i "$tmp/shells" | awk '$2 == "[kernel.kallsyms]" { print $1; exit }')
kept=$HOME/.debug/.build-id/${kernel:0:2}/${kernel:2}
if [ -n "$kernel" ] && [ -e "$kept/kallsyms" ]; then
	other=$(echo "$kernel" | rev)
	python3 - "$tmp/shells" "$tmp/other_kernel" "$kernel" "$other" <<'PY'
import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(data.replace(bytes.fromhex(sys.argv[3]), bytes.fromhex(sys.argv[4])))
PY
	mkdir -p "$HOME/.debug/.build-id/${other:0:2}" "$HOME/.debug/[kernel.kallsyms]/$other"
	cp "$kept/kallsyms" "$HOME/.debug/[kernel.kallsyms]/$other/kallsyms"
	ln -s "../../[kernel.kallsyms]/$other" "$HOME/.debug/.build-id/${other:0:2}/${other:2}"
	same other_kernel
else
	echo "# other_kernel: this perf keeps no kallsyms"
fi

# the other way round: perf report of what ringtop recorded
rt -w "$tmp/own" --text -a -g -e cpu-clock -F 2000 -- sh -c "$compile; $shells"
expect_status 0 "own"
same own --machine
rt -w "$tmp/own_events" --text -e cpu-clock,page-faults -- sh -c "$compile"
expect_status 0 "own_events"
same own_events
