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

TERM=xterm-256color python3 - "$RINGTOP" >"$tmp/keys" 2>"$err" <<'END' || fail "$(tail -n 1 "$err")"
import fcntl, os, pty, re, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "--no-config", "-a", "-e", "raw_syscalls:sys_enter", "-e", "sched:sched_switch", "-c", "1"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))

def answer(keys, pattern, most):
    """Seconds from the keys to when the screen has shown the pattern."""
    seen, begun = b"", time.monotonic()
    os.write(fd, keys)
    while time.monotonic() - begun < most:
        if select.select([fd], [], [], 0.1)[0]:
            seen += os.read(fd, 65536)
            if re.search(pattern, seen):
                return time.monotonic() - begun
    sys.exit("no answer to %r in %g s: %r" % (keys, most, seen[-200:]))

try:
    answer(b"", b"Functions", 20)
    answer(b"9", b"not shown.{0,20}[1-9]", 20)
    # Help and back, and up and down the log: each changes the screen at once.
    took = []
    for i in range(25):
        took.append(answer(b"?", b"Moving", 5))
        took.append(answer(b"?", b"RECORD", 5))
    status = open("/proc/%d/status" % pid).read()
    rss = int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) // 1024
    os.write(fd, b"q")
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    left = os.waitpid(pid, 0)[1]
    assert left == 0, left
    took.sort()
    print("median %.1f ms, 9 in 10 within %.1f ms, the slowest %.1f ms; %d MB" %
          (took[25] * 1e3, took[45] * 1e3, took[-1] * 1e3, rss))
    assert took[45] <= 0.05, took
    assert rss < 200, rss
finally:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
END
pass "keys while a storm is logged: $(cat "$tmp/keys")"
