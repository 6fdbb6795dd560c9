#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# in_kernel.sh [-n RUNS] [-c CALLS] RINGTOP STORM - what --by costs with records and with --in-kernel, of the same storm of
# system calls (STORM: tests/work's storm_exact): ns that each call takes longer than without ringtop (the storm's own CPU
# time), and ringtop's CPU time of all threads (schedstat) meanwhile, for each call.  How many of the calls were summed up
# stands beside it.
#
# Medians of RUNS (3) runs, in turns; figures, no test.  Needs root, and for --in-kernel a kernel with
# CONFIG_HIST_TRIGGERS, else that row is "-".  In a machine (emulated; -i 1: time is a count of instructions):
#
#	tests/vm/run -k 6.12 -i 1 -- bash tests/bench/in_kernel.sh -n 1 src/ringtop build-work/storm_exact
set -u
export LC_ALL=C.UTF-8

runs=3 calls=1000000
while getopts n:c: option; do
	case $option in
	n) runs=$OPTARG ;;
	c) calls=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || { echo "usage: in_kernel.sh [-n RUNS] [-c CALLS] RINGTOP STORM" >&2; exit 2; }
ringtop=$(realpath "$1") && storm=$(realpath "$2") || exit 1
[ "$(id -u)" = 0 ] || { echo "in_kernel.sh: needs root" >&2; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-in-kernel.XXXXXX") || exit 1
pid=

cleanup() {
	trap - EXIT
	[ -z "$pid" ] || kill -INT "$pid" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# cpu_ns PID: what all its threads have had
cpu_ns() {
	cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# The storm's CPU time in ns for each call, into a file.
storm_into() { # file
	local TIMEFORMAT='%U %S'

	{ time "$storm" "$calls"; } 2>&1 | awk -v calls="$calls" '{ print ($1 + $2) * 1e9 / calls }' >>"$tmp/$1"
}

# measure NAME OPTION...: NAME.call, NAME.own, NAME.seen
measure() {
	local name=$1 before i=0

	shift
	: >"$tmp/said"
	"$ringtop" --json -d 0.5 -a -e raw_syscalls:sys_enter --by id "$@" >"$tmp/said" 2>"$tmp/err" &
	pid=$!
	until [ "$(wc -l <"$tmp/said")" -ge 3 ]; do
		kill -0 $pid 2>/dev/null && [ $((i += 1)) -lt 600 ] || { cat "$tmp/err" >&2; wait $pid; pid=; return; }
		sleep 0.1 # for what it does once
	done
	before=$(cpu_ns $pid)
	storm_into "$name.call"
	sleep 0.2 # its last reading
	awk -v ns=$(($(cpu_ns $pid) - before)) -v calls="$calls" 'BEGIN { print ns / calls }' >>"$tmp/$name.own"
	kill -INT $pid
	wait $pid
	pid=
	grep '"type":"total"' "$tmp/said" | grep -o '"key":{"id":110},"count":[0-9]*' | head -n 1 |
		awk -F: -v calls="$calls" '{ print $NF / (calls - 1) * 100 }' >>"$tmp/$name.seen"
}

median() {
	[ -s "$tmp/$1" ] || { echo -; return; }
	sort -g "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

row() { # what, name
	awk -v what="$1" -v alone="$(median alone)" -v call="$(median "$2.call")" -v own="$(median "$2.own")" \
		-v seen="$(median "$2.seen")" 'BEGIN {
			if (call == "-" || own == "-" || seen == "-")
				printf "%-22s %12s %12s %12s %9s\n", what, "-", "-", "-", "-"
			else
				printf "%-22s %12.0f %12.0f %12.1f %9.3f\n", what, call, call - alone, own, seen
		}'
}

for ((run = 0; run < runs; run++)); do
	storm_into alone
	measure records
	measure kernel --in-kernel
done
echo "$calls system calls summed up by their id, $runs runs; without ringtop $(median alone) ns a call"
echo
printf '%-22s %12s %12s %12s %9s\n' "" "ns a call" "of it ours" "own CPU ns" "% seen"
row "--by, by records" records
row "--by --in-kernel" kernel
