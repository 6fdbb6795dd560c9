#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --by with the call path from further away: over -H, of two hosts together, and of a saved time line, what each path of a
# known program came to is exact.  The hosts are this machine; instead of ssh there is a shell.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
need_tracepoint raw_syscalls sys_enter
need_work storm_paths
command -v python3 >/dev/null || skip "no python3"

far_shell
line=(-g -m 64M -e raw_syscalls:sys_enter --filter "id == 110" --by id,stack)
program=("$work/storm_paths" 300 500 10)

# paths: "id FUNCTIONS COUNT" of the program's own functions; that there is a caller above them, and all are counted
paths() {
	python3 - "$out" <<'END'
import json, sys
total = [json.loads(line) for line in open(sys.argv[1])][-1]
assert total["type"] == "total", total
own, by = ("storm_left", "storm_right", "main"), {}
for f in total["fields"]:
    stack = f["key"]["stack"]
    assert len(stack) > 2 and not f.get("rest"), f
    said = "%d %s" % (f["key"]["id"], "<".join(n for n in stack if n in own))
    by[said] = by.get(said, 0) + f["count"]
for said in sorted(by):
    print(said, by[said])
e = total["events"][0]
assert e["samples"] == sum(by.values()) and not sum(e["lost"].values()), e
END
}

# expect NAME LEFT RIGHT
expect() {
	expect_status 0 "$1"
	check_report
	paths >"$tmp/paths" || fail "$1: the report breaks a rule"
	printf '%s\n' "110 storm_left<main $2" "110 storm_right<main $3" | diff - "$tmp/paths" >&2 || fail "$1"
	pass "$1: $(paste -sd, "$tmp/paths")"
}

rt -H there --ssh "$far_shell" --json "${line[@]}" -- "${program[@]}"
expect "one host" 3000 5000
rt -H there,again --ssh "$far_shell" --json "${line[@]}" -- "${program[@]}"
expect "two hosts" 6000 10000

rt --save "$tmp/saved" --json "${line[@]}" -- "${program[@]}"
expect "while it is saved" 3000 5000
rt -i "$tmp/saved" --json
expect "of the saved time line" 3000 5000
