#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Small files that ask for gigabytes, each run several times from files of its own, and generated code with
# thousands of long names that are others twice a second: memory stays within --max-memory, what is refused
# says so, sums hold, and others keep their names.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work greedy spin_hot jit_map
limit=$((64 << 20))

# run PROGRAM...: adds to pids
pids=
run() {
	"$1" -s 300 >/dev/null 2>&1 9>&- &
	started+=($!)
	pids=$pids${pids:+,}$!
}

# The most that it ever had.
peak() {
	awk '/^VmHWM/ { print $2 * 1024 }' "/proc/$rt_pid/status"
}

refused() { # KIND: every file of it is told of
	local i

	for i in 1 2 3; do
		grep -q "/$1$i: its [a-z ]* would take [0-9.]*[MG]: .*--max-memory 64M" "$out" || return 1
	done
}

has_function() {
	grep -q "\"function\":\"$1" "$out"
}

has_intervals() { # NUMBER
	[ "$(grep -c '"type":"interval"' "$out")" -ge "$1" ]
}

run "$work/spin_hot"
rt_start --max-memory 64M -F 499 -p "$pids"
wait_until 30 has_function spin_hot || fail "spin_hot has no name"
before=$(peak)
rt_stop

kinds=(zlib names sparse)
"$work/greedy" make zstd "$tmp/zstd1" 2 && kinds+=(zstd)
for kind in "${kinds[@]}"; do
	for i in 1 2 3; do
		"$work/greedy" make "$kind" "$tmp/$kind$i" || fail "cannot make $kind"
		[ $(($(stat -c %b "$tmp/$kind$i") * 512)) -lt 1000000 ] || fail "$kind is no small file"
		run "$tmp/$kind$i"
	done
done

rt_start --max-memory 64M -F 499 -p "$pids"
for kind in "${kinds[@]}"; do
	[ "$kind" = names ] && continue
	wait_until 120 refused "$kind" || fail "no word of what $kind asked for"
done
wait_until 60 has_function nnnnnnnn || fail "names that overlap are not read"
wait_until 30 has_function spin_hot || fail "spin_hot has lost its name"
after=$(peak)
rt_stop
expect_status 0 "with greedy files"
check_report
[ "$after" -le $((before + limit)) ] ||
	fail "it had $((after >> 20)) MB, $((before >> 20)) MB without greedy files, --max-memory 64M"
[ "$(json total.self.budget_refusals)" -gt 0 ] || fail "refusals are not counted"
[ "$(json total.self.budget_limit)" = "$limit" ] || fail "the limit is not told"
holds "$(json total.self.budget_bytes) <= $limit" || fail "more was taken than there may be"
files=$after

for pid in ${pids//,/ }; do
	kill -KILL "$pid"
done
pids=
for i in 1 2 3; do
	"$work/jit_map" -s 300 -n 3000 names >/dev/null 2>"$tmp/jit$i" 9>&- &
	started+=($!)
	on_exit "rm -f /tmp/perf-$!.map"
	pids=$pids${pids:+,}$!
done
rt_start --max-memory 64M -F 9999 -d 1 --top 10000 -p "$pids"
wait_until 60 has_text "$out" 'what is new has no name, or counts for \[out of memory\]' ||
	fail "long names without end fit"
wait_until 60 has_intervals 8 || fail "it tells nothing any more"
after=$(peak)
rt_stop
expect_status 0 "with long names"
check_report
# The model has a copy of the dictionary, which may have a quarter.
[ "$after" -le $((before + limit + limit / 4)) ] ||
	fail "it had $((after >> 20)) MB, $((before >> 20)) MB without long names, --max-memory 64M"
holds "$(json total.self.budget_bytes) <= $limit" || fail "more was taken than there may be"
after=$((after > files ? after : files))
pass "$((after >> 20)) MB at most, $((before >> 20)) MB without greedy files"
