#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --save while exactly N events happen: -i of the file has the same total, to the event, the functions add up, and so
# has what is left of a file whose writer was killed, up to the last whole slice.  It begins anywhere with --at, is
# compared with --diff, and what is no such file is said.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3 to judge the report"

calls=${EXACT_CALLS:-300000}
event=(-e raw_syscalls:sys_enter -c 1)
saved=$tmp/saved

# total FILE: what the accounts of a report's total are
total() {
	python3 - "$1" <<-'EOS'
	import json, sys
	t = [json.loads(l) for l in open(sys.argv[1])][-1]
	e = t["events"][0]
	print(json.dumps({k: e[k] for k in sorted(e)}), sum(f["weight"] for f in t["functions"]))
	EOS
}

rt --json -d 0.2 --save "$saved" "${event[@]}" -- "$work/storm_exact" "$calls"
expect_status 0 "saving"
check_report
[ "$(json 'total.events[0].counted')" = "$calls" ] || fail "counted $(json 'total.events[0].counted') of $calls"
live=$(total "$out")
[ "$(stat -c %a "$saved")" = 600 ] || fail "the file's mode is $(stat -c %a "$saved")"

rt -i "$saved" --json
expect_status 0 "-i of what was saved"
check_report
[ "$(total "$out")" = "$live" ] || fail "live: $live, the file: $(total "$out")"
[ "$(json 'total.functions[0].name')" != "" ] || fail "no names in the file"
pass "saved: $calls counted, attributed, lost and pending as live"

rt -i "$saved" --text
expect_status 0 "--text of what was saved"
has_text "$out" "raw_syscalls:sys_enter" || fail "the text has no event"

rt --diff "$saved" "$saved" --json
expect_status 0 "--diff with itself"
python3 - "$out" <<'EOS' || fail "a file differs from itself"
import json, sys
t = [json.loads(l) for l in open(sys.argv[1])][-1]
sys.exit(not t["functions"] or any(f["significant"] or f["delta"] for f in t["functions"]))
EOS
pass "--diff takes it"

# Killed: what was written is there, and adds up.
rt_start -d 0.2 --save "$saved" "${event[@]}" -- "$work/storm_exact" 100000000
[ -e "$saved.old" ] || fail "what was there before is not kept"
larger_than() { [ "$(stat -c %s "$saved")" -gt "$1" ]; }
wait_until 20 larger_than 200 || fail "nothing is written"
wait_until 20 larger_than $(($(stat -c %s "$saved") + 50)) || fail "it does not grow while it measures"
kill -KILL "$rt_pid"
wait "$rt_pid" 2>/dev/null
rt -i "$saved" --json
expect_status 0 "-i of what a kill left"
check_report
has_text "$out" "was not finished" || fail "it is not said that it was cut off"
holds "$(json 'total.events[0].counted') > 0" || fail "nothing is in it"
pass "killed: $(json 'total.seconds') s of it are there"

rt -i "$saved" --at -1 --json
expect_status 0 "--at"
rt -i "$saved" --at noon --json
expect_status 2 "--at without a time"
[ "$(wc -l <"$err")" = 1 ] || fail "more than a line: $(cat "$err")"
rt --at 12:00 --json
expect_status 2 "--at without -i"
truncate -s 40 "$saved"
rt -i "$saved" --json
expect_status 1 "an empty one"
[ "$(wc -l <"$err")" = 1 ] || fail "more than a line: $(cat "$err")"
rt --save / --duration 1 --json
[ "$rt_status" != 0 ] || fail "/ was saved to"
pass "what cannot be is said in a line"
