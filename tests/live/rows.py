#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rows.py REPORT JSON: every row of perf's report against ringtop's, for every event.

REPORT is what `perf report --stdio -F overhead,sample,period,dso,sym -t '|'` printed, JSON what
`ringtop -i FILE --json` did.  Samples and periods must be the same, shares within 0.01 points.
Prints each row that differs, and ends with 1 if one does.

What the two name differently by design (files/elf/README: "An address has the name that perf gives it") is
compared in sum for each object: addresses without a name, and entries of PLTs.

With --labels FILE labels of that program (no size) that lie within one of its functions count for that: which of
the two perf names depends on the shape of its tree of symbols.

With --machine as third argument other people's programs may be in it, and what perf's tree of symbols
loses where they lie within each other may be named here, if the sums of the object are the same.
"""
import collections
import json
import os
import re
import subprocess
import sys

UNNAMED = "(addresses and PLT)"


class Row:
    def __init__(self):
        self.samples = self.weight = self.lines = 0
        self.share = 0.0


def add(rows, key, samples, weight, share):
    row = rows.setdefault(key, Row())
    row.samples += samples
    row.weight += weight
    row.share += share
    row.lines += 1


def symbol_key(name):
    # perf: what lies behind _init, which has no size, is its, PLTs too
    plt = name.endswith("@plt") or name == "_init"
    return UNNAMED if plt or re.fullmatch(r"0x[0-9a-f]{16}", name) else name


def perf_object(name):
    return "[generated]" if name.startswith("[JIT] tid ") else name


def labels(path):
    """{(object, label): (object, function)} for the labels within functions of a program."""
    symbols, within = [], {}
    nm = subprocess.run(["nm", "-S", "-n", path], capture_output=True, text=True, check=True).stdout
    for line in nm.splitlines():
        word = line.split()
        if len(word) == 4:
            symbols.append((int(word[0], 16), int(word[1], 16), word[3]))
        elif len(word) == 3 and word[1] in "tT":
            start = int(word[0], 16)
            for at, size, name in reversed(symbols[-8:]):
                if at < start < at + size:
                    key = os.path.basename(path)
                    within[key, word[2]] = (key, name)
                    break
    return within


def folded(rows, within):
    out = collections.OrderedDict()
    for key, row in rows.items():
        to = out.setdefault(within.get(key, key), Row())
        to.samples += row.samples
        to.weight += row.weight
        to.share += row.share
        to.lines += row.lines
    return out


def our_object(name, function):
    if name is None:
        return "[unknown]"
    if name == "[kernel]":
        return "[kernel.kallsyms]"
    if name == "[bpf]":
        return function
    if name in ("[jit]", "[anon]") or name.startswith("[JIT] "):
        return "[generated]"
    return os.path.basename(name) if name.startswith("/") else name


def perf_events(path):
    """[(event, rows)], in the order of the report; a group's events each for itself."""
    events, now = [], []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            head = re.match(r"# Samples: \S+\s+of events? '(.*)'", line)
            if head:
                group = re.fullmatch(r".*\{ (.*) \}", head[1])
                names = group[1].split(", ") if group else [head[1]]
                now = [(name, collections.OrderedDict()) for name in names]
                events += now
            if line.startswith("#") or line.count("|") < 4:
                continue
            shares, samples, periods, dso, symbol = line.rstrip("\n").split("|", 4)
            symbol = re.sub(r"^\[.\] ", "", symbol.strip())
            for event, share, n, weight in zip(now, shares.split(), samples.split(),
                                               periods.split()):
                if int(n):
                    key = (perf_object(dso.strip()), symbol_key(symbol))
                    add(event[1], key, int(n), int(weight), float(share.rstrip("%")))
    return events


def our_events(path):
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    total = lines[-1]
    assert total["type"] == "total"
    events = [(e["name"], collections.OrderedDict()) for e in total["events"]]
    at = 0
    for row in total["functions"]:
        while events[at][0] != row["event"]:
            at += 1
        if not row["samples"]:
            continue
        name = row["function"].replace("|", ".")  # perf does so where | parts its columns
        bounds = f'{os.path.basename(row["object"] or "")}+0x'
        if re.fullmatch(r"\[0x[0-9a-f]+\]", name) or name == "[other addresses]" or name.startswith(bounds):
            name = UNNAMED
        key = (our_object(row["object"], name), symbol_key(name))
        add(events[at][1], key, row["samples"], row["weight"], 100 * row["self"])
    return events


def differs(ours, theirs):
    # perf rounds each line to 0.01, so a sum of several lines says less
    near = 0.01 if theirs.lines <= 1 else 0.0051 * theirs.lines + 0.01
    return (ours.samples != theirs.samples or ours.weight != theirs.weight or
            abs(ours.share - theirs.share) > near + 1e-9)


def lost_by_perf(ours, theirs):
    """The objects whose differences are just names of what perf leaves nameless."""
    nothing, named, only_more = Row(), collections.Counter(), {}
    for key in set(ours) | set(theirs):
        more = ours.get(key, nothing).samples - theirs.get(key, nothing).samples
        named[key[0]] += more
        if key[1] != UNNAMED:
            only_more[key[0]] = only_more.get(key[0], True) and more >= 0
    return {name for name, ok in only_more.items() if ok and named[name] == 0}


def compare(event, ours, theirs):
    nothing, bad = Row(), 0
    lenient = lost_by_perf(ours, theirs) if "--machine" in sys.argv else ()
    for key in sorted(set(ours) | set(theirs)):
        if key[0] in lenient:
            continue
        a, b = ours.get(key, nothing), theirs.get(key, nothing)
        if not differs(a, b):
            continue
        bad += 1
        print(f"{event}: {key[0]} {key[1]}: {a.samples} samples of {a.weight}, {a.share:.3f} %; "
              f"perf {b.samples} of {b.weight}, {b.share:.2f} %")
    return bad


def main():
    theirs, ours = perf_events(sys.argv[1]), our_events(sys.argv[2])
    if "--labels" in sys.argv:
        within = labels(sys.argv[sys.argv.index("--labels") + 1])
        theirs = [(name, folded(rows, within)) for name, rows in theirs]
        ours = [(name, folded(rows, within)) for name, rows in ours]
    bad = rows = samples = 0
    for name, mine in ours:
        if theirs and theirs[0][0] == name:
            perfs = theirs.pop(0)[1]
        else:
            perfs = {}  # an event without samples has no place in perf's report
        bad += compare(name, mine, perfs)
        rows += len(perfs)
        samples += sum(row.samples for row in perfs.values())
    for name, _ in theirs:
        print(f"{name}: perf has it, or in another place")
        bad += 1
    if not samples:
        print("perf reports no samples")
        bad += 1
    print(f"{rows} rows, {samples} samples, {len(ours)} events")
    return 1 if bad else 0


sys.exit(main())
