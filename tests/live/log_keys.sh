#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Events view while a storm of system calls runs: keys are answered within 50 ms, memory is bounded.
. "$(dirname "$0")/lib.sh"
need_root
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
command -v python3 >/dev/null || skip "no python3"

"$work/storm_exact" 100000000000 &
storm=$!
on_exit "kill $storm 2>/dev/null"

TERM=xterm-256color PYTHONPATH=$live_dir python3 - "$RINGTOP" >"$tmp/keys" 2>"$err" <<'END' || fail "$(tail -n 1 "$err")"
import sys
from keytimes import Screen

events = ["-e", "raw_syscalls:sys_enter", "-e", "sched:sched_switch", "-c", "1"]
with Screen(sys.argv[1], ["-a"] + events) as screen:
    screen.answer(b"", b"Functions", 60)
    screen.answer(b"9", b"not shown.{0,20}[1-9]", 60)
    # Help and back: each changes the screen at once.
    for i in range(25):
        screen.time(b"?", b"row under the cursor|Columns of", 60)
        screen.time(b"?", b"CPU COMMAND", 60) # the help has all columns, each for itself
    rss = screen.leave()
    took, most, words = screen.figures()
    print("%s; %d MB" % (words, rss))
    assert most <= 0.05, took
    assert rss < 200, rss
END
pass "keys while a storm is logged: $(cat "$tmp/keys")"
