#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""screen_parts.py ROWS COLS SECONDS - which parts of the screen the bytes on stdin, sent in that time, went to.

Each sequence counts for the place that it acts on: what moves the cursor for the character that comes next.  By line,
then, of the lines that the view has, by column; and how much of all were characters, moves and colours.
"""
import collections
import re
import sys

rows, cols, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
text = sys.stdin.buffer.read().decode("utf-8", "replace")
token = re.compile(r"\x1b\[([?0-9;]*)([@-~])|\x1b[()][0-9A-Za-z]|\x1b.|.", re.S)
lines, columns, kinds = collections.Counter(), collections.Counter(), collections.Counter()
y = x = waiting = 0


def count(n):
    global waiting
    lines[y] += n + waiting
    if 6 <= y < rows - 1:
        columns[x // 10] += n + waiting
    waiting = 0


for found in token.finditer(text):
    word = found.group(0)
    size, final = len(word.encode()), found.group(2)
    arg = [int(a) if a.isdigit() else 0 for a in (found.group(1) or "").split(";")]
    first = max(arg[0], 1)
    if final in list("HABCDGd") or word in "\r\n\b":
        kinds["moves"] += size
        waiting += size
        if final == "H":
            y, x = first - 1, max(arg[1] if len(arg) > 1 else 1, 1) - 1
        elif final:
            y = {"A": y - first, "B": y + first, "d": first - 1}.get(final, y)
            x = {"C": x + first, "D": x - first, "G": first - 1}.get(final, x)
        else:
            y, x = y + (word == "\n"), {"\r": 0, "\n": x, "\b": x - 1}[word]
    elif final == "m":
        kinds["colours"] += size
        waiting += size
    elif final == "b":
        kinds["repeated"] += size
        count(size)
        x += first
    elif word[0] == "\x1b":
        kinds["erased and else"] += size
        count(size)
    else:
        kinds["characters"] += size
        count(size)
        x += 1
total = sum(lines.values()) or 1
print("%.0f bytes/s: " % (total / seconds) + ", ".join("%s %.0f" % (k, n / seconds) for k, n in kinds.most_common()))
named = {0: "what", 1: "trust", 2: "time line", 3: "tabs", 4: "titles", rows - 1: "keys"}
for line in sorted(lines):
    if line in named:
        print("  %-10s %6.0f" % (named[line], lines[line] / seconds))
print("  %-10s %6.0f, by tens of columns: %s" % ("rows", sum(n for l, n in lines.items() if l not in named) / seconds,
      " ".join("%d:%.0f" % (c * 10, n / seconds) for c, n in sorted(columns.items()))))
