#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An agent that is killed after its events were changed (:by, :add-event, :between): the new one begins as the first did,
# which is said; what was measured before stays, what comes then is counted by itself, to the event, and can be changed again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/bysums.sh"
need_root
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
far_shell

"$work/storm_exact" 100000000000 >/dev/null 9>&- &
storm=$!
started+=("$storm")
open_screen Functions -H there --ssh "$far_shell" -p "$storm" -m 16M -e raw_syscalls:sys_enter --by id
command_line "window all"

# measures EVENT: it is among the events
measures() {
	report
	json "all:total.events.name" | grep -qx "$1"
}

# attributed EVENT
attributed() {
	json "total.events[name=$1].samples" | head -n 1
}

what="changed"
wait_until 20 has id || fail "$what: nothing comes"
command_line "by comm"
wait_until 20 has comm || fail "$what: nothing by comm"
command_line "add-event context-switches"
wait_until 20 measures context-switches || fail "$what: no event comes"
command_line "between syscalls"
wait_until 20 measures raw_syscalls:sys_exit || fail "$what: no pairs come"
has id comm && adds_up "$what"
cp "$tmp/sums" "$tmp/before"
pass "$what: $(paste -sd' ' "$tmp/sums")"

what="the agent is killed"
for pid in $(pgrep -x ringtop-agent); do
	[ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" = "$tmp/far/bin/ringtop --agent " ] && kill -KILL "$pid"
done
wait_until 40 has_text "$tmp/screen" "are those of the start" || fail "$what: nothing is said of the events"
back() {
	has id && [ "$(of id)" -gt "$(awk '$1 == "id" { print $2 }' "$tmp/before")" ]
}
wait_until 20 back || fail "$what: it is not by id again: $(cat "$tmp/sums")"
adds_up "$what"
comm=$(of comm) exits=$(attributed raw_syscalls:sys_exit)
[ "$comm" -ge "$(awk '$1 == "comm" { print $2 }' "$tmp/before")" ] || fail "$what: what was by comm is gone"
[ "$(json 'all:total.events[name=context-switches].rates.on' | tail -n 1)" = false ] || fail "$what: an event of before is on"
[ -z "$(json 'all:total.latencies.from' 2>/dev/null)" ] || fail "$what: pairs are made"
pass "$what: $(paste -sd' ' "$tmp/sums")"

what="changed again"
command_line "by tid"
wait_until 20 has tid || fail "$what: nothing by tid"
adds_up "$what"
[ "$(of comm)" = "$comm" ] || fail "$what: by comm there were $comm, and are $(of comm)"
command_line "event raw_syscalls:sys_exit"
command_line "drop-event"
wait_until 10 has_text "$tmp/screen" "was lost with a session" || fail "$what: what is gone can be dropped"
[ "$(attributed raw_syscalls:sys_exit)" = "$exits" ] || fail "$what: an event of before counts on"
pass "$what: $(paste -sd' ' "$tmp/sums")"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
