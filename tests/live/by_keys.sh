#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --by with 100 000 values of a field, as fast as they come: all is counted, what found no room for its key is told as
# the rest; and the Fields view of them answers keys within 50 ms (9 in 10), in bounded memory.
. "$(dirname "$0")/lib.sh"
need_root
need_tracepoint raw_syscalls sys_enter
need_work storm_keys
command -v python3 >/dev/null || skip "no python3"

keys=100000
calls=${BY_KEYS_CALLS:-600000}
by=(-m 64M -e raw_syscalls:sys_enter --filter "id == 110" --by "args[0]")

rt --json -d 1000 "${by[@]}" -- "$work/storm_keys" -n "$calls" $keys
expect_status 0 "report"
said=$(python3 - "$out" "$calls" $keys <<'END'
import json, sys
calls, keys = int(sys.argv[2]), int(sys.argv[3])
for line in open(sys.argv[1]):
    r = json.loads(line)
    total = r if r["type"] == "total" else None
e, fields = total["events"][0], total["fields"]
rest = sum(f["count"] for f in fields if not f["key"])
named = {f["key"]["args[0]"]: f["count"] for f in fields if f["key"]}
assert e["counted"] == calls, e
assert e["attributed"] + sum(e["lost"].values()) == calls, e
assert e["attributed"] >= 0.999 * calls, e
assert sum(named.values()) + rest == e["attributed"], (sum(named.values()), rest, e)
assert len(named) == keys and set(named) == set(range(1, keys + 1)), len(named)
most = -(-calls // keys)
assert max(named.values()) <= most and (rest or sum(e["lost"].values()) or min(named.values()) == calls // keys)
print(f"{len(named)} keys of {calls} calls, {rest} of them without room, {e['attributed'] / calls * 100:.2f} % attributed, "
      f"{total['self']['cpu_seconds'] / calls * 1e9:.0f} ns and {total['self']['rss_bytes'] >> 20} MB")
END
) || fail "report: $said"
pass "report: $said"

"$work/storm_keys" -n 100000000000 $keys >/dev/null &
storm=$!
on_exit "kill $storm 2>/dev/null"

TERM=xterm-256color PYTHONPATH=$live_dir python3 - "$RINGTOP" "${by[@]}" -a >"$tmp/keys" 2>"$err" <<'END' || fail "$(tail -n 1 "$err")"
import sys
from keytimes import Screen

with Screen(sys.argv[1], sys.argv[2:]) as screen:
    screen.answer(b"", b"Functions", 60)
    screen.answer(b"0", rb"args\[0\]", 60)
    screen.read_for(5) # that many have come
    # Help and back; a row's histogram and back: each changes the screen at once.
    for i in range(10):
        screen.time(b"?", b"row under the cursor|Columns of", 60)
        screen.time(b"?", rb"SHARE% args\[0\]", 60) # the help has all columns, each for itself
        screen.time(b"\r", b"samples by weight", 60)
        screen.time(b"\r", b"PER SEC", 60)
    rss = screen.leave()
    took, most, words = screen.figures()
    print("%s; %d MB" % (words, rss))
    assert took[-1] <= 1, took # whoever waits longer thinks that it hangs
    assert rss < 1000, rss
END
pass "keys while so many come: $(cat "$tmp/keys")"
