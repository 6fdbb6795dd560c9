#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A session compared with a file that was there before (--baseline): a known change is named, in words and as JSON, behind
# the session's own report; a file has not changed from itself; what cannot be read is said before anything is measured.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/changes.sh"
need_root
need_work spin_shares

rt --text --save "$tmp/before" -d 99 -F 999 -- "$work/spin_shares" -n 8000
expect_status 0 "saved"

rt --json --baseline "$tmp/before" -d 99 -F 999 --fail-on-change -- "$work/spin_shares" -n 8000 35 30 15 20
expect_status 4 "a change"
check_report
[ "$(grep -c '^{"type":"total"' "$out")" = 1 ] || fail "the session's own total is not there once"
changes_known
pass "a known change is named, behind the report"

rt --json --baseline "$tmp/before" -i "$tmp/before" --fail-on-change
expect_status 0 "a file against itself"
check_report
[ "$(grep -c '"significant":true' "$out")" = 0 ] || fail "a file has changed from itself"
read -r sure delta samples < <(what share_50)
[ "$delta" = 0.000000000 ] || fail "share_50 of the same file differs by $delta"
pass "a file has not changed from itself"

rt --text --baseline "$tmp/before" -d 99 -- "$work/spin_shares" -n 8000 35 30 15 20
expect_status 0 "in words"
changes_in_words
pass "in words"

rt --json --baseline "$tmp/before" -i "$tmp/before" --export "pprof:$tmp/pprof" --export "csv:$tmp/csv"
expect_status 0 "exports"
grep -q "$tmp/pprof has the current data only" "$err" || fail "it is not said that a profile has no comparison: $(cat "$err")"
! grep -q "$tmp/csv" "$err" || fail "a table has one: $(cat "$err")"
pass "an export that has no comparison is said to have none"

rt --text --baseline "$tmp/none" -- touch "$tmp/ran"
expect_status 1 "no such file"
grep -q "$tmp/none" "$err" || fail "no such file: $(cat "$err")"
[ ! -e "$tmp/ran" ] || fail "the command ran without a baseline"
rt --text --baseline "$tmp/before" -e page-faults -- true
expect_status 1 "another event"
grep -q 'no event in common' "$err" || fail "another event: $(cat "$err")"
rt --diff "$tmp/before" "$tmp/before" --baseline "$tmp/before"
expect_status 2 "both"
rt --fail-on-change --text -- true
expect_status 2 "--fail-on-change alone"
pass "what cannot be compared is said"
