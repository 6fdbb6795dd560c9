#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tracepoints are summed up by, changed by keys on the real screen while a storm of calls is measured: what each
# list of fields has, together, is what is attributed, to the event; what was summed up before stays; what cannot be is
# said, keeps what was typed, and changes nothing.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"

# report: what the screen holds, as $out
report() {
	rm -f "$out"
	command_line "write json:$out"
	wait_until 10 has_text "$out" '"type":"total"' || fail "no report is written"
}

# sums: "FIELDS COUNT" of each list of fields, then "attributed N", "counted N", "lost N", "pending N"
sums() {
	report
	python3 - "$out" <<'END'
import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "total":
        total = r
by = {}
for f in total["fields"]:
    names = ",".join(f["key"]) or "rest"
    by[names] = by.get(names, 0) + f["count"]
    assert sum(f["hist"]) == f["count"], f
for names in sorted(by):
    print(names, by[names])
e = next(e for e in total["events"] if e["name"].startswith("raw_syscalls:sys_enter"))
print("attributed", e["samples"])
for name in "counted", "pending":
    print(name, e[name])
print("lost", sum(e["lost"].values()))
END
}

# of NAME: its number in the sums
of() {
	awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' "$tmp/sums"
}

# has NAME...: all of these have counts
has() {
	local name

	sums >"$tmp/sums" || return 1
	for name; do
		[ "$(of "$name")" -gt 0 ] || return 1
	done
}

# adds_up: what the fields have is what was attributed, and with what is lost and pending what was counted
adds_up() {
	local fields

	fields=$(awk '$1 !~ /^(attributed|counted|pending|lost)$/ { n += $2 } END { print n }' "$tmp/sums")
	[ "$fields" = "$(of attributed)" ] || fail "$1: fields $fields, attributed $(of attributed): $(cat "$tmp/sums")"
	[ $((fields + $(of lost) + $(of pending))) = "$(of counted)" ] || fail "$1: $(cat "$tmp/sums")"
}

"$work/storm_exact" 100000000000 >/dev/null 9>&- &
storm=$!
started+=("$storm")

open_screen Functions -p "$storm" -m 16M -e raw_syscalls:sys_enter --by id
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
[ "$(of comm)" -gt "$(awk '$1 == "comm" { print $2 }' "$tmp/before")" ] || fail "$what: and nothing comes any more"
pass "$what stays"

what="a wrong field"
command_line "by id,nosuch"
wait_until 10 has_text "$tmp/screen" "no field 'nosuch'" || fail "$what is not refused"
keys '\0177\0177\0177\0177\0177\0177\0177\r' # it is still there, to be mended
wait_until 20 is_by id || fail "$what: it cannot be mended"
pass "$what is said, and mended"

what="the keys"
keys '0g' # the menu, where id is the third line, and comm the last
wait_until 10 has_text "$tmp/screen" 'sum up by' || fail "$what: no menu"
keys 'kkk\r'
wait_until 20 is_by comm || fail "$what: the menu chooses $(json 'header.events.by')"
pass "$what"

what="none"
command_line "by none"
wait_until 20 is_by - || fail "$what: it is summed up all the same"
has comm || fail "$what: the counts of before are gone"
[ "$(of attributed)" -gt "$(awk '$1 !~ /^(attributed|counted|pending|lost)$/ { n += $2 } END { print n }' "$tmp/sums")" ] ||
	fail "$what: $(cat "$tmp/sums")"
pass "$what: $(of attributed) attributed"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
