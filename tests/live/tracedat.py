#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tracedat.py - a trace.dat of version 6, recorded in an instance of ftrace of our own (trace-cmd itself would change the
# global one), and what trace-cmd report says of such files, to be compared.
#
#   tracedat.py record FILE KB EVENT[,EVENT...] FILTER COMMAND...
#   tracedat.py report         (trace-cmd report -t on stdin): a line for each event and thread, of pairs, of losses
import os
import re
import struct
import subprocess
import sys

tracing = "/sys/kernel/tracing"


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def drain(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    pages = b""
    while True:
        try:
            page = os.read(fd, 4096)
        except BlockingIOError:
            break
        if not page:
            break
        pages += page.ljust(4096, b"\0")
    os.close(fd)
    return pages


# What the command's threads and children hit, a buffer's bytes for each CPU.
def record(instance, kb, events, wanted, command):
    write(instance + "/buffer_size_kb", kb)
    write(instance + "/options/event-fork", "1")

    def only_us():
        write(instance + "/set_event_pid", str(os.getpid()))
        for e in events:
            place = instance + "/events/" + e.replace(":", "/")
            if wanted:
                write(place + "/filter", wanted)
            write(place + "/enable", "1")

    subprocess.run(command, stdout=subprocess.DEVNULL, preexec_fn=only_us, check=True)
    write(instance + "/tracing_on", "0")
    cpus = sorted(int(d[3:]) for d in os.listdir(instance + "/per_cpu"))
    pages = {c: drain("%s/per_cpu/cpu%d/trace_pipe_raw" % (instance, c)) for c in cpus}
    stats = [b"CPU: %d\n" % c + read("%s/per_cpu/cpu%d/stats" % (instance, c)) + b"\0" for c in cpus]
    for e in events:
        write(instance + "/events/" + e.replace(":", "/") + "/enable", "0")
    return pages, stats


def sized(text, size="<Q"):
    return struct.pack(size, len(text)) + text


def texts(directory):
    return [read("%s/%s/format" % (directory, d)) for d in sorted(os.listdir(directory)) if os.path.isdir(directory + "/" + d)]


def put(path, pages, stats, events):
    own = texts(tracing + "/events/ftrace")
    systems = sorted({e.split(":")[0] for e in events})
    u = os.uname()
    uname = (" ".join((u.sysname, u.nodename, u.release, u.machine)) + "\0").encode()
    f = b"\x17\x08\x44tracing6\0" + bytes([sys.byteorder == "big", 8]) + struct.pack("<I", 4096)
    for name in ("header_page", "header_event"):
        f += name.encode() + b"\0" + sized(read(tracing + "/events/" + name))
    f += struct.pack("<I", len(own)) + b"".join(map(sized, own)) + struct.pack("<I", len(systems))
    for s in systems:
        of = [read("%s/events/%s/format" % (tracing, e.replace(":", "/"))) for e in events if e.startswith(s + ":")]
        f += s.encode() + b"\0" + struct.pack("<I", len(of)) + b"".join(map(sized, of))
    f += sized(read("/proc/kallsyms"), "<I") + sized(b"", "<I") + sized(read(tracing + "/saved_cmdlines"))
    f += struct.pack("<I", max(pages) + 1) + b"options  \0" + struct.pack("<HI", 5, len(uname)) + uname
    f += b"".join(struct.pack("<H", 2) + sized(s, "<I") for s in stats) + struct.pack("<H", 0) + b"flyrecord\0"
    at = (len(f) + 16 * (max(pages) + 1) + 4095) // 4096 * 4096
    for c in range(max(pages) + 1):
        f += struct.pack("<QQ", at, len(pages.get(c, b"")))
        at += len(pages.get(c, b""))
    f += b"\0" * (-len(f) % 4096) + b"".join(pages[c] for c in sorted(pages))
    with open(path, "wb") as out:
        out.write(f)


def report(lines):
    seen, open_, pairs, lost, alone = {}, {}, [], 0, [0, 0]
    for line in lines:
        m = re.search(r"CPU:\d+ \[(\d+) EVENTS DROPPED\]", line)
        lost += int(m[1]) if m else 0
        m = re.match(r" *(.+)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+):", line)
        if not m:
            continue
        tid, time, event = int(m[2]), int(m[4]) * 10**9 + int(m[5]), m[6]
        seen[event, tid] = seen.get((event, tid), 0) + 1
        if event == "sys_enter":
            alone[0] += tid in open_
            open_[tid] = time
        elif event == "sys_exit" and tid in open_:
            pairs.append(time - open_.pop(tid))
        elif event == "sys_exit":
            alone[1] += 1
    for (event, tid), n in seen.items():
        print("task", event, tid, n)
    print("pairs", len(pairs), sum(pairs), min(pairs, default=0), max(pairs, default=0), alone[0] + len(open_), alone[1])
    print("lost", lost)


if sys.argv[1] == "report":
    report(sys.stdin)
else:
    _, _, out, kb, events, wanted, *command = sys.argv
    instance = "%s/instances/ringtop-test-tracedat-%d" % (tracing, os.getpid())
    os.mkdir(instance)
    try:
        pages, stats = record(instance, kb, events.split(","), wanted, command)
        put(out, pages, stats, events.split(","))
    finally:
        os.rmdir(instance)
