#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Generated code is named by a map that comes late, too, and one that keeps changing costs little.  The
# runtimes that are here name the code they make: Node by a jitdump and by perf-PID.map, Java by a map
# that comes late, Python by its trampolines.  A runtime that is missing is left out.
. "$(dirname "$0")/lib.sh"
need_perf
need_work jit_map jit_files
source_dir=$tests_dir/work
tried=0

left_out() {
	echo "   $1: left out: $2"
}

total() {
	json "sum:total.functions[function~$1].$2"
}

# runtime NAME ARG...: run it under ringtop in $tmp
runtime() {
	local name=$1

	shift
	(cd "$tmp" && exec "$RINGTOP" --json -e cpu-clock:u -F 1999 "$@" >"$out" 2>"$err" 9>&-)
	rt_status=$?
	expect_status 0 "$name"
	check_report
	tried=$((tried + 1))
}

# most NAME SHARE TEXT: functions with TEXT in their names have at least this share in themselves
most() {
	local self

	self=$(total "$3" self)
	holds "$self > $2" || fail "$1: $3 has only $self"
	echo "   $1: $3 has $self"
}

nameless() {
	json 'sum:total.functions[object~[JIT] ].self' | tr -d -
}

# what ran before the map was there is named by it
late_map() {
	rt --json -e cpu-clock:u -F 999 -- "$work/jit_map" -s 6 late
	[ "$rt_status" = 77 ] && return
	check_report
	holds "0$(nameless) == 0" || fail "late map: $(nameless) of the samples have no name"
	most late-map 0.5 jit_alpha
}

# in memory that is a file to the kernel: with and without a path, unlinked, of /dev/shm
in_files() {
	local name share named=0

	rt --json -e cpu-clock:u -F 1999 -- "$work/jit_files" -s 2
	[ "$rt_status" = 77 ] && return
	expect_status 0 "code in files"
	check_report
	for name in devzero sysv unlinked devshm memfd; do
		share=$(total "jit_$name" self)
		holds "$share > 0.05" || fail "code in files: jit_$name has only $share, not a fifth"
		named=$(awk "BEGIN { print $named + $share }")
	done
	# what the program does before it runs such code is all else
	holds "$named > 0.95" || fail "code in files: only $named of the samples have these names"
	echo "   code in files: five names, $named of the samples"
}

# of a file of 25 MB that changes ten times a second
touched_map() {
	local seconds cpu

	rt --json -e cpu-clock:u -F 99 -- "$work/jit_map" -s 6 touch
	[ "$rt_status" = 77 ] && return
	check_report
	most touched-map 0.5 jit_alpha
	seconds=$(json total.seconds)
	cpu=$(json total.self.cpu_seconds)
	echo "   touched-map: $cpu s of own CPU time in $seconds s"
	holds "$cpu < 0.12 * $seconds" || fail "touched map: $cpu s of own CPU time in $seconds s"
}

node_dump() {
	runtime node-jitdump -- node --perf-prof "$source_dir/jit_hot.js" 2000
	most node-jitdump 0.003 'JS:*hotFib'
	# V8 may put one function into another; Node itself takes a while to start
	most node-jitdump 0.3 jit_hot.js
	# all of it is in the dump, which V8 wrote out when it ended
	nameless=$(grep '"type":"total"' "$out" | grep -o '"\[0x[^"]*","object":"\[jit\]"' | wc -l)
	holds "$nameless <= 3" || fail "node-jitdump: $nameless addresses of [jit] have no name"
}

node_map() {
	runtime node-map -- node --perf-basic-prof "$source_dir/jit_hot.js" 2000
	most node-map 0.003 hotFib
	most node-map 0.3 jit_hot.js
}

# what is hot may have been compiled once more since the map was written
sees_names() {
	grep -q 'JitHot' "$out" || { map_written && false; }
}

map_written() {
	jcmd "$work_pid" Compiler.perfmap >"$tmp/jcmd" 2>&1 && grep -q JitHot "/tmp/perf-$work_pid.map"
}

java_is_up() {
	jcmd "$work_pid" VM.version >"$tmp/jcmd" 2>&1
}

java_map() {
	javac -d "$tmp" "$source_dir/JitHot.java" || fail "javac"
	java -cp "$tmp" JitHot 30000 >"$tmp/java" 2>&1 9>&- &
	work_pid=$!
	started+=("$work_pid")
	# threads that a process starts while it is attached to may be missed
	wait_until 15 java_is_up || {
		left_out java "$(tail -n 1 "$tmp/jcmd")"
		return
	}
	rt_start -e cpu-clock:u -F 1999 -d 0.3 -p "$work_pid"
	grep -q JitHot "$out" && fail "java: names before there are any"
	wait_until 15 map_written || {
		left_out java "$(tail -n 1 "$tmp/jcmd")"
		return
	}
	on_exit "rm -f /tmp/perf-$work_pid.map"
	wait_until 10 sees_names || fail "java: no names though its map was written"
	rt_stop
	check_report
	most java-map 0.2 JitHot
	holds "0$(nameless) < 0.05" || fail "java: $(nameless) of the samples have no name"
	kill "$work_pid"
	tried=$((tried + 1))
}

python_map() {
	runtime python -g -- "$1" -X perf "$source_dir/jit_hot.py" 2000
	if holds "0$(total py::hot_leaf total) < 0.5"; then
		# built without frame pointers, as by default
		grep -q 'x86_64' <<<"$(uname -m)" || {
			left_out python "no frame pointers"
			return
		}
		runtime python --call-graph dwarf -- "$1" -X perf "$source_dir/jit_hot.py" 2000
	fi
	holds "$(total py::hot_leaf total) > 0.5" ||
		fail "python: py::hot_leaf has only $(total py::hot_leaf total)"
	echo "   python: py::hot_leaf has $(total py::hot_leaf total) with what it calls"
}

find_python() {
	for python in ${RINGTOP_PYTHON:-} python3 python3.14 python3.13 python3.12; do
		"$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' \
			2>/dev/null && return
	done
	return 1
}

late_map
in_files
touched_map
if command -v node >/dev/null; then
	node_dump
	node_map
else
	left_out node "not here"
fi
if command -v javac >/dev/null && command -v jcmd >/dev/null; then
	java_map
else
	left_out java "no JDK"
fi
if find_python; then
	python_map "$python"
else
	left_out python "none with -X perf (3.12 has it)"
fi
[ $tried -gt 0 ] || skip "none of the runtimes is here"
pass "$tried runtimes"
