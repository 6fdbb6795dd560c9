#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# offcpu.sh [-n RUNS] [-c TRIPS] [-w WAITS] RINGTOP STORM KNOWN - what telling where threads wait costs, of the same load
# in the same run: bytes to and fro through pipes on each CPU (STORM: tests/work's storm_switch, TRIPS a pair) beside
# sleeps, a mutex and a pipe at a known rate (KNOWN: waits_known, WAITS each):
#
#	ringtop --json -a --off-cpu, with and without -g, beside perf sched record -g and then perf sched timehist
#	ringtop --json --off-cpu -- COMMAND, beside perf trace -s -- COMMAND
#
# CPU time of the tool with all its processes, from its start to its end, without the load's own; beside it what the load
# takes longer, which pays for what the kernel does in it.  Then what each has counted of the storm's switches, as the
# kernel counted them of each process (here: waits that ended; perhaps one less, for a last switch ends none), and what it
# says of the time that the known waits took, as they measured themselves.
#
# Medians of RUNS (5) runs, in turns.  Ends with 1 where ringtop's counts and what it says is lost are not the storm's, its
# waits more than 1 % from the known ones, or ringtop -a takes more than half of perf's CPU time.  What else runs has
# switches, too: figures of a busy machine say nothing.  Needs root and python3; without perf its rows are "-".
set -u
export LC_ALL=C.UTF-8

runs=5 trips=50000 waits=100
while getopts n:c:w: option; do
	case $option in
	n) runs=$OPTARG ;;
	c) trips=$OPTARG ;;
	w) waits=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 3 ] || { echo "usage: offcpu.sh [-n RUNS] [-c TRIPS] [-w WAITS] RINGTOP STORM KNOWN" >&2; exit 2; }
ringtop=$(realpath "$1") && storm=$(realpath "$2") && known=$(realpath "$3") || exit 1
[ "$(id -u)" = 0 ] || { echo "offcpu.sh: needs root" >&2; exit 77; }
command -v python3 >/dev/null || { echo "offcpu.sh: no python3" >&2; exit 77; }
perf=$(command -v perf || true)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-offcpu.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What is measured: says what it did, and the CPU time of it.  It is nobody's child: else its time would be the tool's,
# where that waits for its COMMAND (perf trace does not).
mkfifo "$tmp/over" || exit 1
cat >"$tmp/load" <<EOF
((
	"$known" -n $waits >"$tmp/known" &
	"$storm" -n $trips >"$tmp/storm"
	wait
	times >"$tmp/load.times"
	echo >"$tmp/over"
) &)
read -r <"$tmp/over"
EOF

# seconds FILE LINE: user and system of what `times` said; 1: the shell itself, 2: its children
seconds() {
	sed -n "$2p" "$1" | awk -F'[ms ]+' '{ printf "%.3f\n", $1 * 60 + $2 + $3 * 60 + $4 }'
}

# cost NAME COMMAND...: CPU seconds of it and all its children, and the load's
cost() {
	local name=$1

	shift
	rm -f "$tmp/load.times"
	(
		"$@" >"$tmp/$name.said" 2>"$tmp/$name.err"
		echo $? >"$tmp/$name.status"
		times >"$tmp/times"
	)
	if [ "$(cat "$tmp/$name.status")" != 0 ] || [ ! -s "$tmp/load.times" ]; then
		echo "offcpu.sh: $name failed: $(tail -n 1 "$tmp/$name.err")" >&2
		return 1
	fi
	seconds "$tmp/times" 2 >>"$tmp/$name.cpu"
	seconds "$tmp/load.times" 2 >>"$tmp/$name.load"
}

# counted NAME: the storm's switches, of the kernel and of the tool; ns of the known waits, their own and the tool's; lost
counted() {
	python3 -c '
import json, re, sys
name, tmp = sys.argv[1:]
known = dict(re.findall(r"(\w+)=(\d+)", open(tmp + "/known").read()))
storm = dict(re.findall(r"(\w+)=(\d+)", open(tmp + "/storm").read())) # of its children, not of who waits for them
truth = int(storm["switches"])
who = {known[t + "_tid"]: int(known[t + "_ns"]) for t in ("sleeper", "locked", "reading")}
switches = waited = lost = 0
if name.startswith("ringtop"):
    total = next(r for r in map(json.loads, open("%s/%s.said" % (tmp, name))) if r["type"] == "total")
    lost = sum(sum(e["lost_samples"].values()) for e in total["events"] if e["name"] == "off-cpu")
    for t in total["tasks"]:
        if t["event"] == "off-cpu":
            switches += t["samples"] if t["comm"] == "storm_switch" and t["tid"] != int(storm["pid"]) else 0
            waited += t["weight"] if str(t["tid"]) in who else 0
else: # time [cpu] comm[tid/pid] wait delay run, ms; a row for each run that ended, the wait is all of it
    row = re.compile(r"\s*[\d.]+ \[\d+\]\s+(.*)\[(\d+)(?:/\d+)?\]\s+([\d.]+)\s+[\d.]+\s+[\d.]+")
    for m in filter(None, map(row.match, open("%s/%s.said" % (tmp, name)))):
        switches += m[1] == "storm_switch" and m[2] != storm["pid"]
        waited += float(m[3]) * 1e6 if m[2] in who else 0
print(truth, switches, sum(who.values()), round(waited), lost)
' "$1" "$tmp" >>"$tmp/$1.counted"
}

median() { # file [field]
	[ -s "$tmp/$1" ] || { echo -; return; }
	sort -g -k "${2:-1},${2:-1}" "$tmp/$1" | awk -v f="${2:-1}" '{ v[NR] = $f } END { print v[int((NR + 1) / 2)] }'
}

with_ringtop() { # name, option...
	cost "$1" "$ringtop" --json "${@:2}" --off-cpu -- bash "$tmp/load" && counted "$1"
}

with_perf() {
	cost trace "$perf" trace -s -- bash "$tmp/load"
	cost sched "$perf" sched record -g -o "$tmp/data" -- bash "$tmp/load" || return
	(
		"$perf" sched timehist -i "$tmp/data" >"$tmp/timehist.said" 2>"$tmp/timehist.err"
		times >"$tmp/times"
	)
	seconds "$tmp/times" 2 >>"$tmp/timehist.cpu"
	counted timehist
}

for ((run = 0; run < runs; run++)); do
	bash "$tmp/load" && seconds "$tmp/load.times" 2 >>"$tmp/alone.load"
	with_ringtop ringtop -a
	with_ringtop ringtop-g -a -g
	with_ringtop ringtop-of
	[ -z "$perf" ] || with_perf
done
[ ! -s "$tmp/timehist.cpu" ] || {
	paste "$tmp/sched.cpu" "$tmp/timehist.cpu" | awk '{ print $1 + $2 }' >"$tmp/both.cpu"
	cp "$tmp/sched.load" "$tmp/both.load"
	cp "$tmp/timehist.counted" "$tmp/both.counted"
}

# The median of each run's ratio to perf's of the same run
ratio() { # name, beside
	[ -s "$tmp/$2.cpu" ] || { echo -; return; }
	paste "$tmp/$1.cpu" "$tmp/$2.cpu" | awk 'NF == 2 && $2 > 0 { print $1 / $2 }' >"$tmp/ratios"
	median ratios
}

row() { # what, name, beside
	awk -v what="$1" -v cpu="$(median "$2.cpu")" -v load="$(median "$2.load")" -v alone="$(median alone.load)" \
		-v ratio="$(ratio "$2" "$3")" -v truth="$(median "$2.counted" 1)" -v seen="$(median "$2.counted" 2)" \
		-v known="$(median "$2.counted" 3)" -v waited="$(median "$2.counted" 4)" '
		function cell(format, value) { return value == "-" ? "-" : sprintf(format, value) }
		BEGIN {
			printf "%-42s %8s %8s %8s %10s %10s\n", what, cell("%.3f", cpu),
				load == "-" ? "-" : sprintf("%.3f", load - alone), cell("%.2f", ratio),
				truth == "-" ? "-" : sprintf("%.3f", seen / truth * 100),
				known == "-" ? "-" : sprintf("%.2f", waited / known * 100)
		}'
}

echo "$(median ringtop.counted 1) switches of pipes and $((3 * waits)) known waits, $runs runs;" \
	"the load alone takes $(median alone.load) s of CPU"
echo
printf '%-42s %8s %8s %8s %10s %10s\n' "" "CPU s" "in load" "to perf" "% counted" "% of waits"
row "perf sched record -g, then timehist" both -
row "  of that perf sched timehist" timehist -
row "ringtop -a --off-cpu" ringtop both
row "ringtop -a -g --off-cpu" ringtop-g both
row "perf trace -s -- COMMAND" trace -
row "ringtop --off-cpu -- COMMAND" ringtop-of trace

[ -s "$tmp/ringtop.counted" ] || exit 1
awk '# a process may be switched a few times more while it ends, where it does not look any more, or nobody does
	$2 > 1.0001 * $1 || $2 + $5 < 0.9999 * $1 { print "offcpu.sh: of " $1 " switches " $2 " are counted, " $5 " lost"; bad = 1 }
	$4 > 1.01 * $3 || $4 < 0.99 * $3 { print "offcpu.sh: of " $3 " ns of known waits " $4 " are counted"; bad = !$5 || bad }
	END { exit bad }' "$tmp"/ringtop*.counted || exit 1
for name in ringtop ringtop-g; do
	awk -v r="$(ratio $name both)" -v name=$name 'BEGIN {
		if (r != "-" && r > 0.5) {
			print "offcpu.sh: " name " takes more than half of the CPU time of perf"
			exit 1
		}
	}' || exit 1
done
