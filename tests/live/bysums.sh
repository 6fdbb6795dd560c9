# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bysums.sh - what lists of fields come to, of raw_syscalls:sys_enter in a report; after lib.sh and typed.sh.

command -v python3 >/dev/null || skip "no python3"

# sums_of FILE: "FIELDS COUNT" of each list of fields, then "attributed N", "counted N", "lost N", "pending N"
sums_of() {
	python3 - "$1" <<'END'
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

# sums: of what the screen holds
sums() {
	report
	sums_of "$out"
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
