#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Key o of a live session with --off-cpu: time on and off CPUs beside each other; i in Tasks: what the task did and when,
# and which of its threads woke it; in Functions: who woke those that waited there; at 80x24 and 200x50, with and without colour.  Without --off-cpu o says what to do.
. "$(dirname "$0")/lib.sh"
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o "$tmp/ptyrun" "$tests_dir/bench/ptyrun.c" -lvterm -lutil 2>"$err" ||
	skip "ptyrun needs libvterm"

"$work/waits_known" -n 100000 >"$tmp/waits" &
waits=$!
started+=("$waits")

# screen NAME ROWS COLS [OPTION...]: the script on stdin
screen() {
	local name=$1 rows=$2 cols=$3

	shift 3
	timeout -k 5 120 "$tmp/ptyrun" -r "$rows" -c "$cols" -- "$RINGTOP" --no-config -p "$waits" "$@" >"$tmp/pty" 2>&1 || {
		cat "$tmp/pty" >&2
		fail "$name"
	}
	pass "$name"
}

for size in "24 80" "50 200"; do
	read -r rows cols <<<"$size"
	for mono in "" 1; do
		NO_COLOR=$mono screen "o in Tasks at ${cols}x$rows${mono:+ without colour}" "$rows" "$cols" --off-cpu <<-END
			expect 20 waits_known
			key o
			expect 10 OFF-CPU/s
			key 2
			expect 10 100 % is
			key i
			expect 10 wall time
			expect 20 running
			expect 20 runnable
			key q
			exit 10
		END
	done
done
screen "who woke it, and when it did what" 50 200 --off-cpu <<-END
	expect 20 waits_known
	key o
	key 2
	key i
	expect 20 mostly
	expect 20 woken by
	expect 20 writer (
	expect 20 holder (
	key q
	exit 10
END
screen "who woke those that waited in a function" 50 200 --off-cpu <<-END
	expect 20 waits_known
	key o
	expect 10 OFF-CPU/s
	key /pipe_read\n
	expect 20 pipe_read
	key i
	expect 20 woken by
	expect 20 writer (
	key q
	exit 10
END
screen "o without --off-cpu, and once more" 24 80 <<-END
	expect 20 Functions
	key o
	expect 10 press o again to start
	key o
	expect 20 OFF-CPU/s
	key q
	exit 10
END
kill "$waits"
