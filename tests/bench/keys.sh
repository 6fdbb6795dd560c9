#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# keys.sh [-r ROUNDS] [-f FUNCTIONS] [-s RATE] [-m MARK] RINGTOP WORK - from key to screen with 100 000 rows: keys are typed into a
# real terminal line while ever more samples come, and what they change is waited for.
#
# WORK: the directory of the workloads.  A round is about 40 keys: selections moved, views, orders, groups, filters,
# windows moved and made wider.  Then the same of keys that change the view of a whole machine on which shells fork
# and others compute, with paths, waits and counters, and how far the head's clock was behind (lag, s).  Of each kind,
# and of all: the median, the 99th percentile and the slowest, in ms; then the same without the time that the screen's
# thread waited for a CPU, and the CPU time that it used from key to answer.
# Figures, no test; where the 99th percentile is above MARK (50) it says so.  Needs root,
# libvterm and python3.
set -u
export LC_ALL=C.UTF-8 TERM=xterm-256color

rounds=10 functions=100000 rate=30000 mark=50
while getopts r:f:s:m: option; do
	case $option in
	r) rounds=$OPTARG ;;
	f) functions=$OPTARG ;;
	s) rate=$OPTARG ;;
	m) mark=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
ringtop=${1:?usage: keys.sh [-r ROUNDS] [-f FUNCTIONS] [-s RATE] [-m MARK] RINGTOP WORK}
work=${2:?usage: keys.sh [-r ROUNDS] [-f FUNCTIONS] [-s RATE] [-m MARK] RINGTOP WORK}
bench_dir=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
storm=
named=
trap 'kill $storm 2>/dev/null; rm -rf "$tmp" ${named:+"/tmp/perf-$named.map"}' EXIT

# CC may be two words, as "ccache gcc"
read -r -a cc <<<"${CC:-gcc}"
"${cc[@]}" -D_GNU_SOURCE -O2 -o "$tmp/ptyrun" "$bench_dir/ptyrun.c" -lutil -lvterm || {
	echo "keys.sh: no libvterm here: nothing is measured" >&2
	exit 77
}

# press KIND KEYS WANT: at some moment between two refreshes
press() {
	echo "$1" >>"$tmp/kinds"
	echo "pump 0.$((RANDOM % 10))$((RANDOM % 10))"
	echo "press 20 $2 $3"
}

# One that comes back to where it began.
round() {
	local i

	for i in 1 2 3 4 5 6; do
		press move j =FUNCTION
	done
	for i in 1 2 3; do
		press move '\e[6~' =FUNCTION
		press move k =FUNCTION
	done
	press last G =FUNCTION
	press move k =FUNCTION
	press first '\e[H' =FUNCTION
	press view '?' '+Columns of'
	press view '?' '-Columns of'
	press view 2 -FUNCTION
	press view 1 +FUNCTION
	press view 6 -FUNCTION
	press view 1 +FUNCTION
	press sort ':sort\sname\n' '+FUNCTION▲'
	press move j =FUNCTION
	press sort r '+FUNCTION▼'
	press sort r '+FUNCTION▲'
	press sort ':sort\sself\n' '+SELF%▼'
	press group ':group\sobject\n' '-FUNCTION '
	press group ':group\sfunction\n' '+FUNCTION '
	press typed f +filter:
	press typed 7 '+filter: 7'
	press typed 7 '+filter: 77'
	press filter '\n' '+shown '
	press move j =FUNCTION
	press filter '\e' '-shown '
	press search '/9999' +/9999
	press search '\n' '+F1 Help'
	press search '\e' -/9999
	press time h +ago
	press move k =FUNCTION # of 10 000 functions the last was found
	press time '\e[F' -ago
	press span + '+10 s'
	press span - '-10 s'
}

# Of views that are made of much, each beside a look at the clock.
busy_round() {
	echo lag
	press view '?' '+Columns of'
	press view '?' '-Columns of'
	echo lag
	press view 3 '+WHAT IT CALLS'
	press view 1 '-WHAT IT CALLS'
	echo lag
	press view 8 +COUNTER
	press view 1 -COUNTER
}

# session NAME ROUND COLUMNS COMMAND...: its script's first lines come on stdin
session() {
	local name=$1 what=$2 cols=$3 i

	shift 3
	: >"$tmp/kinds"
	{
		cat
		for ((i = 0; i < rounds; i++)); do
			$what
		done
		echo 'key q'
		echo 'exit 20'
	} >"$tmp/script"
	"$tmp/ptyrun" -r 50 -c "$cols" -- "$@" <"$tmp/script" >"$tmp/out" || {
		tail -n 60 "$tmp/out" >&2
		echo "keys.sh: $name: it ended early" >&2
		return 1
	}
	sed -n 's/^lag_s=//p' "$tmp/out" | sort -n >"$tmp/lags"
	grep ^key_ms= "$tmp/out" | paste -d ' ' "$tmp/kinds" - >"$tmp/figures"
	echo "$name"
	python3 - "$tmp/figures" "$mark" <<-END
	import sys
	kinds = {}
	for line in open(sys.argv[1]):
	    kind, *words = line.split()
	    key, waited, cpu = (float(w.split("=")[1]) for w in words)
	    for k in kind, "all":
	        kinds.setdefault(k, []).append((key, max(key - waited, 0), cpu))
	kinds["all"] = kinds.pop("all")
	def three(list):
	    list = sorted(list)
	    return " ".join("%7.1f" % list[min(int(len(list) * p), len(list) - 1)] for p in (0.5, 0.99, 1))
	print("  %-8s %5s %7s %7s %7s   with a CPU, the same     CPU time, the same" % ("", "keys", "p50", "p99", "max"))
	for kind, keys in kinds.items():
	    above = kind == "all" and sorted(k[0] for k in keys)[int(len(keys) * 0.99)] > float(sys.argv[2])
	    print("  %-8s %5d %s   %s  %s%s" % (kind, len(keys), *(three(k[i] for k in keys) for i in range(3)), "  ABOVE" if above else ""))
	END
	[ ! -s "$tmp/lags" ] || echo "  lag: median $(sed -n "$((($(wc -l <"$tmp/lags") + 1) / 2))p" "$tmp/lags") s, most $(tail -n 1 "$tmp/lags") s"
}

# Every sample is of another function, until all of them had one.
"$work/many_functions" -n "$functions" -r "$rate" -s 100000 &
storm=$! named=$!
session "$functions functions of one process in turn, $rate samples a second" round 160 \
	"$ringtop" --no-config -p $storm -e page-faults -c 1 <<-END
	expect 60 Functions
	expect 60 many::function
	pump 12
END

kill $storm
for ((i = 0; i < 12; i++)); do
	dash -c 'while :; do (:); (/bin/true); done' &
	storm+=" $!"
done
for ((i = 0; i < 4; i++)); do
	dash -c 'while :; do :; done' &
	storm+=" $!"
done
session "the whole machine, 12 shells that fork and 4 that compute" busy_round 200 \
	"$ringtop" --no-config -g --off-cpu -S default <<-END
	expect 60 Functions
	pump 15
END
