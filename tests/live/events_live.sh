#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events that come, change their rate and go on the real screen, while a process is measured: what comes is counted to
# the event from then on, in children too; what was measured stays; what cannot be is said and changes nothing.
# EVENTS_CALLS: system calls (200000).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
[ -v far ] || far=()
need_tracepoint raw_syscalls sys_enter
need_work storm_exact spin_shares spin_large
"$RINGTOP" --text --duration 0.1 >"$tmp/probe" 2>&1 || skip "ringtop cannot measure here"

calls=${EVENTS_CALLS:-200000}

# has_counted NAME EVENT AT LEAST
has_counted() {
	report "$1"
	holds "$(json "total.events[name=$2].counted" | head -n 1) >= $3"
}

mkfifo "$tmp/go"
"$work/storm_exact" $calls wait <"$tmp/go" >/dev/null 9>&- &
storm=$!
started+=("$storm")
exec 6>"$tmp/go"
"$work/spin_shares" -s 600 >"$tmp/work" 2>&1 9>&- &
spin=$!
started+=("$spin")

open_screen Functions "${far[@]}" -p "$storm,$spin" -e cpu-clock -F 500

command_line "window all"
what="an event that comes"
command_line "add-event raw_syscalls:sys_enter"
wait_until 10 has_text "$tmp/screen" added || fail "$what: nothing is said of it"
is_measured() {
	report measured.json
	json "all:total.events.name" | grep -q raw_syscalls:sys_enter
}
wait_until 10 is_measured || fail "$what: it never came"
printf x >&6
counted_all() {
	has_counted counted.json raw_syscalls:sys_enter "$calls"
}
wait_until 20 counted_all || fail "$what: $(json 'total.events[name=raw_syscalls:sys_enter].counted') of $calls"
before=$(json 'total.events[name=raw_syscalls:sys_enter].counted')
holds "$before <= $calls + 1000" || fail "$what: $before, of $calls"
# The process that spins makes calls of its own, when it looks at the time.
[ "$(json "total.events[name=raw_syscalls:sys_enter].lost.unknown" | head -n 1)" = 0 ] || fail "$what: some are lost"
# Who made them: functions and tasks have the event's rows, too.  Those of a reader that was late come after its counts.
has_functions() {
	report functions.json
	holds "$(json "all:total.functions[event=raw_syscalls:sys_enter].weight" | paste -sd+) >= $calls"
}
wait_until 20 has_functions ||
	fail "$what: its functions have $(json "all:total.functions[event=raw_syscalls:sys_enter].weight" | paste -sd+)"
pass "$what: $calls of $calls"

what="a rate that changes"
command_line "frequency 50"
wait_until 10 seen 1 'gets 50 samples a second' || fail "$what: nothing is said"
has_rates() {
	report rates.json
	[ "$(json 'all:total.events[name=cpu-clock].rates.frequency' | tr '\n' ' ')" = "500 50 " ]
}
wait_until 10 has_rates || fail "$what: $(json 'all:total.events[name=cpu-clock].rates.frequency' | tr '\n' ' ')"
sums() {
	local all parts

	all=$(json 'total.events[name=cpu-clock].counted' | head -n 1)
	parts=$(json 'all:total.events[name=cpu-clock].rates.counted' | paste -sd+)
	holds "$all == $parts"
}
sums || fail "$what: the parts' counts are not the whole"
pass "$what: $(json 'all:total.events[name=cpu-clock].rates.counted' | paste -sd+) = $(json 'total.events[name=cpu-clock].counted' | head -n 1)"

what="a filter that comes"
command_line "event raw_syscalls:sys_enter"
command_line "event-filter id == -2" # no system call has this number
wait_until 10 has_text "$tmp/screen" 'another filter' || fail "$what: nothing is said"
is_filtered() {
	report filtered.json
	json 'header.events.filter' | grep -q 'id == -2' || json 'all:total.events.filter' | grep -q 'id == -2'
}
wait_until 10 is_filtered || fail "$what: it does not come"
before=$(json 'total.events[name=raw_syscalls:sys_enter].counted' | head -n 1)
wait_until 10 has_rates || fail "$what: the rates are gone"
[ "$(json 'total.events[name=raw_syscalls:sys_enter].counted' | head -n 1)" = "$before" ] ||
	fail "$what: $before, and then $(json 'total.events[name=raw_syscalls:sys_enter].counted' | head -n 1)"
command_line "event-filter nosuch == 1"
wait_until 10 has_text "$tmp/screen" "${refuser:-}.*nosuch" || fail "$what: a wrong one is not refused"
command_line "event cpu-clock"
pass "$what: $before stay"

what="what cannot be"
command_line "add-event no-such-event"
wait_until 10 has_text "$tmp/screen" no-such-event || fail "$what: an unknown event is not refused"
command_line "frequency none"
wait_until 10 has_text "$tmp/screen" 'number above 0' || fail "$what: a rate that is none"
pass "$what is said"

what="an event that goes"
command_line "drop-event" # cpu-clock is shown
wait_until 10 has_text "$tmp/screen" "its past data" || fail "$what: nothing is said"
is_off() {
	report off.json
	[ "$(json 'all:total.events[name=cpu-clock].rates.on' | tail -n 1)" = false ]
}
wait_until 10 is_off || fail "$what: it is still on"
before=$(json 'total.events[name=cpu-clock].counted' | head -n 1)
later() {
	report later.json
	holds "$(json 'total.events[name=raw_syscalls:sys_enter].counted' | head -n 1) >= $calls"
}
later || fail "$what: the other one has lost its counts"
[ "$(json 'total.events[name=cpu-clock].counted' | head -n 1)" = "$before" ] || fail "$what: it is still counted"
command_line "event raw_syscalls:sys_enter"
command_line "drop-event"
wait_until 10 has_text "$tmp/screen" 'the last event' || fail "$what: the last one goes, too"
pass "$what, but not the last one"
what="call paths that come"
command_line "add-event task-clock"
has_event() {
	report paths.json
	json "all:total.events[name=$1].rates.on" | tail -n 1 | grep -q true
}
wait_until 10 has_event task-clock || fail "$what: no event to take them of"
command_line "event task-clock"
keys 3C
wait_until 10 has_event task-clock/call-graph=auto/ || fail "$what: nothing with them is measured"
wait_until 10 has_text "$tmp/screen" '__libc_start' || fail "$what: nobody calls main on the screen"
keys C
wait_until 10 has_event task-clock/call-graph=dwarf/ || fail "$what: no stacks are copied"
keys C # as it was
wait_until 10 has_event task-clock/call-graph=no/ || fail "$what: they do not end"
pass "$what, and go"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"

what="stacks that end after one function"
"$work/spin_large" -s 600 >/dev/null 2>&1 9>&- &
started+=("$!")
open_screen Functions "${far[@]}" -p "$!" -e cpu-clock --call-graph fp
keys 3
wait_until 20 has_text "$tmp/screen" 'copies stacks: ' || fail "$what: Tree has no word of it"
pass "$what: Tree says what to do"
if [ "$(uname -m)" = x86_64 ]; then
	command_line "window all"
	keys C
	has_callers() {
		report copied.json
		holds "$(json 'total.events[name=cpu-clock/call-graph=dwarf/].attributed') > 500000000" &&
			holds "$(json 'sum:total.functions[event=cpu-clock/call-graph=dwarf/][function=main].total') > 0.9"
	}
	wait_until 10 has_event cpu-clock/call-graph=dwarf/ || fail "$what: no stacks are copied"
	wait_until 60 has_callers || fail "$what: nobody calls them with copies, either"
	wait_until 10 has_text "$tmp/screen" '_start' || fail "$what: the outermost caller is not on the screen"
	check_report
	[ "$(json 'total.unwind.stack_bytes')" -gt 0 ] || fail "$what: the report has no word of unwinding"
	keys 6
	wait_until 10 has_text "$tmp/screen" 'of stacks are copied a second' || fail "$what: what copies cost is not said"
	for name in cpu-clock cpu-clock/call-graph=dwarf/; do
		counted=$(json "total.events[name=$name].counted" | head -n 1)
		attributed=$(json "total.events[name=$name].attributed" | head -n 1)
		rest=$(($(json "sum:total.events[name=$name].lost") + $(json "total.events[name=$name].pending" | head -n 1)))
		# a period and CPU that ended with the change
		near "$attributed + $rest" "$counted" 10000000 || fail "$what: $attributed and $rest of $counted $name"
	done
	pass "$what: C copies stacks from then on: $attributed of $counted are attributed"
fi
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
