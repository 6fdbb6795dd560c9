#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Off-CPU times that begin and end on the real screen while it measures (:off-cpu): of a program that runs between, each
# wait within one per cent and all of each thread's time; of one that runs after they end, nothing; again of a third one;
# and where the rings are opened anew in the middle, not more than there was.  The same
# over a link; of several hosts it is said how to have them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/waits.sh"
need_perf
need_tracepoint sched sched_switch
need_tracepoint sched sched_waking
need_work waits_known spin_shares

# program N: it waits to be told to run, what it measured comes to $tmp/waits.N
program() {
	mkfifo "$tmp/go.$1"
	"$work/waits_known" -n 60 -w <"$tmp/go.$1" >"$tmp/waits.$1" 9>&- &
	pids[$1]=$!
	started+=("$!")
	eval "exec $((20 + $1))>\"\$tmp/go.$1\""
}

go() {
	eval "printf x >&$((20 + $1))"
	waits_told=$tmp/waits.$1
}

pids=()
for n in 1 2 3 4; do
	program $n
done
"$work/spin_shares" -s 600 >"$tmp/work" 2>&1 9>&- &
started+=("$!")
open_screen Functions -p "${pids[1]},${pids[2]},${pids[3]},${pids[4]},$!" -e cpu-clock -F 500
command_line "window all"

# is_on true|false
is_on() {
	report on.json
	[ "$(json 'all:total.events[name=off-cpu].rates.on' | tail -n 1)" = "$1" ]
}

# program_told N: it runs to its end, and all of it is there
program_told() {
	go "$1"
	wait_until 60 has_text "$tmp/waits.$1" "count=" || fail "$what: program $1 does not end"
	wait_until 20 all_told || fail "$what: reading has $(of reading on-cpu) and $(of reading off-cpu) ns of $(said reading_wall)"
	each_near "$what"
	whole_time "$what"
}

what="off-CPU times that begin"
command_line "off-cpu on"
wait_until 20 has_text "$tmp/screen" 'measured from now on' || fail "$what: nothing is said"
wait_until 20 is_on true || fail "$what: no event off-cpu comes"
program_told 1
command_line "off-cpu on"
wait_until 10 has_text "$tmp/screen" 'measured already' || fail "$what: twice is not refused"

what="off-CPU times that end"
command_line "off-cpu off"
wait_until 20 has_text "$tmp/screen" 'no longer measured' || fail "$what: nothing is said"
wait_until 20 is_on false || fail "$what: off-cpu is still on"
report before.json
before=$(json 'sum:total.events[name=off-cpu].counted')
holds "$(json 'sum:total.events[name=off-cpu].attributed') + $(json 'sum:total.events[name=off-cpu].lost.paused') == $before" ||
	fail "$what: not all of $before ns is attributed"
go 2
wait_until 60 has_text "$tmp/waits.2" "count=" || fail "the second program does not end"
report after.json
[ "$(json 'sum:total.events[name=off-cpu].counted')" = "$before" ] ||
	fail "$what: $before ns, and then $(json 'sum:total.events[name=off-cpu].counted')"
holds "0$(of sleeper off-cpu) + 0$(of sleeper on-cpu) == 0" || fail "$what: sleeper has $(of sleeper off-cpu) ns"
waits_told=$tmp/waits.1
each_near "$what, what was measured"
pass "$what: $before ns stay"

what="off-CPU times that begin again"
command_line "off-cpu"
wait_until 20 is_on true || fail "$what: off-cpu does not come"
program_told 3

# What is cut where the rings are opened anew is not told, and nothing goes on meanwhile.
what="an event that comes between"
go 4
command_line "add-event context-switches"
wait_until 60 has_text "$tmp/waits.4" "count=" || fail "the fourth program does not end"
wait_until 10 has_text "$tmp/screen" 'context-switches' || fail "$what: it does not come"
most_told() {
	report most.json
	holds "0$(of reading on-cpu) + 0$(of reading off-cpu) >= 0.5 * 0$(said reading_wall)"
}
wait_until 20 most_told || fail "$what: reading has $(of reading on-cpu) and $(of reading off-cpu) ns of $(said reading_wall)"
for name in sleeper holder locked writer reading; do
	holds "0$(of $name on-cpu) + 0$(of $name off-cpu) <= 1.001 * $(said ${name}_life)" ||
		fail "$what: $name lived for $(said ${name}_life) ns, on-cpu and off-cpu are $(of $name on-cpu) and $(of $name off-cpu)"
done
pass "$what: $(of reading off-cpu) of $(said reading_ns) ns"
command_line quit
wait_until 20 gone "$screen" || fail "it does not end"

what="over a link"
far_shell
program 5
open_screen Functions -H here --ssh "$far_shell" -p "${pids[5]}"
wait_until 20 has_text "$tmp/screen" 'cpu-clock' || fail "$what: no events"
command_line "window all"
command_line "off-cpu"
wait_until 20 is_on true || fail "$what: off-cpu does not come"
program_told 5
command_line quit
wait_until 20 gone "$screen" || fail "$what: it does not end"

what="of two hosts"
open_screen Functions -H here,there --ssh "$far_shell"
wait_until 20 has_text "$tmp/screen" 'cpu-clock' || fail "$what: no events"
command_line "off-cpu"
wait_until 10 has_text "$tmp/screen" 'start again with --off-cpu' || fail "$what: it is not said how"
pass "$what it is said how"
command_line quit
wait_until 20 gone "$screen" || fail "$what: it does not end"
