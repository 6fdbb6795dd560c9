#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Key T on the real screen while exactly N events happen: the file has what was measured before the key as well, so its
# total is N, to the event; marks of before are in it.  What cannot be written is said, and asked for again.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v script >/dev/null || skip "no script(1) for a terminal"

calls=${EXACT_CALLS:-3000000}
saved=$tmp/saved

keys() {
	printf '%s' "$1" >&7
}

mkfifo "$tmp/keys"
exec 7<>"$tmp/keys"
TERM=xterm-256color script -q -c "stty rows 30 cols 120; exec '$RINGTOP' --no-config -e raw_syscalls:sys_enter -c 1 \
	-- '$work/storm_exact' $calls" /dev/null <"$tmp/keys" >"$tmp/screen" 2>&1 9>&- &
screen=$!
started+=("$screen")
grep -q "no screen" "$tmp/screen" && skip "this build has no screen"
wait_until 20 has_text "$tmp/screen" storm_exact || fail "no first screen"
wait_until 20 has_text "$tmp/screen" '\[k\] ' || fail "no rows" # before them there is nothing to mark

keys "$(printf 'mearly\r')"
keys "$(printf 'T\025%s/no/such/place\r' "$tmp")"
wait_until 20 has_text "$tmp/screen" "No such file" || fail "nothing is said of a place that is not there"
keys "$(printf '\025%s\r' "$saved")"
wait_until 20 has_text "$tmp/screen" "time line is saved to" || fail "T saves nothing"
wait_until 60 has_text "$tmp/screen" ENDED || fail "the session does not end"
keys q
wait_until 20 gone "$screen" || fail "q does not end it"

rt -i "$saved" --json
expect_status 0 "-i of what was saved"
check_report
[ "$(json 'total.events[0].counted')" = "$calls" ] || fail "counted $(json 'total.events[0].counted') of $calls"
has_text "$out" '"name":"early"' || fail "the mark is not in it"
[ "$(json 'sum:total.functions.weight')" -gt 0 ] || fail "no functions in the file"
pass "saved late: $calls counted, attributed and lost, as if from the start"
