# SPDX-License-Identifier: GPL-2.0-or-later
"""
pmu_check FILE - what ringtop said in the machine of pmu_aarch64.sh, against what the loop is known to cost: 60 million
turns are 120 million instructions of 2 ns, so 240 million cycles, three of four in hot().
"""
import json
import sys

CYCLES, INSTRUCTIONS, PERIOD = 240e6, 120e6, 1000000
problems = []


def check(right, what):
    if not right:
        problems.append(what)


def near(value, truth, part):
    return value is not None and abs(value - truth) <= truth * part


def read(path):
    runs = {}
    for line in open(path, errors="replace"):
        if line.startswith("@ "):
            name, status, *said = line[2:].split(None, 2)
            run = runs[name] = {"status": int(status), "said": "".join(said), "events": {}}
        elif line.startswith('{"type":"total"'):
            run["total"] = json.loads(line)
            run["events"] = {e["name"]: e for e in run["total"]["events"]}
    return runs


def sums(name, e):
    lost = sum(e["lost"].values())
    check(e["counted"] == e["attributed"] + lost + e["pending"], f"{name}: counted is not attributed, lost and pending")


def shares(run, event, part, what):
    of = {f["function"]: f["self"] for f in run["total"]["functions"] if f["event"] == event}
    check(near(of.get("hot"), 0.75, part) and near(of.get("warm"), 0.25, 3 * part), f"{what}: {event} is {of}, not 75 and 25 %")


def whole(run, what, event="cycles:u", truth=CYCLES):
    event = event if event in run["events"] else next(iter(run["events"]))
    e = run["events"][event]
    sums(what, e)
    check(e["samples"] == truth // PERIOD, f"{what}: {e['samples']} samples of {event}")
    check(sum(e["lost"].values()) == 0 and e["lost_exact"], f"{what}: {event} lost {e['lost']}")
    check(near(e["counted"], truth, 0.001), f"{what}: {event} counted {e['counted']}")
    check(e["enabled"] == e["running"] > 0, f"{what}: {event} ran {e['running']} of {e['enabled']} ns")
    shares(run, event, 0.01, what)


def paths(run, what):
    """main called both, which are leaves: their caller is in the link register alone."""
    whole(run, what)
    of = {f["function"]: f["total"] for f in run["total"]["functions"] if f["event"].startswith("cycles:u")}
    check(near(of.get("main"), 1, 0.01) and near(of.get("hot"), 0.75, 0.01), f"{what}: totals are {of}")


def unwound(run, what):
    paths(run, what)
    unwind = run["total"]["unwind"]
    check(unwind["ends"]["outermost"] == unwind["samples"] and not unwind["guessed"], f"{what}: {unwind}")


def proved(run, what):
    paths(run, what)
    unwind = run["total"]["unwind"]
    check(unwind["proved"] >= 238 and unwind["inserted"] >= 238 and unwind["unproved"] <= 2, f"{what}: {unwind}")


def interrupted(run):
    """A handler's leaf, hot, and the leaf that the signal interrupted, warm, in one path."""
    of = {f["function"]: f["total"] for f in run["total"]["functions"]}
    check(run["status"] == 0, f"signal: {run['status']} {run['said']}")
    check(near(of.get("warm"), 1, 0.02) and near(of.get("main"), 1, 0.02), f"signal: totals are {of}")
    check(near(of.get("handle"), 0.5, 0.05) and near(of.get("hot"), 0.5, 0.05), f"signal: totals are {of}")
    unwind = run["total"]["unwind"]
    check(unwind["ends"]["outermost"] >= unwind["samples"] * 0.98 and not unwind["guessed"], f"signal: {unwind}")


def turns(run, names):
    """The rest is estimated: by half of a run that is the same all the time, to a twentieth."""
    for name, truth in names:
        e = run["events"][name]
        sums("turns", e)
        check(0.3 < e["running"] / e["enabled"] < 0.7, f"turns: {name} ran {e['running']} of {e['enabled']} ns")
        check(near(e["counted"], truth, 0.05), f"turns: {name} counted {e['counted']}")
        check(near(e["lost"]["multiplexed"], truth * (1 - e["running"] / e["enabled"]), 0.1), f"turns: {name} lost {e['lost']}")
        check(not e["lost_exact"], f"turns: {name} says that it is exact")
        check(abs(e["attributed_share"] - e["running"] / e["enabled"]) < 0.05, f"turns: {name} attributed {e['attributed_share']}")
        shares(run, name, 0.1, "turns")


def pinned(run):
    """Seven counters, one of them for cycles alone: three of ten events, or more, find none."""
    never = [e for e in run["events"].values() if e["counted"] is None]
    check(len(never) >= 3, f"pinned: {len(never)} events are told as never counted")
    for e in never:
        check(e["running"] == 0 and e["enabled"] > 0, f"pinned: {e['name']} ran {e['running']} of {e['enabled']} ns")
        check(e["samples"] == 0 and e["lost"]["multiplexed"] is None, f"pinned: {e['name']} lost {e['lost']}")
    whole(run, "pinned", "cycles:uD")


def main():
    runs = read(sys.argv[1])
    alone = runs["alone"]
    whole(alone, "alone")
    ratios = {r["name"]: r["value"] for r in alone["total"]["ratios"]}
    check(near(ratios.get("instructions per cycle"), 0.5, 0.001), f"alone: {ratios}")
    turns(runs["turns"], [("cycles:u", CYCLES), ("instructions:u", INSTRUCTIONS), ("r8:u", INSTRUCTIONS), ("r11:u", CYCLES)])
    pinned(runs["pinned"])
    e = runs["exclusive"]["events"]["cycles:ue"]
    sums("exclusive", e)
    check(0.3 < e["running"] / e["enabled"] < 0.7 and near(e["counted"], CYCLES, 0.05), f"exclusive: {e['counted']}")
    group = runs["group"]
    whole(group, "group")
    shares(group, "instructions:u", 0.02, "group")
    check(near(group["events"]["instructions:u"]["counted"], INSTRUCTIONS, 0.001), "group: instructions")
    whole(runs["threads"], "threads")
    unwound(runs["dwarf"], "dwarf")
    unwound(runs["term"], "term")
    proved(runs["fp"], "fp")
    proved(runs["auto"], "auto")
    interrupted(runs["signal"])
    for problem in problems:
        print("FAIL:", problem)
    if not problems:
        print("ok: counts, shares, turns, pinned, exclusive, groups, call paths")
    return 1 if problems else 0


sys.exit(main())
