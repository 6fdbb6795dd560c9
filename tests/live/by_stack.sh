#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --by stack: what each call path came to, to the event, held against what a program does and what perf script tells of
# the same file: alone and with fields, of several processes, live, of recordings, and changed while it runs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/bysums.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_paths storm_exact

left=300 right=500 rounds=10
program=("$work/storm_paths" $left $right $rounds)
getppid=(-e raw_syscalls:sys_enter --filter "id == 110")

# paths: "OTHER-FIELDS FUNCTIONS COUNT" of the program's own functions, "keys N", then what the account says
paths() {
	python3 - "$out" <<'END'
import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "total":
        total = r
own, by, keys = ("storm_left", "storm_right", "main"), {}, 0
for f in total["fields"]:
    names = f["key"].get("stack", ["rest"])
    said = " ".join(["%s=%s" % kv for kv in f["key"].items() if kv[0] not in ("stack", "pid")] +
                    [">".join(n for n in names if n in own) or "-"])
    keys += 1
    by[said] = by.get(said, 0) + f["count"]
    assert sum(f["hist"]) == f["count"], f
for said in sorted(by):
    print(said, by[said])
print("keys", keys)
e = total["events"][0]
print("samples", e["samples"], "sums", sum(by.values()), "lost", sum(e["lost"].values()))
END
}

# expect NAME: what stands on stdin is all that is said
expect() {
	expect_status 0 "$1"
	check_report
	paths >"$tmp/paths" || fail "$1: the report breaks a rule"
	diff - "$tmp/paths" >&2 || fail "$1"
	pass "$1"
}

rt --json -g -m 64M "${getppid[@]}" --by stack -- "${program[@]}"
expect "by call path" <<END
storm_left>main 3000
storm_right>main 5000
keys 2
samples 8000 sums 8000 lost 0
END

rt --json -m 64M -e raw_syscalls:sys_enter/call-graph=fp/ --filter "id == 110 || id == 231" --by id,stack -- "${program[@]}"
expect "with a field, by the event's own call paths" <<END
id=110 storm_left>main 3000
id=110 storm_right>main 5000
id=231 - 1
keys 3
samples 8001 sums 8001 lost 0
END

# Where each is in memory is its own; which functions these are is not.
two=(sh -c '"$@" & "$@"; wait' two "${program[@]}")
not_sh=(-e raw_syscalls:sys_enter --filter 'id == 110 && comm == "storm_paths"')
rt --json -g -m 64M "${not_sh[@]}" --by comm,stack -- "${two[@]}"
expect "of two processes" <<END
comm=storm_paths storm_left>main 6000
comm=storm_paths storm_right>main 10000
keys 2
samples 16000 sums 16000 lost 0
END
rt --json -g -m 64M "${not_sh[@]}" --by stack,pid -- "${two[@]}"
expect "of two processes, each for itself" <<END
storm_left>main 6000
storm_right>main 10000
keys 4
samples 16000 sums 16000 lost 0
END

# At a storm's rate, in the rings that are there by default.
rt --json -g -d 1000 -e raw_syscalls:sys_enter --by stack -- "$work/storm_paths" 1000 1000 "${BY_STACK_ROUNDS:-500}"
expect_status 0 "a storm"
paths >"$tmp/paths"
said=$(awk '$1 == "samples" { print $2 == $4 ? "all" : $4 " of " $2, "have a path in their key, lost", $6 }' "$tmp/paths")
case $said in all*) ;; *) fail "a storm: $said: $(cat "$tmp/paths")" ;; esac
cost=$(json 'total.self.cpu_seconds' | awk -v n="$(awk '$1 == "samples" { print $2 + $6 }' "$tmp/paths")" '{ printf "%.0f", $1 / n * 1e9 }')
pass "a storm: $said, $cost ns each"

# What a file says: perf script's paths of it, counted, are what ours are.
rt --json -g -m 64M -w "$tmp/ours.data" "${getppid[@]}" --by stack -- "${program[@]}"
paths >"$tmp/want" && expect "live, recorded" <"$tmp/want"
rt --json -i "$tmp/ours.data" --by stack
expect "of our own recording" <"$tmp/want"

# scripted FILE: as paths says it, by perf script
scripted() {
	perf script -i "$1" -F ip,sym 2>/dev/null | python3 -c '
import sys
own, by = ("storm_left", "storm_right", "main"), {}
for chunk in sys.stdin.read().split("\n\n"):
    names = [l.split()[1] for l in chunk.split("\n") if len(l.split()) > 1]
    if names:
        said = ">".join(n for n in names if n in own) or "-"
        by[said] = by.get(said, 0) + 1
for said in sorted(by):
    print(said, by[said])'
}

if command -v perf >/dev/null; then
	for how in fp dwarf; do
		perf record -q -m 64M --call-graph $how -o "$tmp/$how.data" "${getppid[@]}" -- "${program[@]}" >/dev/null 2>&1 9>&- ||
			fail "perf record"
		scripted "$tmp/$how.data" >"$tmp/perf"
		rt --json -i "$tmp/$how.data" --by stack
		expect_status 0 "perf's, $how"
		check_report
		paths | grep -v '^keys\|^samples' | diff "$tmp/perf" - >&2 || fail "perf's, $how: perf script says something else"
		pass "of perf's recording, $how: $(paste -sd' ' "$tmp/perf")"
	done
	perf record -q -m 64M -o "$tmp/flat.data" "${getppid[@]}" -- "${program[@]}" >/dev/null 2>&1 9>&-
fi

expect_refused "is sampled without call paths" -e raw_syscalls:sys_enter --by stack
expect_refused "is sampled without call paths" -g -e raw_syscalls:sys_enter/call-graph=no/ --by id,stack
expect_refused "copies stacks" --call-graph dwarf -e raw_syscalls:sys_enter --by stack
expect_refused "does not read call paths" -g -a -e raw_syscalls:sys_enter --by stack --in-kernel
[ ! -e "$tmp/flat.data" ] || refused "was recorded without call paths" -i "$tmp/flat.data" --by stack
pass "refusals"

"$work/storm_paths" 1000 1000 100000000 >/dev/null 9>&- &
storm=$!
started+=("$storm")
open_screen Functions -p "$storm" -g -m 16M -e raw_syscalls:sys_enter --by id
command_line "window all"
what="while it runs"
wait_until 20 has id || fail "$what: nothing comes"
command_line "by id,stack"
wait_until 20 has id,stack || fail "$what: no call paths come: $(cat "$tmp/sums")"
adds_up "$what"
has_text "$out" storm_left && has_text "$out" storm_right || fail "$what: functions have no names"
pass "$what: $(paste -sd' ' "$tmp/sums")"
command_line "call-graph no"
wait_until 10 has_text "$tmp/screen" "summed by its call paths" || fail "call paths are given up that sums are by"
is_by_id() {
	report
	[ "$(json 'header.events.by')" = id ]
}
command_line "by id"
wait_until 20 is_by_id || fail "$what: not by id again"
has id id,stack && adds_up "$what: by id again" || fail "$what: what was summed up by call paths is gone: $(cat "$tmp/sums")"
pass "call paths stay while sums are by them"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
