#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tracepoints are summed up by, changed by keys on the real screen while a storm of calls is measured: what each
# list of fields has, together, is what is attributed, to the event; what was summed up before stays; what cannot be is
# said, keeps what was typed, and changes nothing.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/bysums.sh"
[ -v far ] || far=()
need_tracepoint raw_syscalls sys_enter
need_work storm_exact

"$work/storm_exact" 100000000000 >/dev/null 9>&- &
storm=$!
started+=("$storm")

open_screen Functions "${far[@]}" -p "$storm" -m 16M -e raw_syscalls:sys_enter --by id
command_line "window all"
what="by id"
wait_until 20 has id || fail "$what: nothing comes"
adds_up "$what"
pass "$what: $(of id)"

# is_by FIELDS: it is summed up by these now
is_by() {
	report
	[ "$(json 'header.events.by' | tr -d ' ')" = "$1" ]
}

what="by others, while it storms"
for fields in id,tid 'args[1],id' common_pid,cpu,tid comm; do
	command_line "by $fields"
	wait_until 20 has "$fields" || fail "$what: $fields never comes: $(cat "$tmp/sums")"
	adds_up "$what: $fields"
done
lists=$(grep -vc '^\(attributed\|counted\|pending\|lost\)' "$tmp/sums")
[ "$lists" = 5 ] || fail "$what: $lists lists: $(cat "$tmp/sums")"
pass "$what: $(paste -sd' ' "$tmp/sums")"

what="what was summed up before"
cp "$tmp/sums" "$tmp/before"
has comm && adds_up "$what"
[ "$(grep "^id " "$tmp/sums")" = "$(grep "^id " "$tmp/before")" ] && [ "$(grep "^id,tid" "$tmp/sums")" = "$(grep "^id,tid" "$tmp/before")" ] ||
	fail "$what: $(cat "$tmp/before" "$tmp/sums")"
rises() {
	has comm && [ "$(of comm)" -gt "$(awk '$1 == "comm" { print $2 }' "$tmp/before")" ]
}
wait_until 10 rises || fail "$what: and nothing comes any more"
pass "$what stays"

what="a wrong field"
command_line "by id,nosuch"
wait_until 10 has_text "$tmp/screen" "no field 'nosuch'" || fail "$what is not refused"
[ "${#far[@]}" = 0 ] && keys '\0177\0177\0177\0177\0177\0177\0177\r' # it is still there, to be mended
[ "${#far[@]}" = 0 ] || command_line "by id" # the answer comes when the line is gone
wait_until 20 is_by id || fail "$what: it cannot be mended"
pass "$what is said, and mended"

if [ "${#far[@]}" = 0 ]; then
	what="the keys"
	keys '0g' # the menu, where id is the fourth line, and comm the last
	wait_until 10 has_text "$tmp/screen" 'sum up by' || fail "$what: no menu"
	keys 'kkkk\r'
	wait_until 20 is_by comm || fail "$what: the menu chooses $(json 'header.events.by')"
	pass "$what"
else
	what="the key" # no list of fields comes from there: they are typed
	keys '0g,comm\r'
	wait_until 20 is_by id,comm || fail "$what: it is by $(json 'header.events.by')"
	command_line "by comm"
	wait_until 20 is_by comm || fail "$what: it is by $(json 'header.events.by') still"
	pass "$what"
fi

what="none"
command_line "by none"
wait_until 20 is_by - || fail "$what: it is summed up all the same"
has comm || fail "$what: the counts of before are gone"
counts_on() {
	has comm && [ "$(of attributed)" -gt "$(awk '$1 !~ /^(attributed|counted|pending|lost)$/ { n += $2 } END { print n }' "$tmp/sums")" ]
}
wait_until 10 counts_on || fail "$what: $(cat "$tmp/sums")"
pass "$what: $(of attributed) attributed"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
