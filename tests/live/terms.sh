#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stands between an event's slashes is for this event alone: its call paths and how deep they are, who inherits
# it, its period and name; counts are exact all the same.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_paths storm_fork tiny

# depth EVENT: addresses in the longest path of its samples, [truncated] not counted
depth() {
	tail -n 1 "$out" | python3 -c '
import json, sys
paths = [p["path"] for p in json.load(sys.stdin)["paths"] if p["event"] == sys.argv[1]]
print(max((len([f for f in p.split(";") if f[:1] != "["]) for p in paths), default=0))' "$1"
}

run() { # EVENTS: of a program that calls six deep
	rt --json --paths --no-lines -d 0.2 -e "$1" -- "$work/spin_paths" -s 1
	expect_status 0 "$1"
	check_report
}

what="paths of one event alone"
run 'cpu-clock/call-graph=fp,name=deep/,cpu-clock/name=flat/'
[ "$(depth flat)" -le 1 ] || fail "$what: the other one has them too: $(depth flat)"
[ "$(depth deep)" -ge 5 ] || fail "$what: only $(depth deep) deep"
pass "$what: $(depth deep) and $(depth flat)"

what="max-stack"
run 'cpu-clock/max-stack=3,name=short/,cpu-clock/call-graph=fp,name=deep/'
[ "$(depth short)" -le 3 ] && [ "$(depth deep)" -ge 5 ] || fail "$what: $(depth short) and $(depth deep)"
pass "$what: $(depth short) and $(depth deep)"

what="copied stacks of one event"
run 'cpu-clock/call-graph=dwarf,stack-size=4096,name=copied/,cpu-clock/call-graph=no,name=flat/'
[ "$(json total.unwind.stack_bytes)" = 4096 ] || fail "$what: $(json total.unwind.stack_bytes) bytes"
[ "$(depth copied)" -ge 5 ] && [ "$(depth flat)" -le 1 ] || fail "$what: $(depth copied) and $(depth flat)"
holds "$(json total.unwind.samples) <= $(json 'total.events[name=copied].samples')" || fail "$what: of the other one, too"
pass "$what"

what="no-inherit"
rt --json -d 0.2 -e 'page-faults/name=all/,page-faults/no-inherit,name=own/' -- "$work/storm_fork" -n 20 -- "$work/tiny_static" 10
expect_status 0 "$what"
check_report
holds "$(json 'total.events[name=own].counted') < $(json 'total.events[name=all].counted') / 2" ||
	fail "$what: $(json 'total.events[name=own].counted') of $(json 'total.events[name=all].counted')"
pass "$what: $(json 'total.events[name=own].counted') of $(json 'total.events[name=all].counted') faults"

what="one ring"
rt --json -e 'page-faults/overwrite/,cpu-clock/no-overwrite/' -- true
expect_status 2 "$what"
rt --json -d 0.1 -e 'page-faults/no-overwrite/' -- true
[ "$(json 'total.rings[kind=sample].mode')" = forward ] || fail "$what: it is not forward"
pass "$what"
