#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# counters.sh [-n RUNS] [-s SECONDS] [-e EVENTS] RINGTOP - what counting many events at 10 Hz on all CPUs costs, beside
# perf stat -I 100 of the same events, in the same run: CPU time of all threads (schedstat), as a share of one CPU, and
# of that how much for each 1000 counters (events times CPUs).
#
# Software events and tracepoints of system calls.  Every CPU is kept busy at nice 19: on one where nothing happens
# ringtop reads once a second only.  Medians of RUNS (3) runs; figures, no test.  Needs root; without perf its rows
# are "-".  In a machine with more CPUs than this one has (emulated; -i 1: time is a count of instructions):
#
#	tests/vm/run -k 6.12 -s 64 -t 900 -m 3000 -i 1 -- bash tests/bench/counters.sh -n 1 src/ringtop
set -u
export LC_ALL=C.UTF-8

runs=3 seconds=5 nevents=200
while getopts n:s:e: option; do
	case $option in
	n) runs=$OPTARG ;;
	s) seconds=$OPTARG ;;
	e) nevents=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || { echo "usage: counters.sh [-n RUNS] [-s SECONDS] [-e EVENTS] RINGTOP" >&2; exit 2; }
ringtop=$(realpath "$1") || exit 1
[ "$(id -u)" = 0 ] || { echo "counters.sh: needs root" >&2; exit 77; }
perf=$(command -v perf || true)
cpus=$(getconf _NPROCESSORS_ONLN)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-counters.XXXXXX") || exit 1
started=()

cleanup() {
	local pid

	trap - EXIT
	for pid in "${started[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tracefs=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
if [ -z "$tracefs" ]; then
	tracefs=/sys/kernel/tracing
	mount -t tracefs tracefs $tracefs || exit 1
fi
software=(context-switches cpu-migrations page-faults minor-faults major-faults alignment-faults emulation-faults
	cpu-clock task-clock)
events=$({
	printf '%s\n' "${software[@]}"
	ls "$tracefs/events/syscalls" | sed -n 's/^sys_enter_/syscalls:&/p'
	ls "$tracefs/events/syscalls" | sed -n 's/^sys_exit_/syscalls:&/p'
} | head -n "$nevents" | paste -sd,)
nevents=$(tr ',' '\n' <<<"$events" | wc -l)

# cpu_ns PID: what all its threads have had
cpu_ns() {
	cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# measure NAME COMMAND...: ms of CPU a second, once it has begun
measure() {
	local name=$1 pid from cpu began i=0

	shift
	: >"$tmp/said"
	"$@" >"$tmp/said" 2>&1 &
	pid=$!
	started+=("$pid")
	until [ "$(wc -l <"$tmp/said")" -ge 2 ] || ! kill -0 $pid 2>/dev/null || [ $((i += 1)) -gt 600 ]; do
		sleep 0.1 # for opening all of them
	done
	sleep 1 # for what it does once
	cpu=$(cpu_ns $pid) began=$(date +%s%N)
	sleep "$seconds" # how long is measured
	from=$(cpu_ns $pid)
	awk -v ns=$((from - cpu)) -v wall=$(($(date +%s%N) - began)) 'BEGIN { print ns / wall * 1000 }' >>"$tmp/$name"
	kill -INT $pid
	wait $pid 2>/dev/null
}

median() {
	[ -s "$tmp/$1" ] || { echo -; return; }
	sort -g "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for ((i = 0; i < cpus; i++)); do
	taskset -c $i nice -n 19 sh -c 'while :; do :; done' &
	started+=($!)
done
for ((run = 0; run < runs; run++)); do
	[ -z "$perf" ] || measure perf "$perf" stat -a -I 100 -e "$events"
	measure printed "$ringtop" --json -d 0.1 -e cpu-clock -F 49 -S "$events"
	measure read "$ringtop" --json -d 0.5 -e cpu-clock -F 49 -S "$events"
	measure without "$ringtop" --json -d 0.5 -e cpu-clock -F 49
done

echo "$nevents events at 10 Hz on $cpus CPUs: $((nevents * cpus)) counters, $runs runs of $seconds s"
echo
awk -v counters=$((nevents * cpus)) -v perf="$(median perf)" -v printed="$(median printed)" -v read="$(median read)" \
	-v without="$(median without)" '
	function line(what, ms, of) {
		if (ms == "-")
			printf "%-46s %9s %12s %9s\n", what, "-", "-", "-"
		else
			printf "%-46s %9.2f %12.2f %9s\n", what, ms / 10, ms / 10 * 1000 / counters,
				of == "-" || of <= 0 ? "-" : sprintf("%.2f", ms / of)
	}
	BEGIN {
		printf "%-46s %9s %12s %9s\n", "", "% a CPU", "% a 1000", "to perf"
		line("perf stat -I 100", perf, perf)
		line("ringtop, all that it does, printed at 10 Hz", printed, perf)
		line("ringtop, all that it does, printed at 2 Hz", read, perf)
		line("  of that without -S", without, perf)
		line("  so for reading and adding up", read - without, perf)
	}'
