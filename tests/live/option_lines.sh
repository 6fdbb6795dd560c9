#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OPTION_LINES (300) command lines at random, always the same ones for one OPTION_SEED: the options of
# --help with values that fit, that are hostile, and that are missing.  None crashes or hangs, each ends
# with 0 to 3, and whatever is wrong with one is said in one printable line that names the option.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"

cat >"$tmp/lines.py" <<'EOF'
import os, random, re, subprocess, sys

ringtop, tmp, lines, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
chance = random.Random(seed)
usage = subprocess.run([ringtop, "--help"], capture_output=True, text=True, check=True).stdout
options = []  # (every way to write it, the name of its value or None)
for line in usage.splitlines():
    m = re.match(r"  (-\w)?,?\s*(--[a-z-]+)?(?:[ =]?(?:\[=|\[USER@\])?([A-Z][^\s\]]*))?", line)
    if m and (m[1] or m[2]):
        options.append(([w for w in (m[1], m[2]) if w], m[3]))
assert len(options) > 40, options

hostile = ["", "0", "-1", "1", "4", "18446744073709551615", "9223372036854775808", "1e9", "nan", "0x10",
           "x" * 5000, "\033[31m", "%s%n%n", "\u00e9\u061c", "1,2,3", "3-1", "//", "{", "(", "[", "\\",
           ",", ":", "-", "--", "a:b", "cpu-clock//", "cpu-clock/period=/", "cpu/", "r", "r" + "f" * 40,
           "(a+)+" * 9, "a{99}{99}{99}", "function>", "json:", ":x", "=", "0-4294967295", "\udcff\udc80"]
fitting = {"PID": str(os.getpid()), "TID": str(os.getpid()), "USER": "root", "CPUS": "0", "EVENT": "cpu-clock",
           "HZ": "max", "PERIOD": "1m", "MODE": "fp", "PAGES": "16", "N": "3", "PRIO": "1", "SIZE": "1M",
           "CONDITION": "lost>99%", "DIR": tmp, "SECONDS": "0.1", "FORMAT": "folded:" + tmp + "/folded",
           "FILTER": "main", "DOMAIN": "ui", "FILE": tmp + "/file", "HOST": "a@b",
           "COMMAND": "ssh -v"}


def value_of(name):
    if name and chance.random() < 0.75:
        return fitting.get(re.split(r"[\[|:]", name)[0], "1")
    return chance.choice(hostile)


def words_of():
    ways, value = chance.choice(options)
    way = chance.choice(ways)
    if chance.random() < 0.03:
        way = way[:-1] + chance.choice("zq\u00e9")
    if not value and chance.random() < 0.95:
        return [way]
    given = value_of(value)
    kind = chance.random()
    if kind < 0.4:
        return [way + ("=" if way.startswith("--") else "") + given]
    return [way] if kind < 0.45 else [way, given]


def line_of():
    words = [w for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 4])) for w in words_of()]
    words += ["--duration", "0.1"]
    if chance.random() < 0.2:
        words += chance.choice([["true"], ["false"], ["--", "true"], ["/nonexistent"], [""], ["-"]])
    return [w.replace("\0", "") for w in words]


def judge(words, done):
    said = done.stderr.decode("utf-8", "replace")
    if not 0 <= done.returncode <= 3:
        return f"status {done.returncode}"
    if len(said) > 20000 or re.search(r"[\0-\x09\x0b-\x1f\x7f-\x9f\u061c]", said):
        return "what it says is long, or not printable"
    # a line, and perhaps what was written with a caret below
    if done.returncode == 2 and (len(re.findall(r"(?m)^(?!  ).+$", said)) != 1 or not re.search(r"(^|[ (:'])--?[A-Za-z]|COMMAND", said)):
        return "a usage error that does not name its option in one line"
    if done.returncode and "--propagate" not in words and not said:
        return "fails without a word"
    return None


statuses, bad = {}, 0
for n in range(lines):
    words = line_of()
    encoded = [w.encode("utf-8", "surrogateescape") for w in words]
    try:
        done = subprocess.run([ringtop] + encoded, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, cwd=tmp)
        wrong = judge(words, done)
        statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
        said = done.stderr
    except subprocess.TimeoutExpired as late:
        wrong, said = "does not end", late.stderr or b""
    if wrong:
        bad += 1
        print(f"line {n}: {wrong}: {[w[:80] for w in words]}\n   {said[:400]!r}", file=sys.stderr)
print("   by status:", dict(sorted(statuses.items())))
sys.exit(bad != 0)
EOF
# What ssh would make of such hosts is not asked here.
mkdir "$tmp/in" "$tmp/bin" || exit 1
printf '#!/bin/sh\nexit 255\n' >"$tmp/bin/ssh"
chmod +x "$tmp/bin/ssh"
unset DEBUGINFOD_URLS
PATH=$tmp/bin:$PATH python3 "$tmp/lines.py" "$RINGTOP" "$tmp/in" "${OPTION_LINES:-300}" "${OPTION_SEED:-1}" 2>"$err" || fail "see above"
pass "${OPTION_LINES:-300} option lines"
