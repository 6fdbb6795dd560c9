# SPDX-License-Identifier: GPL-2.0-or-later
#
# keytimes - how long the screen takes to answer a key: for tests, which import it.
#
# The screen is ringtop's on a terminal of 50 by 160.  What is judged is how long ringtop takes, not how busy the
# machine is: of each answer the time is known that the screen's thread waited for a CPU meanwhile (schedstat).
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time


class Screen:
    def __init__(self, program, arguments):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execv(program, [program, "--no-config"] + arguments)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.took = []
        self.asking = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass

    def waited(self):
        """Seconds that the screen's thread has waited for a CPU."""
        return int(open("/proc/%d/task/%d/schedstat" % (self.pid, self.pid)).read().split()[1]) / 1e9

    def read(self):
        """Bytes of the screen; asked whether it is all right (DSR), the terminal answers, as any would."""
        seen = os.read(self.fd, 65536)
        asked = (self.asking + seen).count(b"\x1b[5n")
        self.asking = seen[-3:] # a question that is cut stands in two pieces
        os.write(self.fd, b"\x1b[0n" * asked)
        return seen

    def answer(self, keys, pattern, most):
        """Until the screen has shown the pattern behind the keys: seconds, and how many of them its thread had no CPU."""
        seen, begun, before = b"", time.monotonic(), self.waited()
        os.write(self.fd, keys)
        while time.monotonic() - begun < most:
            if select.select([self.fd], [], [], 0.1)[0]:
                seen += self.read()
                if re.search(pattern, seen):
                    return time.monotonic() - begun, self.waited() - before
        sys.exit("no answer to %r in %g s: %r" % (keys, most, seen[-200:]))

    def time(self, keys, pattern, most):
        """An answer that counts."""
        self.took.append(self.answer(keys, pattern, most))

    def read_for(self, seconds):
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            if select.select([self.fd], [], [], 0.1)[0]:
                self.read()

    def leave(self):
        """q: it must end well.  What it had resident at most, MB."""
        status = open("/proc/%d/status" % self.pid).read()
        os.write(self.fd, b"q")
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        left = os.waitpid(self.pid, 0)[1]
        assert left == 0, left
        return int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) // 1024

    def figures(self):
        """Those that count, without the time that the thread had no CPU, and with it: sorted, and in words."""
        own, whole = sorted(max(t - w, 0) for t, w in self.took), sorted(t for t, w in self.took)
        middle, most = len(own) // 2, len(own) * 9 // 10
        words = "median %.1f ms, 9 in 10 within %.1f ms, the slowest %.1f ms, without the time that its thread had no CPU; " \
                "with it %.1f, %.1f, %.1f ms" % tuple(t * 1e3 for times in (own, whole)
                                                      for t in (times[middle], times[most], times[-1]))
        return own, own[most], words
