#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# log_cost.sh [-n RUNS] [-c CALLS] RINGTOP STORM - what it costs to have every system call as a line, or as an event of
# ftrace's buffer: CPU time of all threads of ringtop --log-events, --ftrace, perf trace and trace-cmd record, of the
# same storm (STORM: tests/work's storm_exact), and ringtop's over theirs.  How many of the calls each of them has, as
# lines, sums or records, stands beside it: ringtop's log shows the newest of a tick and counts the others, perf trace
# prints all that its ring did not lose.
#
# Ratios of runs in pairs, one right after the other; the median of RUNS (3).  Figures, no test.  Needs root; who is not
# there, or may not record here (trace-cmd switches ftrace_enabled, which containers refuse), is "-" with its reason.
set -u
export LC_ALL=C.UTF-8

runs=3 calls=500000
while getopts n:c: option; do
	case $option in
	n) runs=$OPTARG ;;
	c) calls=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || { echo "usage: log_cost.sh [-n RUNS] [-c CALLS] RINGTOP STORM" >&2; exit 2; }
ringtop=$(realpath "$1") && storm=$(realpath "$2") || exit 1
[ "$(id -u)" = 0 ] || { echo "log_cost.sh: needs root" >&2; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-log-cost.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs the storm so that its CPU time is nobody's: whose children's end is ignored does not get their times.
alone='$SIG{CHLD} = "IGNORE"; defined($pid = fork) or die; $pid or exec @ARGV; waitpid $pid, 0; exit 0'

# cost NAME COMMAND...: user and system seconds of it and its helpers, without the storm's, appended to NAME.cpu
cost() {
	local name=$1 TIMEFORMAT='%U %S' status

	shift
	{ time "$@" perl -e "$alone" "$storm" "$calls" >"$tmp/$name.out" 2>"$tmp/$name.err"; } 2>"$tmp/time"
	status=$?
	[ $status = 0 ] || { rm -f "$tmp/$name.cpu"; return 1; }
	awk '{ print $1 + $2 }' "$tmp/time" >>"$tmp/$name.cpu"
}

ringtop_log() {
	cost log "$ringtop" --no-config --json -d 1 -m 16M -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit --log-events --
	sed -n '/"type":"total"/s/.*"name":"raw_syscalls:sys_exit"[^}]*"attributed":\([0-9]*\).*/\1/p' "$tmp/log.out" >"$tmp/log.seen"
}

ringtop_ftrace() {
	cost ftrace "$ringtop" --no-config --json -d 1 -m 16M --ftrace raw_syscalls:sys_enter,raw_syscalls:sys_exit --
	sed -n '/"type":"total"/s/.*"name":"raw_syscalls:sys_exit"[^}]*"attributed":\([0-9]*\).*/\1/p' "$tmp/ftrace.out" >"$tmp/ftrace.seen"
}

perf_trace() {
	cost perf perf trace -m 4096 -o "$tmp/perf.lines" --
	grep -c 'getppid(' "$tmp/perf.lines" >"$tmp/perf.seen"
	rm -f "$tmp/perf.lines"
}

trace_cmd() {
	cost cmd trace-cmd record -q -o "$tmp/trace.dat" -b 16384 -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit
	trace-cmd report -i "$tmp/trace.dat" 2>/dev/null | grep -c 'sys_exit: *NR 110' >"$tmp/cmd.seen"
	rm -f "$tmp/trace.dat"
}

# median of a column of numbers on stdin; - where there are none
median() {
	sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'
}

row() { # what, name
	if [ ! -s "$tmp/$2.cpu" ]; then
		printf '%-22s %12s %12s   %s\n' "$1" - - "$(tail -n 1 "$tmp/$2.err" 2>/dev/null)"
		return
	fi
	awk -v what="$1" -v s="$(median <"$tmp/$2.cpu")" -v calls="$calls" -v seen="$(cat "$tmp/$2.seen")" 'BEGIN {
		printf "%-22s %12.0f %12.2f\n", what, s * 1e9 / calls, seen / calls * 100 }'
}

ratio() { # of, to
	[ -s "$tmp/$1.cpu" ] && [ -s "$tmp/$2.cpu" ] || { echo -; return; }
	paste -d' ' "$tmp/$1.cpu" "$tmp/$2.cpu" | awk '$2 > 0 { print $1 / $2 }' | median
}

for ((run = 0; run < runs; run++)); do
	ringtop_log
	command -v perf >/dev/null && perf_trace
	ringtop_ftrace
	command -v trace-cmd >/dev/null && trace_cmd
done
echo "$calls system calls, entered and left, $runs runs"
echo
printf '%-22s %12s %12s\n' "" "own CPU ns" "% seen"
row "ringtop --log-events" log
row "perf trace" perf
row "ringtop --ftrace" ftrace
row "trace-cmd record" cmd
echo
echo "ringtop --log-events / perf trace: $(ratio log perf)"
echo "ringtop --ftrace / trace-cmd record: $(ratio ftrace cmd)"
echo "ringtop --ftrace / perf trace: $(ratio ftrace perf)"
