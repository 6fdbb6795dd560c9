#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Waits of a program without frame pointers stand below its own functions by copies of stacks: of a command, over a
# link, in a recording, and after they were chosen on the screen.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits.sh"
. "$(dirname "$0")/far.sh"
. "$(dirname "$0")/typed.sh"
need_root
need_perf
[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_nofp
far_shell

# ns EVENT FUNCTION: with all it calls
ns() {
	local share all

	share=$(in_total "sum:total.functions[event=$1][function=$2].total")
	all=$(in_total "sum:total.events[name=$1].attributed")
	awk "BEGIN { printf \"%.0f\", 0$share * 0$all }"
}

# What each thread waited after its beginning stands below its function.  Copies that found no room are counted.
below() {
	local what=$1 name waited stands

	for name in sleeper holder locked writer reading; do
		waited="0$(of $name off-cpu) - 0$(said ${name}_early)"
		stands=$(ns off-cpu "run_$name")
		if holds "0$stands >= 0.99 * ($waited)"; then
			echo "$what: $name waits $stands ns below its function"
		elif holds "0$(in_total total.unwind.dropped) > 0"; then
			differs "$what: $name waits $stands ns of $waited ns below its function, and some copies had no room"
		else
			in_total 'all:total.functions[event=off-cpu].function' | head -30 >&2
			fail "$what: $name waits $stands ns of $waited ns below its function"
		fi
	done
	# Who lets go of the mutex is there, too, with the function that does.
	stands=$(ns off-cpu:wakers run_holder)
	holds "0$stands >= 0.9 * 0$(said locked_ns)" || differs "$what: holder wakes others after ${stands:-no} ns"
	echo "$what: holder wakes others after $stands ns"
}

# command_waits WHAT OPTION...
command_waits() {
	waits_told=$err
	rt --json --call-graph dwarf --off-cpu -e cpu-clock "${@:2}" -- "$work/waits_nofp" -n 60
	expect_status 0 "$1"
	check_report
	below "$1"
}

of_file() {
	waits_told=$tmp/said
	perf record -q --switch-events --call-graph dwarf -e sched:sched_switch -e sched:sched_waking -o "$tmp/data" -- \
		"$work/waits_nofp" -n 20 >"$tmp/said" 2>"$tmp/perf" || return 0
	rt --json -i "$tmp/data" --off-cpu
	expect_status 0 "a recording"
	check_report
	below "a recording"
}

# They are chosen while it measures: waits that begin later have them.
of_screen() {
	waits_told=$tmp/waits
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	"$work/waits_nofp" -n 60 -w <"$tmp/go" >"$tmp/waits" 9>&- &
	started+=("$!")
	exec 20>"$tmp/go"
	open_screen Functions -p $! -m 16M -e cpu-clock --call-graph fp --off-cpu
	command_line "window all"
	command_line "call-graph dwarf"
	wait_until 20 has_event "cpu-clock/call-graph=dwarf/" || fail "the event's stacks are not copied"
	printf x >&20
	wait_until 60 has_text "$tmp/waits" "count=" || fail "the program does not end"
	wait_until 20 all_told || fail "reading has $(of reading on-cpu) and $(of reading off-cpu) ns of $(said reading_wall)"
	below "on the screen"
	keys q
}

has_event() {
	report events.json
	json "all:total.events[name=$1].rates.on" | tail -n 1 | grep -q true
}

agrees command_waits "a command"
agrees command_waits "over a link" -H there --ssh "$far_shell"
command -v perf >/dev/null && agrees of_file
agrees of_screen
pass "waits stand below the functions that wait"
