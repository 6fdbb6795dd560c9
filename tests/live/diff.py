#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# diff.py - holds ringtop --diff --json, on stdin, against the output of perf diff -c delta -t '|', a file: each row of
# perf's, its share in the baseline and its delta.  perf prints two decimals; rows of one object and name are added up.
import json
import sys

WITHIN = 0.01  # points, and half of perf's last digit


def name_of(name):
    """perf names an object's addresses without a name by one of them; entries of PLTs have names here (rows.py)."""
    return '[nameless]' if name.startswith('0x') or '@plt' in name else name.split('@')[0]


def percent(text):
    return float(text.rstrip('%')) if text else 0.0


def perf_rows(path):
    rows = {}
    for line in open(path, errors='backslashreplace'):
        words = [w.strip() for w in line.split('|', 3)]
        if line.startswith('#') or len(words) < 4:
            continue
        was = percent(words[0])
        # a row without a delta is gone
        delta = percent(words[1]) if words[1] else -was
        key = (words[2].split('/')[-1], name_of(words[3].split('] ', 1)[-1]))
        before = rows.get(key, (0, 0, 0))
        rows[key] = (before[0] + was, before[1] + delta, before[2] + 1)
    return rows


def our_rows(report):
    rows = {}
    for f in report['functions']:
        obj = (f['object'] or '[unknown]').split('/')[-1]
        key = ('[kernel.kallsyms]' if obj == '[kernel]' else obj, name_of(f['function']))
        before = rows.get(key, (0, 0))
        rows[key] = (before[0] + 100 * f['baseline_share'], before[1] + 100 * f['delta'])
    return rows


def main():
    theirs, ours = perf_rows(sys.argv[1]), our_rows(json.load(sys.stdin))
    bad = 0
    for key, (was, delta, nr) in sorted(theirs.items()):
        have = ours.get(key)
        if not key[1]:  # its name is nothing but a version
            continue
        if have is None or max(abs(have[0] - was), abs(have[1] - delta)) > (WITHIN + 0.005) * nr:
            print(f'{key[0]} {key[1]}: perf diff says {was:.2f} {delta:+.2f}, not {have}', file=sys.stderr)
            bad += 1
    print(f'{len(theirs)} rows of perf diff')
    return 1 if bad or not theirs else 0


sys.exit(main())
