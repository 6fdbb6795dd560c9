#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often the threads of a report of the whole machine wake up in seconds in which nothing happens.

quiet.py RINGTOP: exit 0, 1 (too often), 77: the machine is not idle.  Nothing here starts a process or
works for long: that would be what happens.
"""
import glob
import json
import os
import signal
import subprocess
import sys

INTERVALS = 20
JUDGED = 4
# A second.  A tick waits for its time and for the readers, twice or thrice where something is sampled here
# that has no name yet; with ten a second it is 20.
MOST = {"ringtop-tick": 8, "ringtop": 5}
MOST_READER = 5


def slept(pid):
    counts = {}
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(path, encoding="utf-8") as status:
            fields = dict(line.split(":", 1) for line in status)
        name = fields["Name"].strip()
        counts[name] = counts.get(name, 0) + int(fields["voluntary_ctxt_switches"])
    return counts


def nothing_happened(report):
    others = sum(t["samples"] for t in report["tasks"] if t["pid"])
    sideband = sum(r["records"] for r in report["rings"] if r["kind"] == "sideband")
    return not sideband and others <= 10 * os.cpu_count() and not report["self"]["loading"]


def main():
    with subprocess.Popen([sys.argv[1], "--json", "-d", "1"], stdout=subprocess.PIPE) as run:
        woken, judged, was, before = {}, 0, False, {}
        run.stdout.readline()
        for _ in range(INTERVALS):
            quiet = nothing_happened(json.loads(run.stdout.readline()))
            now = slept(run.pid)
            if quiet and was:
                judged += 1
                for name in now:
                    woken[name] = woken.get(name, 0) + now[name] - before.get(name, 0)
            was, before = quiet, now
            if judged == JUDGED:
                break
        run.send_signal(signal.SIGINT)
        run.stdout.read()
    if judged < JUDGED:
        print("SKIP: the machine is not idle")
        return 77
    woken = {n: c for n, c in woken.items() if n in MOST or n.startswith("ringtop-cpu")}
    print(f"wake-ups in {judged} s: " + ", ".join(f"{n} {c}" for n, c in sorted(woken.items())))
    return int(len(woken) < 3 or any(c > judged * MOST.get(n, MOST_READER) for n, c in woken.items()))


sys.exit(main())
