#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --by and --between over -H, to the count: one host says what a local run says; of two, sums and pairs are both's
# together.  The hosts are this machine; instead of ssh there is a shell.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"

calls=${BY_CALLS:-300000}
far_shell

# told: keys with count, sum, least and most, and pairs of the total; that intervals add up to it
told() {
	python3 - "$out" <<'END'
import json, sys
reports = [json.loads(line) for line in open(sys.argv[1])]
t = reports[-1]
assert t["type"] == "total", t
sums = {}
for r in reports:
    if r["type"] not in ("interval", "total"):
        continue
    l = r["latencies"][0]
    assert sum(l["hist"]) == l["count"], l
    for f in r["fields"]:
        assert sum(f["hist"]) == f["count"], f
        if r["type"] == "interval":
            key = f["event"] + str(f["key"])
            sums[key] = sums.get(key, 0) + f["count"]
# Whatever comes after the last interval is in the total alone.
assert all(sums.get(f["event"] + str(f["key"]), 0) <= f["count"] for f in t["fields"])
for f in t["fields"]:
    print("by", f["event"].split("/")[0], *("%s=%s" % kv for kv in f["key"].items()), f["count"], f["sum"], f["min"], f["max"])
l = t["latencies"][0]
hits = sum(e["samples"] for e in t["events"] if e["name"] in (l["from"], l["to"]))
assert 2 * l["count"] + l["unpaired_from"] + l["unpaired_to"] + l["lost"] == hits, (l, hits)
assert l["min"] <= l["p50"] <= l["p99"] <= l["max"] and l["count"] * l["min"] <= l["sum"] <= l["count"] * l["max"], l
print("pairs", l["count"], l["unpaired_from"], l["unpaired_to"], l["lost"])
END
}

line=(--json -d 0.2 -m 64M -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit --by id,comm --between syscalls)

rt "${line[@]}" -- "$work/storm_exact" "$calls"
expect_status 0 "local"
check_report
told | LC_ALL=C sort >"$tmp/local" || fail "local: the report breaks a rule"
has_text "$tmp/local" "by raw_syscalls:sys_enter id=110 comm=storm_exact $((calls - 1)) " || fail "local: $(cat "$tmp/local")"
has_text "$tmp/local" "pairs $((calls - 1)) 1 1 0" || fail "local: $(cat "$tmp/local")"
rt -H there --ssh "$far_shell" "${line[@]}" -- "$work/storm_exact" "$calls"
expect_status 0 "one host"
check_report
told | LC_ALL=C sort >"$tmp/one" || fail "one host: the report breaks a rule"
diff "$tmp/local" "$tmp/one" || fail "one host says something else"
pass "one host says what a local run says: $(grep '^pairs' "$tmp/one")"

rt -H one,two --ssh "$far_shell" "${line[@]}" -- "$work/storm_exact" "$calls"
expect_status 0 "two hosts"
check_report
told | LC_ALL=C sort >"$tmp/two" || fail "two hosts: the report breaks a rule"
awk '{ n = $1 == "pairs" ? 2 : 5; for (; n <= ($1 == "pairs" ? NF : 6); n++) $n *= 2; print }' "$tmp/local" |
	LC_ALL=C sort >"$tmp/want"
diff "$tmp/want" "$tmp/two" || fail "two hosts are not twice one"
pass "two hosts are twice one: $(grep '^pairs' "$tmp/two")"

# More keys than a message can have: those without room are the rest, and nothing is lost.
if command -v perl >/dev/null; then
	rt -H there --ssh "$far_shell" --json -d 1 -m 64M -e raw_syscalls:sys_enter --by 'id,args[0]' -- \
		perl -e 'syscall(39, $_) for 1 .. 200000'
	expect_status 0 "many keys"
	check_report
	python3 - "$out" <<'END' || fail "many keys"
import json, sys
t = [json.loads(line) for line in open(sys.argv[1])][-1]
samples = t["events"][0]["samples"]
assert samples >= 200000 and sum(f["count"] for f in t["fields"]) == samples, samples
assert any(f.get("rest") for f in t["fields"]) and len(t["fields"]) > 4096
END
	pass "many keys: all of their samples are there"
fi

rt -H there --ssh "$far_shell" --text --between nonsense -- true
[ "$rt_status" != 0 ] && grep -q "is not A,B" "$err" || fail "what is refused there is not said: $(cat "$err")"
pass "a refusal"
