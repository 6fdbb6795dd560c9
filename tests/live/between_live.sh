#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pairs of two tracepoints that are asked for on the real screen while a process is measured, of a known number of system
# calls: each is one pair, to the call; others in their place are counted by themselves; none where they are switched off.
# BETWEEN_CALLS: system calls (200000).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/bysums.sh"
[ -v far ] || far=()
need_tracepoint raw_syscalls sys_enter
need_work storm_exact

calls=${BETWEEN_CALLS:-200000}

# storms: each waits for a byte of $tmp/go1, 2 or 3; the last one never gets it
for i in 1 2 3; do
	mkfifo "$tmp/go$i"
	"$work/storm_exact" "$calls" wait <"$tmp/go$i" >/dev/null 9>&- &
	started+=("$!")
	pids[i]=$!
done
exec 5>"$tmp/go1" 6>"$tmp/go2" 8>"$tmp/go3"

open_screen Functions "${far[@]}" -p "${pids[1]},${pids[2]},${pids[3]}" -m 64M -e cpu-clock
command_line "window all"

# pairs FROM: "count unpaired_from unpaired_to lost" of those that begin there, that their histogram adds up to
pairs() {
	report
	json 'total.latencies{from,count,hist+,unpaired_from,unpaired_to,lost,min,p50,p99,max}' | awk -F'\t' -v from="$1" '
		$2 != $3 || $7 + 0 > $8 + 0 || $8 + 0 > $9 + 0 || $9 + 0 > $10 + 0 { print "wrong: " $0 }
		$1 == from { print $2, $4, $5, $6 }'
}

# are FROM WANTED...: pairs says so
are() {
	local from=$1

	shift
	[ "$(pairs "$from")" = "$*" ]
}

what="what cannot be"
command_line "between nosuch:a,nosuch:b"
wait_until 10 has_text "$tmp/screen" "nosuch" || fail "$what: an unknown tracepoint is not refused"
command_line "between raw_syscalls:sys_enter,raw_syscalls:sys_exit:nofield"
wait_until 10 has_text "$tmp/screen" "nofield" || fail "$what: an unknown field is not refused"
command_line "between off"
wait_until 10 has_text "$tmp/screen" "there are no pairs" || fail "$what: there are none to switch off"
[ -z "$(pairs raw_syscalls:sys_enter)" ] || fail "$what: pairs are made all the same"
pass "$what is said"

# The call that waits has been entered before, the last one has no end.
what="pairs that come"
command_line "between syscalls"
wait_until 20 are raw_syscalls:sys_enter 0 0 0 0 || fail "$what: they never come: $(pairs raw_syscalls:sys_enter)"
printf x >&5
wait_until 20 are raw_syscalls:sys_enter $((calls - 1)) 1 1 0 ||
	fail "$what: $(pairs raw_syscalls:sys_enter) of $calls calls"
pass "$what: $(pairs raw_syscalls:sys_enter) of $calls calls"

what="an event of theirs"
command_line "event raw_syscalls:sys_enter"
command_line "drop-event"
wait_until 10 has_text "$tmp/screen" "needs every hit of it" || fail "$what can be dropped"
command_line "event cpu-clock"
pass "$what stays"

# From the end of one call to the begin of the next: what waited ends first, the last one begins last.
what="others in their place"
command_line "between raw_syscalls:sys_exit,raw_syscalls:sys_enter"
wait_until 20 are raw_syscalls:sys_exit 0 0 0 0 || fail "$what: they never come: $(pairs raw_syscalls:sys_exit)"
printf x >&6
wait_until 20 are raw_syscalls:sys_exit "$calls" 0 0 0 || fail "$what: $(pairs raw_syscalls:sys_exit) of $calls calls"
pass "$what: $(pairs raw_syscalls:sys_exit) of $calls calls"

what="none any more"
command_line "between off"
is_off() {
	[ -z "$(pairs raw_syscalls:sys_exit)" ]
}
wait_until 20 is_off || fail "$what: $(pairs raw_syscalls:sys_exit)"
[ "$(json 'total.events[name=raw_syscalls:sys_exit].counted' | head -n 1)" -ge "$calls" ] || fail "$what: its events are gone, too"
command_line "event raw_syscalls:sys_exit"
command_line "drop-event"
wait_until 10 has_text "$tmp/screen" 'sys_exit ends' || fail "$what: its events cannot be dropped"
pass "$what"

# What nobody will do any more is refused in words, where the session ended by itself, too.
what="after the end"
printf x >&8
wait_until 20 has_text "$tmp/screen" ENDED || fail "$what: the session goes on without its processes"
command_line "between off"
wait_until 10 has_text "$tmp/screen" 'session on there has ended\|nothing is measured any more\|before the change was made' || fail "$what: it is taken"
pass "$what nothing is taken"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
