# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lib.sh - what the live tests share; sourced by them.
#
# A test gets the program in $RINGTOP, ends with 77 and a reason where the machine or the rights do
# not allow it, and leaves nothing behind: $tmp and every process it started go with it.  Nothing
# here sleeps for a fixed time to let something happen; wait_until asks until a condition holds.

set -u
export LC_ALL=C.UTF-8
export XDG_CONFIG_HOME=/dev/null # whoever runs the tests may have settings; go makes a directory of another name

live_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tests_dir=$(dirname "$live_dir")
if [ -e config.status ]; then
	default_work=$PWD/tests/work/built
else
	default_work=${TMPDIR:-/tmp}/ringtop-work-$(id -u)
fi
work=${WORK_DIR:-$default_work}
started=()
restores=()
rt_pid=
work_pid=
rt_status=

skip() {
	echo "SKIP: $*"
	exit 77
}

# fail MESSAGE...; shows what the program said last
fail() {
	echo "FAIL: $*" >&2
	if [ -s "$err" ]; then
		echo "--- stderr of ringtop:" >&2
		tail -n 20 "$err" >&2
	fi
	exit 1
}

pass() {
	echo "ok: $*"
}

# on_exit COMMAND: undo a change of the machine, whatever happens
on_exit() {
	restores+=("$1")
}

cleanup() {
	local status=$? command pid

	trap - EXIT
	# first those that could still change the machine
	for pid in "${started[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	[ ${#started[@]} = 0 ] || wait "${started[@]}" 2>/dev/null
	for command in "${restores[@]}"; do
		eval "$command"
	done
	wait 2>/dev/null
	rm -rf "$tmp"
	exit "$status"
}

RINGTOP=${RINGTOP:-}
[ -n "$RINGTOP" ] || skip "RINGTOP does not name the program"
[ -x "$RINGTOP" ] || skip "$RINGTOP is not there"
RINGTOP=$(realpath "$RINGTOP")
mkdir -p "$work" || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-live.XXXXXX") || exit 1
chmod 755 "$tmp"
out=$tmp/out
err=$tmp/err
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# One live test at a time: they load the machine, and one takes a CPU away.  Those of the others that
# bear company (tests/run) keep only such a one out.
exec 9>"$work/lock"
flock ${RINGTOP_TEST_BESIDE:+-s} 9

bash "$tests_dir/work/build.sh" "$work" tiny >/dev/null || exit 1
jsoncheck=${JSONCHECK:-$work/jsoncheck}
if [ ! -x "$jsoncheck" ] || [ "$live_dir/jsoncheck.c" -nt "$jsoncheck" ] || [ "$live_dir/jsonquery.c" -nt "$jsoncheck" ]; then
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o "$jsoncheck" "$live_dir"/json{check,query}.c \
		-ljansson -lm || exit 1
fi

# --- what a test needs ---

need_work() {
	local name

	for name; do
		bash "$tests_dir/work/build.sh" "$work" "$name" 2>"$tmp/build" 9>&- || {
			cat "$tmp/build" >&2
			exit 1
		}
		if grep -q 'left out' "$tmp/build"; then
			skip "$(cat "$tmp/build")"
		fi
	done
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# sees_processes COMMAND...: whether /proc shows others' processes to whom the command makes us; without hidepid it does
sees_processes() {
	"$@" test -e /proc/1
}

need_perf() {
	[ -e /proc/sys/kernel/perf_event_paranoid ] || skip "the kernel has no perf events"
	[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 0 ] ||
		skip "needs root, or kernel.perf_event_paranoid at 0 or below"
}

# perf record and report; what perf keeps of programs goes with the test
need_stock_perf() {
	command -v perf >/dev/null || skip "no perf on this machine"
	export HOME=$tmp/home
	mkdir "$HOME"
	perf record -q -e cpu-clock -o "$tmp/probe" -- true >"$tmp/probe.out" 2>&1 && return
	cat "$tmp/probe.out"
	skip "perf cannot record here"
}

tracefs() {
	awk '$3 == "tracefs" { print $2; exit }' /proc/mounts
}

# need_tracepoint SUBSYSTEM NAME; tracefs is mounted at its usual place where nobody did
need_tracepoint() {
	need_root
	[ -n "$(tracefs)" ] || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null ||
		skip "no tracefs"
	[ -d "$(tracefs)/events/$1/$2" ] || skip "the kernel has no tracepoint $1:$2"
}

# need_instances: of ftrace; $instances is where they are
need_instances() {
	need_root
	instances=/sys/kernel/tracing/instances
	[ -d $instances ] || skip "no tracefs at /sys/kernel/tracing"
}

# ftrace_hits PID: what the kernel's own files say of the buffers of a ringtop's instance, in whatever became of them
ftrace_hits() {
	awk -F': ' '/^(entries|overrun|commit overrun|dropped events|read events):/ { sum += $2 } END { printf "%d", sum }' \
		"$instances/ringtop-$1-"*/per_cpu/cpu*/stats
}

# --- waiting ---

# wait_until SECONDS COMMAND...: 1 when it does not become true in time; WAIT_FACTOR times that in a
# machine that is slow
wait_until() {
	local deadline=$(($(date +%s%N) + $1 * ${WAIT_FACTOR:-1} * 1000000000))

	shift
	until "$@"; do
		[ "$(date +%s%N)" -lt "$deadline" ] || return 1
		sleep 0.02
	done
}

has_lines() {
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

has_text() {
	grep -q -- "$2" "$1" 2>/dev/null
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# --- the program ---

# rt ARGS...: run it to its end; sets rt_status
rt() {
	"$RINGTOP" "$@" >"$out" 2>"$err" 9>&-
	rt_status=$?
}

# rt_start ARGS...: start it headless; returns once it measures (its first interval is out).
# env: a shell without job control starts background jobs with SIGINT ignored.
rt_start() {
	rt_launch "$@"
	wait_until 10 rt_measures || fail "no first interval: ringtop $*"
	gone "$rt_pid" && fail "ended at once: ringtop $*"
	return 0
}

rt_launch() {
	: >"$out"
	env --default-signal=INT,QUIT "$RINGTOP" --json "$@" >"$out" 2>"$err" 9>&- &
	rt_pid=$!
	started+=("$rt_pid")
}

rt_measures() {
	has_lines "$out" 2 || gone "$rt_pid"
}

# End it and take its status.
rt_stop() {
	rt_signal INT
}

rt_signal() {
	kill -"$1" "$rt_pid" 2>/dev/null
	wait_until 10 gone "$rt_pid" || fail "ringtop does not end"
	wait "$rt_pid"
	rt_status=$?
}

expect_status() {
	[ "$rt_status" = "$1" ] || fail "$2: exit status $rt_status, not $1"
}

# expect_refused WORD ARGS...: by status 2 and one line that has the word
expect_refused() {
	local word=$1

	shift
	rt --text "$@"
	expect_status 2 "$*"
	[ "$(wc -l <"$err")" = 1 ] && grep -qF -- "$word" "$err" || fail "$*: '$word' is not said: $(cat "$err")"
}

# json QUERY...: values out of the report
json() {
	"$jsoncheck" -p "$out" "$@" 2>/dev/null
}

# The whole report must be well-formed and its arithmetic right.
check_report() {
	"$jsoncheck" "$out" || fail "the report breaks a rule"
}

# --- the workload ---

# work_start PROGRAM [ARG...]: with -w among the options it waits for `go`; sets work_pid
work_start() {
	local program=$1

	shift
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	exec 8<>"$tmp/go"
	: >"$tmp/work"
	"$program" "$@" <"$tmp/go" >"$tmp/work" 2>"$tmp/work.err" 9>&- 8>&- &
	work_pid=$!
	started+=("$work_pid")
}

# until it prints that it waits for go
work_ready() {
	wait_until 10 has_text "$tmp/work" "^waiting" || {
		cat "$tmp/work.err" >&2
		fail "the workload is not ready"
	}
}

go() {
	echo >&8
}

work_wait() {
	wait "$work_pid" || {
		cat "$tmp/work.err" >&2
		fail "the workload failed"
	}
}

# truth NAME: a figure the workload printed
truth() {
	sed -n "s/.*\\b$1=\\([^ ]*\\).*/\\1/p" "$tmp/work" | tail -n 1
}

# --- numbers ---

# holds EXPRESSION: an awk condition on numbers.  For gawk of its own ways 010 is 8.
holds() {
	POSIXLY_CORRECT=1 awk "BEGIN { exit !($*) }"
}

# near A B TOLERANCE, each an expression
near() {
	holds "($1) - ($2) <= ($3) && ($2) - ($1) <= ($3)"
}

# --- figures that the machine has a part in ---

# agrees ROUND [ARG...]: a measurement and all that is held against it, up to four times.  Other load, interrupts and a host
# that takes the CPU away may spoil one of them; a fault spoils each.  What must hold beside any load fails at once.
agrees() {
	local agree_round spoiled

	for agree_round in 1 2 3 4; do
		spoiled=
		"$@"
		[ -n "$spoiled" ] || return 0
	done
	fail "$*: differs in each of $agree_round rounds, last: $spoiled"
}

# differs MESSAGE...: a figure is not the one that it is held against, in this round of `agrees`, or for good outside of one
differs() {
	[ -n "${agree_round:-}" ] || fail "$*"
	echo "round $agree_round differs: $*"
	spoiled=$*
}
