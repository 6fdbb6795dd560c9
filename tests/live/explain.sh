#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --explain says of a command, of a while, and of a saved time line what stands out, in ten lines at most, as text and
# as JSON; its exit status is 0, or what it is for any report.
. "$(dirname "$0")/lib.sh"
need_perf
command -v python3 >/dev/null || skip "no python3 to judge the report"

busy='i=0; while [ $i -lt 2000000 ]; do i=$((i + 1)); done'
"$RINGTOP" --explain -e cpu-clock --save "$tmp/line" -- sh -c "$busy" >"$out" 2>"$err" || fail "it ends with $?: $(cat "$err")"
[ "$(wc -l <"$out")" -le 10 ] || fail "it says more than ten lines"
grep -qE '^- .+ has [0-9.]+% of the time \([0-9.]+[kMG]? samples\).*\[1 Functions\]$' "$out" || fail "it does not say where the time goes"
pass "of a command: $(grep -m 1 'of the time' "$out")"

"$RINGTOP" --explain --json -i "$tmp/line" >"$tmp/saved" 2>"$err" || fail "of a time line it ends with $?: $(cat "$err")"
python3 - "$tmp/saved" "$out" <<'EOS' || fail "the time line is not explained as the run was"
import json, sys
o = json.loads(open(sys.argv[1]).read())
text = open(sys.argv[2]).read()
if o["type"] != "explain" or not 1 <= len(o["explain"]) <= 10:
    sys.exit(f"it is {o}")
hottest = [l for l in o["explain"] if l["rule"] == "hottest"][0]
name = hottest["text"].removeprefix("Of functions with names, ").split(" has ")[0].split(" (")[0]
if f"{name} (" not in text:
    sys.exit(f"{hottest} is not what was said live: {text}")
if not 0 < hottest["values"]["share"] <= 1 or hottest["key"] != "1 Functions" or hottest["warns"] \
        or hottest["values"]["samples"] < 30:
    sys.exit(f"{hottest}")
EOS
pass "of the saved time line the same, as JSON"

begin=$(date +%s%3N)
"$RINGTOP" --explain -e cpu-clock -d 1 -p $$ >"$out" 2>"$err" || fail "-d ends with $?: $(cat "$err")"
took=$(($(date +%s%3N) - begin))
[ $took -ge 1000 ] || fail "-d 1 took $took ms"
grep -qE '^(! Nothing was sampled in these |- It is idle: )' "$out" || fail "of a shell that waits it says: $(cat "$out")"
pass "of a process that waits: $(cat "$out")"

"$RINGTOP" --explain -i /nonexistent >"$out" 2>"$err" && fail "a file that is not there is explained"
[ -s "$out" ] && fail "and something is said of it"
pass "a file that is not there is an error: $(cat "$err")"
