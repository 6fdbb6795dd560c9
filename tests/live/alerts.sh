#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Conditions: --mark-on sets a mark, --alert stands in reports as long as it holds and tells --on-alert's command, with
# its own time; one whose command fails says so.  What is wrong with one ends with status 2.
. "$(dirname "$0")/lib.sh"
need_perf
command -v python3 >/dev/null || skip "no python3 to judge the report"

for bad in '--alert function>' '--mark-on delta<3' '--alert event:none' '--alert lost>0.1% --on-alert "'; do
	# shellcheck disable=SC2086 # words
	"$RINGTOP" --json -e cpu-clock $bad -- true >"$out" 2>"$err"
	status=$?
	[ "$status" = 2 ] || fail "$bad ends with $status: $(cat "$err")"
	grep -qF -- "${bad%% *}" "$err" || grep -q -- --on-alert "$err" || fail "$bad is answered: $(cat "$err")"
done
pass "what is wrong with a condition or a command is said, status 2"

cat >"$tmp/told" <<'EOS'
#!/bin/sh
printf '%s\n%s\n' "$RINGTOP_ALERT" "$RINGTOP_REASON" >"$0.of"
exit 3
EOS
chmod +x "$tmp/told"
"$RINGTOP" --json -e cpu-clock -d 0.5 --mark-on 'samples/s>1:500ms' --alert 'samples/s>1:500ms' --alert 'samples/s>1e' \
	-- true >"$out" 2>"$err"
[ $? = 2 ] || fail "1e is a number"
"$RINGTOP" --json -e cpu-clock -d 0.5 --mark-on 'task:timeout>1%:200ms' --alert 'samples/s>1:500ms' \
	--alert 'samples/s<1000000' --on-alert "$tmp/told" --duration 4 -- \
	sh -c 'while :; do :; done' >"$out" 2>"$err" || fail "it ends with $?: $(cat "$err")"
python3 - "$out" <<'EOS' || fail "the alerts are wrong"
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
total = [l for l in lines if l["type"] == "total"][0]
alerts = total["alerts"]
if [a["condition"] for a in alerts] != ["samples/s<1000000", "samples/s>1:500ms"]:
    sys.exit(f"the total has {alerts}")
first, second = alerts
if not 1 <= first["time"] <= 1.3 or not 1.5 <= second["time"] <= 2.0:
    sys.exit(f"they come at {first['time']} and {second['time']}")
if any(a["until"] is not None or a["command"] != "exit 3" for a in alerts):
    sys.exit(f"they stand, and their command fails: {alerts}")
for l in lines:
    if l["type"] == "interval" and (len(l.get("alerts", [])) == 2) != (l["time"] >= second["time"]):
        sys.exit(f"the interval up to {l['time']} has {l.get('alerts')}")
if "marks" in total:
    sys.exit(f"nothing of timeout ran, and there is {total['marks']}")
EOS
grep -q 'samples/s.* (' "$tmp/told.of" || fail "the command was told: $(cat "$tmp/told.of")"
pass "two alerts, each from its time on; the command was told: $(tail -n 1 "$tmp/told.of")"

"$RINGTOP" --text -e cpu-clock --mark-on 'samples/s>1' --alert 'function>1%:200ms' --duration 2 --save "$tmp/line" -- \
	sh -c 'while :; do :; done' >"$out" 2>"$err" || fail "it ends with $?: $(cat "$err")"
grep -q '^  ALERT at 1\.[0-9]* s: function>1%:200ms (.* [0-9.]*%)$' "$out" || fail "the text has no alert"
grep -q '^  mark at 1\.[0-9]* s: samples/s>1 (' "$out" || fail "the text has no mark"
"$RINGTOP" --json -i "$tmp/line" >"$out" 2>"$err" || fail "the time line is not read: $(cat "$err")"
grep -q '"marks":\[{"time":1\.[0-9]*,"name":"samples/s>1 (' "$out" || fail "the saved time line has no mark"
grep -q '"name":"alert: function>1%' "$out" || fail "the saved time line has no alert"
pass "text has both, and the saved time line its mark and the alert"

# what stands no more is a mark of its own, behind the first
"$RINGTOP" --text -e cpu-clock -d 99 --alert 'samples/s>100:200ms' --save "$tmp/over" -- \
	sh -c 'timeout 2 sh -c "while :; do :; done"; sleep 4' >"$out" 2>"$err" || fail "it ends with $?: $(cat "$err")"
"$RINGTOP" --json -i "$tmp/over" >"$out" 2>"$err" || fail "the time line is not read: $(cat "$err")"
python3 - "$out" <<'EOS' || fail "the alert's end is wrong"
import json, sys
total = [l for l in map(json.loads, open(sys.argv[1])) if l["type"] == "total"][0]
marks = total.get("marks", [])
if [m["name"][:12] for m in marks] != ["alert: sampl", "alert over: "]:
    sys.exit(f"the marks are {marks}")
if marks[1]["name"] != "alert over: samples/s>100:200ms" or not 0.5 < marks[1]["time"] - marks[0]["time"] < 5:
    sys.exit(f"the marks are {marks}")
EOS
pass "an alert that is over is so in the saved time line"
