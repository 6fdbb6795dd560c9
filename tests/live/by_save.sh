#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a storm of calls is summed up by, changed on the screen while its time line is saved, and before key T saves what
# was there already: the file has each list of fields by itself, under its own names, to the event.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/bysums.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact

"$work/storm_exact" 100000000000 >/dev/null 9>&- &
storm=$!
started+=("$storm")

# by_both: first by id, then by comm and cpu
by_both() {
	command_line "window all"
	wait_until 20 has id || fail "$what: nothing comes"
	command_line "by comm,cpu"
	wait_until 20 has comm,cpu || fail "$what: nothing comes by other fields"
	cp "$tmp/sums" "$tmp/screen-sums"
}

# saved: the file has what the screen had, and what came after that
saved() {
	command_line quit
	wait_until 20 gone "$screen" || fail "$what: it does not end"
	rt -i "$tmp/saved" --json
	expect_status 0 "$what: -i of the file"
	check_report
	sums_of "$out" >"$tmp/sums" || fail "$what: the file's report breaks a rule"
	adds_up "$what"
	[ "$(grep "^id " "$tmp/sums")" = "$(grep "^id " "$tmp/screen-sums")" ] ||
		fail "$what: another list has changed: $(cat "$tmp/screen-sums" "$tmp/sums")"
	[ "$(of comm,cpu)" -ge "$(awk '$1 == "comm,cpu" { print $2 }' "$tmp/screen-sums")" ] || fail "$what: some are missing"
	[ "$(of rest)" = 0 ] || fail "$what: keys became the rest: $(cat "$tmp/sums")"
	pass "$what: $(paste -sd' ' "$tmp/sums")"
	rm -rf "$tmp/saved"
}

what="changed while it is saved"
open_screen Functions --save "$tmp/saved" -p "$storm" -m 16M -e raw_syscalls:sys_enter --by id
by_both
saved

what="saved after it was changed"
open_screen Functions -p "$storm" -m 16M -e raw_syscalls:sys_enter --by id
by_both
keys "T\\0025$tmp/saved\\r"
wait_until 20 has_text "$tmp/screen" "time line is saved to" || fail "$what: T saves nothing"
saved
