#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording whose user parts come later (perf record --call-graph fp,defer of newer kernels) has the paths of the one
# that it was made of, waits as well; what lacks such a record is [not yet], and counted.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work waits_known
command -v perf >/dev/null || skip "no perf on this machine"
command -v python3 >/dev/null || skip "no python3"
perf record -q -e cpu-clock -e sched:sched_switch -g -o "$tmp/data" -- "$work/waits_known" -n 60 >"$tmp/said" 2>"$tmp/perf" ||
	skip "perf cannot record here: $(tail -n 1 "$tmp/perf")"

# Lines of the report's end that say something about paths: event, path, weight, samples.
paths() {
	rt -i "$1" --no-lines --json --paths "${@:2}"
	expect_status 0 "$1"
	check_report
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    report = json.loads(line)
    for p in report.get("paths", []) if report["type"] == "total" else []:
        print(p.get("event"), p["path"], p["weight"], p["samples"])
' "$out" | sort
}

read -r chains put < <(python3 "$(dirname "$0")/deferred.py" "$tmp/data" "$tmp/whole")
[ "${put:-0}" -gt 50 ] || fail "only $put of $chains chains have a user part"
paths "$tmp/data" >"$tmp/before"
paths "$tmp/whole" >"$tmp/after"
[ "$(wc -l <"$tmp/before")" -gt 5 ] || fail "hardly a path: $(cat "$tmp/before")"
diff "$tmp/before" "$tmp/after" >&2 || fail "paths differ where all parts came"
paths "$tmp/data" --off-cpu >"$tmp/before"
paths "$tmp/whole" --off-cpu >"$tmp/after"
grep -q off-cpu "$tmp/before" || fail "no waits"
diff "$tmp/before" "$tmp/after" >&2 || fail "waits differ where all parts came"

read -r chains put < <(python3 "$(dirname "$0")/deferred.py" "$tmp/data" "$tmp/torn" 3)
paths "$tmp/torn" >"$tmp/after"
lack=$(awk '$2 ~ /^\[not yet\]/ || /\[not yet\];/ { n += $NF } END { print n + 0 }' "$tmp/after")
[ "$lack" = $((chains - put)) ] || fail "$lack samples are [not yet], not $((chains - put))"
grep -q "$lack of $chains samples lack the program's part" "$out" || fail "the report does not count them"
pass "$chains chains, $put of them later"
