#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench.sh [-q] [-n RUNS] [-k] RINGTOP [ROW...] - ringtop beside perf, in the same run, as a table.
#
# -q: quick, one run and short storms; otherwise the medians of RUNS (3) interleaved runs.  -k keeps
# the raw values.  Without ROWs all of them: syscall onepage switch fault idle sample paths
# start quit memory names lines tty slowdown.  Needs root.  Without perf its column is "-".
#
# Where the perf column has several figures they are, in this order, of `perf record`, `perf top`
# and `perf top --overwrite`, or of the ones the row names; the ratio is to the best of them.
set -u
export LC_ALL=C.UTF-8

bench_dir=$(cd "$(dirname "$0")" && pwd)
tests_dir=$(dirname "$bench_dir")
all_rows=(syscall onepage switch fault idle sample paths start quit memory names lines tty slowdown)
runs=3
quick=
keep=

usage() {
	echo "usage: bench.sh [-q] [-n RUNS] [-k] RINGTOP [ROW...]; rows: ${all_rows[*]}" >&2
	exit 2
}

while getopts qn:k option; do
	case $option in
	q) quick=1 runs=1 ;;
	n) runs=$OPTARG ;;
	k) keep=1 ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
ringtop=$(realpath "$1") || exit 1
[ -x "$ringtop" ] || { echo "bench.sh: $1 cannot be run" >&2; exit 1; }
shift
rows=("$@")
[ $# -gt 0 ] || rows=("${all_rows[@]}")
[ "$(id -u)" = 0 ] || { echo "bench.sh: needs root" >&2; exit 77; }

if [ -e config.status ]; then
	default_work=$PWD/tests/work/built
else
	default_work=${TMPDIR:-/tmp}/ringtop-work-$(id -u)
fi
work=${WORK_DIR:-$default_work}
perf=$(command -v perf || true)
cpus=$(nproc)
storm_seconds=${quick:+2}
storm_seconds=${storm_seconds:-3}
window=${quick:+3}
window=${window:-5}
fork_seconds=${quick:+15}
fork_seconds=${fork_seconds:-60}
started=()

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-bench.XXXXXX") || exit 1
mkdir "$tmp/values"
cleanup() {
	local pid

	trap - EXIT
	for pid in "${started[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	if [ -n "$keep" ]; then
		echo "values kept in $tmp" >&2
		rm -f "$tmp"/*.data
	else
		rm -rf "$tmp"
	fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build_tools() {
	local cc=${CC:-gcc} flags=(-std=gnu11 -D_GNU_SOURCE -O2) vterm=(-DPTYRUN_NO_VTERM)

	bash "$tests_dir/work/build.sh" "$work" storm_getppid storm_switch storm_fault storm_fork tiny \
		spin_threads spin_shares spin_paths spin_nofp many_threads big_binary || exit 1
	if pkg-config --exists vterm 2>/dev/null; then
		read -r -a vterm < <(pkg-config --cflags --libs vterm)
	fi
	"$cc" "${flags[@]}" -o "$tmp/ptyrun" "$bench_dir/ptyrun.c" "${vterm[@]}" -lutil || exit 1
	"$cc" "${flags[@]}" -o "$tmp/jsoncheck" "$tests_dir"/live/json{check,query}.c -ljansson -lm || exit 1
}

# --- values ---

# note KEY VALUE: one more value of this measure; what is not a number is left out
note() {
	case $2 in
	'' | *[!0-9.eE+-]* | -) ;;
	*) echo "$2" >>"$tmp/values/$1" ;;
	esac
}

# median KEY; "-" when it was never measured
median() {
	[ -s "$tmp/values/$1" ] || { echo -; return; }
	sort -g "$tmp/values/$1" | awk '{ v[NR] = $1 }
		END { m = (NR + 1) / 2; printf "%.6g\n", NR % 2 ? v[m] : (v[m - .5] + v[m + .5]) / 2 }'
}

# worst KEY le|ge: what must hold in every run is judged by its worst run
worst() {
	[ -s "$tmp/values/$1" ] || { echo -; return; }
	if [ "$2" = le ]; then sort -gr "$tmp/values/$1"; else sort -g "$tmp/values/$1"; fi | head -n 1
}

# calc EXPRESSION; "-" where a part of it is missing
calc() {
	awk "function min(a, b) { return a < b ? a : b }
		function max(a, b) { return a > b ? a : b }
		function abs(a) { return a < 0 ? -a : a }
		BEGIN { printf \"%.15g\\n\", $* }" 2>/dev/null || echo -
}

# word NAME TEXT: the last value of name=value in TEXT
word() {
	sed -n "s/.*\\b$1=\\([^ ]*\\).*/\\1/p" <<<"$2" | tail -n 1
}

# row LABEL UNIT le|ge|worst-le|worst-ge TARGET RINGTOP_KEY [PERF_KEY...]
row() {
	local label=$1 unit=$2 op=$3 target=$4 own value best='' shown='' ratio=- ok=- key

	if [ "${op#worst-}" != "$op" ]; then
		op=${op#worst-}
		own=$(worst "$5" "$op")
	else
		own=$(median "$5")
	fi
	shift 5
	for key; do
		value=$(median "$key")
		shown="$shown${shown:+ / }$(short "$value")"
		[ "$value" = - ] && continue
		if [ -z "$best" ] || better "$op" "$value" "$best"; then
			best=$value
		fi
	done
	if [ "$own" != - ]; then
		ok=no
		[ "$target" = - ] && ok=-
		[ "$target" != - ] && awk "BEGIN { exit !($own $([ "$op" = le ] && echo '<=' || echo '>=') $target) }" &&
			ok=yes
		[ -n "$best" ] && ratio=$(awk "BEGIN { if ($best != 0) printf \"%.3g\", $own / $best; else print \"-\" }")
	fi
	[ "$target" = - ] || target="$([ "$op" = le ] && echo '<=' || echo '>=') $target"
	line "$label, $unit" "${shown:--}" "$(short "$own")" "$ratio" "$target" "$ok"
}

better() {
	awk "BEGIN { exit !($2 $([ "$1" = le ] && echo '<' || echo '>') $3) }"
}

# five digits at most, but never a share below one rounded up to it
short() {
	[ "$1" = - ] && { echo -; return; }
	awk "BEGIN { v = $1; if (v > 99.9 && v < 100) printf \"%.4f\", int(v * 1e4) / 1e4; else printf \"%.4g\", v }"
}

line() {
	printf '%-58s | %-22s | %9s | %7s | %9s | %s\n' "$@"
}

# --- processes ---

cpu_ns() {
	awk '{ sum += $1 } END { printf "%.0f\n", sum }' "/proc/$1"/task/*/schedstat 2>/dev/null
}

status_kb() {
	awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status" 2>/dev/null
}

# wait_until SECONDS COMMAND...
wait_until() {
	local deadline=$(($(date +%s%N) + $1 * 1000000000))

	shift
	until "$@"; do
		[ "$(date +%s%N)" -lt "$deadline" ] || return 1
		sleep 0.02
	done
}

has_lines() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

perf_open() {
	[ -n "$(find "/proc/$1/fd" -lname '*perf_event*' -print -quit 2>/dev/null)" ]
}

spawn() {
	"$@" >"$tmp/spawned" 2>&1 </dev/null &
	spawned=$!
	started+=("$spawned")
}

stop() {
	kill -"${2:-INT}" "$1" 2>/dev/null
	wait_until 20 eval "! kill -0 $1 2>/dev/null" || kill -KILL "$1"
	wait "$1" 2>/dev/null
}

# on_pty [-r ROWS -c COLS] PROGRAM... <SCRIPT: its words
on_pty() {
	timeout -k 5 300 "$tmp/ptyrun" -o "$tmp/pty.log" -- "$@" 2>"$tmp/pty.err" ||
		{ echo "bench.sh: $*:" >&2; head -n 30 "$tmp/pty.err" >&2; }
}

# rt_start ARGS...: headless, on the whole machine; returns when it measures
rt_start() {
	: >"$tmp/rt.json"
	env --default-signal=INT "$ringtop" --json "$@" >"$tmp/rt.json" 2>"$tmp/rt.err" </dev/null &
	rt_pid=$!
	started+=("$rt_pid")
	wait_until 10 has_lines "$tmp/rt.json" 2 && return
	echo "bench.sh: no interval from ringtop $*:" >&2
	cat "$tmp/rt.err" >&2
	return 1
}

rt_stop() {
	stop "$rt_pid"
}

rt_json() {
	"$tmp/jsoncheck" -p "$tmp/rt.json" "$@" 2>/dev/null
}

# --- storms: share attributed, own CPU per event, memory ---

# perf_record_share KEY TRUTH-WORD EVENT-ARGS... -- STORM...
perf_record_share() {
	local key=$1 name=$2 args=() samples

	shift 2
	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	[ -n "$perf" ] || return 0
	"$perf" record -q -a "${args[@]}" -o "$tmp/perf.data" -- "$@" >"$tmp/storm" 2>"$tmp/perf.err"
	samples=$("$perf" report --stats -i "$tmp/perf.data" 2>/dev/null |
		awk '/SAMPLE events:/ { n = $3 } END { print n }')
	rm -f "$tmp/perf.data"
	note "$key" "$(calc "min(100, 100 * $samples / $(word "$name" "$(<"$tmp/storm")"))")"
}

# perf_top_share KEY TRUTH-WORD "PERF TOP ARGS" STORM; its irqs/sec lines hold all samples it showed
perf_top_share() {
	local key=$1 name=$2 words truth shown

	[ -n "$perf" ] || return 0
	# shellcheck disable=SC2086 # arguments
	words=$(on_pty "$perf" top --stdio -d 1 $3 <<-SCRIPT
		expect 10 PerfTop
		begin
		run $4
		end
		pump 1.5
		key q
		exit 20
	SCRIPT
	)
	truth=$(word "$name" "$words")
	shown=$(tr '\r' '\n' <"$tmp/pty.log" | sed -n 's/.*PerfTop: *\([0-9]*\) irqs.*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }')
	note "$key.top${5:-}" "$(calc "min(100, 100 * $shown / $truth)")"
	[ -n "${5:-}" ] && return
	note "$key.top.ns" "$(calc "$(word cpu_ns "$words") / $shown")"
	note "$key.top.mb" "$(calc "$(word hwm_kb "$words") / 1024")"
}

# rt_share KEY TRUTH-WORD "RINGTOP ARGS" STORM
rt_share() {
	local key=$1 name=$2 storm=$4 before after truth counted attributed lost pending v

	# shellcheck disable=SC2086 # arguments
	rt_start -d 1 $3 || return
	before=$(cpu_ns "$rt_pid")
	truth=$(word "$name" "$(sh -c "$storm")")
	after=$(cpu_ns "$rt_pid")
	note "$key.rt.mb" "$(calc "$(status_kb "$rt_pid" VmHWM) / 1024")"
	rt_stop
	mapfile -t v < <(rt_json 'total.events[0].counted' 'total.events[0].attributed' \
		'total.events[0].lost' 'total.events[0].pending')
	counted=${v[0]:-} attributed=${v[1]:-} lost=${v[2]:-} pending=${v[3]:-}
	note "$key.rt" "$(calc "100 * $attributed / $counted")"
	note "$key.rt.ns" "$(calc "($after - $before) / $attributed")"
	# off by: what the equation leaves over, or what the storm did and was not counted
	note "$key.rt.off" \
		"$(calc "max(abs($counted - $attributed - $lost - $pending), max(0, $truth - $counted))")"
}

measure_syscall() {
	local event="-e raw_syscalls:sys_enter -c 1" storm="$work/storm_getppid -s $storm_seconds"

	perf_record_share syscall.record getppid -e raw_syscalls:sys_enter --filter 'id == 110' -c 1 -- \
		"$work/storm_getppid" -s "$storm_seconds"
	perf_top_share syscall getppid "-a $event" "$storm"
	perf_top_share syscall getppid "-a $event --overwrite" "$storm" -overwrite
	rt_share syscall getppid "$event" "$storm"
}

show_syscall() {
	row "syscall storm, share attributed" % worst-ge 99.99 syscall.rt \
		syscall.record syscall.top syscall.top-overwrite
	row "syscall storm, own CPU per event (top)" ns le 30 syscall.rt.ns syscall.top.ns
	row "syscall storm, counted - attributed - lost" events worst-le 0 syscall.rt.off
}

measure_onepage() {
	rt_share onepage getppid "-e raw_syscalls:sys_enter -c 1 -m 1" \
		"$work/storm_getppid -s $storm_seconds"
}

show_onepage() {
	row "syscall storm, -m 1, counted - attributed - lost" events worst-le 0 onepage.rt.off
	row "syscall storm, -m 1, share attributed" % ge - onepage.rt
}

measure_switch() {
	local storm="$work/storm_switch -s $storm_seconds"

	perf_record_share switch.record switches -e context-switches -c 1 -- \
		"$work/storm_switch" -s "$storm_seconds"
	perf_top_share switch switches "-a -e context-switches -c 1" "$storm"
	rt_share switch switches "-e context-switches -c 1" "$storm"
}

show_switch() {
	row "context-switch storm, share attributed (record / top)" % worst-ge 99.99 switch.rt \
		switch.record switch.top
	row "context-switch storm, own CPU per event (top)" ns le - switch.rt.ns switch.top.ns
	row "context-switch storm, counted - attributed - lost" events worst-le 0 switch.rt.off
}

measure_fault() {
	local storm="$work/storm_fault -s $storm_seconds"

	perf_record_share fault.record faults -e page-faults -c 1 -- \
		"$work/storm_fault" -s "$storm_seconds"
	perf_top_share fault faults "-a -e page-faults -c 1" "$storm"
	perf_top_share fault faults "-a -e page-faults -c 1 --overwrite" "$storm" -overwrite
	rt_share fault faults "-e page-faults -c 1" "$storm"
}

show_fault() {
	row "page-fault storm, share attributed" % worst-ge 99.99 fault.rt \
		fault.record fault.top fault.top-overwrite
	row "page-fault storm, own CPU per event (top)" ns le - fault.rt.ns fault.top.ns
	row "page-fault storm, counted - attributed - lost" events worst-le 0 fault.rt.off
}

# --- own CPU ---

# pty_cpu KEY PROGRAM...: run time per second of wall time, in ns, in a steady window on a screen
pty_cpu() {
	local key=$1 words

	shift
	words=$(on_pty "$@" <<-SCRIPT
		pump 2
		begin
		pump $window
		end
		key q
		exit 20
	SCRIPT
	)
	note "$key" "$(calc "$(word cpu_ns "$words") / $(word seconds "$words")")"
	note "$key.mb" "$(calc "$(word hwm_kb "$words") / 1024")"
}

measure_idle() {
	[ -z "$perf" ] || pty_cpu idle.top "$perf" top
	pty_cpu idle.rt "$ringtop"
	percent idle.top
	percent idle.rt
}

# percent KEY: its last value as a share of a CPU too
percent() {
	[ -s "$tmp/values/$1" ] &&
		note "$1.percent" "$(calc "$(tail -n 1 "$tmp/values/$1") / 1e7")"
}

show_idle() {
	row "idle machine, own CPU with its screen (top)" "% of a CPU" le 0.3 \
		idle.rt.percent idle.top.percent
	row "idle machine, peak memory (top)" MB le 32 idle.rt.mb idle.top.mb
}

# The samples on a screen cannot be counted from outside: nominal ones, as for perf top.
measure_sample() {
	local hz before after start end idle samples spin

	[ -s "$tmp/values/idle.rt" ] || measure_idle
	for hz in 4999 20000; do
		spawn "$work/spin_threads" -s 600
		spin=$spawned
		samples=$((hz * cpus))
		if [ -n "$perf" ]; then
			pty_cpu "sample.$hz.top.cpu" "$perf" top --stdio -d 1 -e cpu-clock -F $hz
			per_sample "sample.$hz.top" $samples 0
			spawn "$perf" record -q -a -e cpu-clock -F $hz -o "$tmp/perf.data"
			wait_until 10 perf_open "$spawned"
			sleep 2 # past its start, as the others are
			before=$(cpu_ns "$spawned") start=$(date +%s%N)
			sleep "$window"
			after=$(cpu_ns "$spawned") end=$(date +%s%N)
			stop "$spawned"
			rm -f "$tmp/perf.data"
			note "sample.$hz.record" \
				"$(calc "($after - $before) / 1e3 / ($samples * ($end - $start) / 1e9)")"
		fi
		pty_cpu "sample.$hz.rt.cpu" "$ringtop" -e cpu-clock -F $hz
		idle=$(median idle.rt)
		per_sample "sample.$hz.rt" $samples "$idle"
		per_sample "sample.$hz.rt.whole" $samples 0 "sample.$hz.rt.cpu"
		headless_sample $hz
		stop "$spin" TERM
	done
}

# per_sample KEY SAMPLES/S IDLE-NS/S [FROM]
per_sample() {
	note "$1" "$(calc "max(0, $(tail -n 1 "$tmp/values/${4:-$1.cpu}") - $3) / $2 / 1e3")"
}

headless_sample() {
	local before after first last

	rt_start -e cpu-clock -F "$1" -d 0.5 || return
	sleep 2
	before=$(cpu_ns "$rt_pid") first=$(rt_json 'sum:each.events[0].samples')
	sleep "$window"
	after=$(cpu_ns "$rt_pid") last=$(rt_json 'sum:each.events[0].samples')
	rt_stop
	note "sample.$1.json" "$(calc "($after - $before) / 1e3 / ($last - $first)")"
}

show_sample() {
	local hz

	for hz in 4999 20000; do
		row "own CPU per sample, $hz Hz, beyond idle (record / top)" us le 0.2 "sample.$hz.rt" \
			"sample.$hz.record" "sample.$hz.top"
		row "  the same with the idle cost in it" us le - "sample.$hz.rt.whole" \
			"sample.$hz.record" "sample.$hz.top"
		row "  headless, --json -d 0.5" us le - "sample.$hz.json" "sample.$hz.record"
	done
}

# --- call paths: of one program on every CPU, six functions deep ---

# top_paths KEY MODE; perf top counts as many samples as are taken, at the nominal rate
top_paths() {
	[ -n "$perf" ] || return 0
	pty_cpu "$1.cpu" "$perf" top --stdio -d 1 -e cpu-clock -F 4999 --call-graph "$2"
	per_sample "$1" $((4999 * cpus)) 0
}

rt_paths() {
	local key=$1 before after first last

	rt_start -e cpu-clock -F 4999 --call-graph "$2" -d 0.5 || return
	sleep 2
	before=$(cpu_ns "$rt_pid") first=$(rt_json 'sum:each.events[0].samples')
	sleep "$window"
	after=$(cpu_ns "$rt_pid") last=$(rt_json 'sum:each.events[0].samples')
	note "$key" "$(calc "($after - $before) / 1e3 / ($last - $first)")"
	# as long as the issue says, once
	[ -n "$quick" ] || [ "$2" = fp ] || [ -s "$tmp/values/$key.mb" ] || sleep $((60 - window - 2))
	note "$key.mb" "$(calc "$(status_kb "$rt_pid" VmHWM) / 1024")"
	rt_stop
	note "$key.lost" "$(calc "100 * $(rt_json 'total.events[0].lost') / $(rt_json 'total.events[0].counted')")"
}

measure_paths() {
	local program=spin_paths mode pid spins

	for mode in fp dwarf; do
		spins=()
		while [ ${#spins[@]} -lt "$cpus" ]; do
			spawn "$work/$program" -s 600
			spins+=("$spawned")
		done
		top_paths "paths.$mode.top" $mode
		rt_paths "paths.$mode.rt" $mode
		for pid in "${spins[@]}"; do
			stop "$pid" TERM
		done
		program=spin_nofp
	done
}

show_paths() {
	row "call paths, fp at 4999 Hz, own CPU per sample (top)" us le 0.5 paths.fp.rt paths.fp.top
	row "call paths, dwarf 8 KB at 4999 Hz, own CPU per sample (top)" us le 8 paths.dwarf.rt \
		paths.dwarf.top
	row "  peak memory, 60 s (top)" MB le 64 paths.dwarf.rt.mb paths.dwarf.top.cpu.mb
	row "  lost" % le - paths.dwarf.rt.lost
}

# --- start and quit ---

# first_row KEY FUNCTION PROGRAM...: ms from exec to the function's name on the screen, and q to the
# end
first_row() {
	local key=$1 function=$2 words

	shift 2
	words=$(on_pty "$@" <<-SCRIPT
		expect 20 $function
		pump 0.5
		key q
		exit 20
	SCRIPT
	)
	note "$key" "$(word expect_ms "$words")"
	note "$key.quit" "$(word exit_ms "$words")"
}

measure_start() {
	local load threads

	spawn "$work/spin_threads" -s 600
	load=$spawned
	[ -z "$perf" ] || first_row start.top spin_thread_work "$perf" top
	first_row start.rt spin_thread_work "$ringtop"
	# it stays as long as its stdin does
	[ -p "$tmp/hold" ] || mkfifo "$tmp/hold"
	exec 6<>"$tmp/hold"
	"$work/many_threads" -t 10000 -s 600 <"$tmp/hold" >"$tmp/threads" 6<&- &
	threads=$!
	started+=("$threads")
	wait_until 60 has_lines "$tmp/threads" 1
	[ -z "$perf" ] || first_row start.threads.top spin_thread_work "$perf" top
	first_row start.threads.rt spin_thread_work "$ringtop"
	stop "$threads" TERM
	exec 6<&-
	stop "$load" TERM
	wait_until 20 few_threads

	spawn "$work/big_binary" -s 600
	load=$spawned
	[ -z "$perf" ] || first_row start.big.top big_hot_loop "$perf" top
	first_row start.big.rt big_hot_loop "$ringtop"
	stop "$load" TERM
}

few_threads() {
	[ "$(awk '{ sub(".*/", "", $4); print $4 }' /proc/loadavg)" -lt 5000 ]
}

show_start() {
	row "exec to the first named row (top)" ms le 150 start.rt start.top
	row "  with a 100 MB binary of 200,000 symbols" ms le 150 start.big.rt start.big.top
	row "  with 10,000 threads on the machine" ms le 150 start.threads.rt start.threads.top
}

measure_quit() {
	[ -s "$tmp/values/start.rt.quit" ] || measure_start
}

show_quit() {
	row "q to the prompt (top)" ms le 100 start.rt.quit start.top.quit
	row "  with 10,000 threads" ms le 100 start.threads.rt.quit start.threads.top.quit
	row "  after the fork storm" ms le 100 memory.rt.quit memory.top.quit
}

# --- memory ---

# fork_memory KEY PROGRAM...: its memory through a fork storm, in twelve parts
fork_memory() {
	local key=$1 words part=$((fork_seconds / 12)) first last

	shift
	words=$(on_pty "$@" < <(
		echo "pump 2"
		for _ in {1..12}; do
			echo "begin"
			echo "run $work/storm_fork -s ${part/#0/1} -r 2000 -- $work/tiny_static,$work/tiny_pie 20000"
			echo "end"
		done
		echo "key q"
		echo "exit 30"
	))
	first=$(sed -n 's/.*rss_kb=\([0-9]*\).*/\1/p' <<<"$words" | sed -n 4p)
	last=$(word rss_kb "$words")
	note "$key.mb" "$(calc "$(word hwm_kb "$words") / 1024")"
	note "$key.growth" "$(calc "100 * ($last - $first) / $first")"
	note "$key.quit" "$(word exit_ms "$words")"
	note "$key.rate" "$(sed -n 's/.*processes=\([0-9]*\) seconds=\([0-9.]*\).*/\1 \2/p' <<<"$words" |
		awk '{ n += $1; s += $2 } END { print n / s }')"
}

measure_memory() {
	[ -z "$perf" ] || fork_memory memory.top "$perf" top
	fork_memory memory.rt "$ringtop"
}

show_memory() {
	row "fork storm of $fork_seconds s, peak memory (top)" MB worst-le 64 memory.rt.mb memory.top.mb
	row "  growth over its last two thirds" % worst-le 5 memory.rt.growth memory.top.growth
	row "  processes a second beside it" /s ge - memory.rt.rate memory.top.rate
	row "syscall storm, peak memory (top)" MB worst-le 64 syscall.rt.mb syscall.top.mb
	row "context-switch storm, peak memory (top)" MB worst-le 64 switch.rt.mb switch.top.mb
	row "page-fault storm, peak memory (top)" MB worst-le 64 fault.rt.mb fault.top.mb
}

# --- names ---

measure_names() {
	local storm=("$work/storm_fork" -s "$window" -r 2000 -- "$work/tiny_static,$work/tiny_pie" 50000)
	local nameless all

	if [ -n "$perf" ]; then
		"$perf" record -q -a -e cpu-clock -F 999 -o "$tmp/perf.data" -- "${storm[@]}" \
			>"$tmp/storm" 2>"$tmp/perf.err"
		note names.record "$("$perf" script -i "$tmp/perf.data" -F sym 2>/dev/null |
			awk '{ n++ } /\[unknown\]/ { u++ } END { if (n) print 100 * u / n }')"
		rm -f "$tmp/perf.data"
	fi
	rt_start -e cpu-clock -F 999 -d 1 || return
	"${storm[@]}" >"$tmp/storm"
	rt_stop
	nameless=$(rt_json 'sum:total.functions[function~[0x].samples')
	all=$(rt_json 'total.events[0].samples')
	note names.rt "$(calc "100 * $nameless / $all")"
	note names.rt.rate "$(calc "$(word processes "$(<"$tmp/storm")") / $window")"
}

show_names() {
	row "2000 fork+exec/s, samples without a name (record)" % worst-le 0.5 names.rt names.record
}

# --- lines ---

# lines_source: a C++ program whose time is in what is inlined
lines_source() {
	cat <<-'END'
		#include <algorithm>
		#include <map>
		#include <regex>
		#include <string>
		#include <unordered_map>
		#include <vector>
		int main()
		{
			std::map<std::string, std::vector<long>> m;
			std::unordered_map<long, std::string> u;
			long t = 0;
			for (long i = 0; i < 1500000; i++) {
				auto &v = m[std::to_string(i % 37)];
				v.push_back(i * 7919 % 1009);
				if (v.size() > 400)
					v.clear();
				std::sort(v.begin(), v.begin() + std::min<long>(v.size(), 20),
					  [](long a, long b) { return (a ^ 3) < (b ^ 3); });
				u[i % 101] += "x";
				t += v.size();
				if (i % 5000 == 0)
					t += std::regex_match(u[i % 101], std::regex("x+b[cd]"));
			}
			return t == 1;
		}
	END
}

# wall KEY COMMAND...: how long it takes
wall() {
	local key=$1 start=$EPOCHREALTIME

	shift
	timeout 300 "$@" >/dev/null 2>&1
	note "$key" "$(calc "$EPOCHREALTIME - $start")"
}

# lines_of NAME COMMAND...: its samples, then with and without what is inlined
lines_of() {
	local name=$1

	shift
	"$perf" record -q -e cpu-clock -F 4999 -g -o "$tmp/perf.data" -- "$@" >/dev/null 2>&1 || return
	wall "lines.$name.record.none" "$perf" script -i "$tmp/perf.data" --no-inline
	wall "lines.$name.record" "$perf" script -i "$tmp/perf.data"
	wall "lines.$name.rt.none" "$ringtop" -i "$tmp/perf.data" --json --no-lines
	wall "lines.$name.rt" "$ringtop" -i "$tmp/perf.data" --json
	rm -f "$tmp/perf.data"
}

measure_lines() {
	local cxx

	cxx=$(type -P clang++ || type -P g++) && [ -n "$perf" ] || return
	lines_source >"$tmp/lines.cc"
	lines_of compiler "$cxx" -O2 -g -fno-omit-frame-pointer -o "$tmp/lines" "$tmp/lines.cc"
	[ ! -x "$tmp/lines" ] || lines_of program "$tmp/lines"
}

show_lines() {
	row "a compiler's samples with lines (script)" s le 2 lines.compiler.rt lines.compiler.record
	row "  without" s le - lines.compiler.rt.none lines.compiler.record.none
	row "a C++ program's, with debug information" s le 2 lines.program.rt lines.program.record
	row "  without" s le - lines.program.rt.none lines.program.record.none
}

# --- the terminal ---

# pty_bytes KEY PROGRAM...: bytes a second to 80x24, after the first four seconds
pty_bytes() {
	local key=$1 words

	shift
	words=$(on_pty "$@" <<-SCRIPT
		pump 4
		begin
		pump $((2 * window))
		end
		key q
		exit 20
	SCRIPT
	)
	note "$key" "$(calc "$(word bytes "$words") / $(word seconds "$words")")"
}

measure_tty() {
	local spin forks

	spawn "$work/spin_threads" -s 600
	spin=$spawned
	spawn "$work/storm_fork" -s 600 -r 200 -- "$work/tiny_static,$work/tiny_pie" 20000
	forks=$spawned
	[ -z "$perf" ] || pty_bytes tty.top "$perf" top -d 1 -F 999
	pty_bytes tty.rt "$ringtop"
	stop "$forks" TERM
	stop "$spin" TERM
}

show_tty() {
	row "bytes a second to 80x24 (top -d 1)" B/s le 2000 tty.rt tty.top
}

# --- slowdown ---

# fixed KEY: the wall time of a fixed piece of work, and of a fixed number of system calls
fixed() {
	note "slow.$1" "$(word seconds "$("$work/spin_shares" -n 10000)")"
}

fixed_calls() {
	note "slow.calls.$1" "$(word seconds "$("$work/storm_getppid" -n 2000000 -c "$((cpus - 1))")")"
}

# beside_perf WORK KEY ARGS...
beside_perf() {
	local run=$1 key=$2 pid

	shift 2
	[ -n "$perf" ] || return 0
	spawn "$perf" record -q -a "$@" -o "$tmp/perf.data"
	pid=$spawned
	wait_until 10 perf_open "$pid"
	"$run" "$key"
	stop "$pid"
	rm -f "$tmp/perf.data"
}

beside_rt() {
	local run=$1 key=$2

	shift 2
	rt_start "$@" || return
	"$run" "$key"
	rt_stop
}

measure_slowdown() {
	local hz

	fixed alone
	for hz in 999 4999; do
		beside_perf fixed record.$hz -e cpu-clock -F $hz
		beside_rt fixed rt.$hz -e cpu-clock -F $hz
	done
	fixed_calls alone
	beside_perf fixed_calls record -e raw_syscalls:sys_enter -c 1
	beside_rt fixed_calls rt -e raw_syscalls:sys_enter -c 1
}

# against KEY: the median time as a multiple of the one alone
against() {
	note "$1.x" "$(calc "$(median "$1") / $(median "$2")")"
}

show_slowdown() {
	local hz limit

	for hz in 999 4999; do
		against slow.record.$hz slow.alone
		against slow.rt.$hz slow.alone
		limit=$(median slow.record.$hz.x)
		row "fixed work at $hz Hz, times its time alone (record)" x le "$limit" \
			slow.rt.$hz.x slow.record.$hz.x
	done
	against slow.calls.record slow.calls.alone
	against slow.calls.rt slow.calls.alone
	limit=$(median slow.calls.record.x)
	row "2 M system calls at period 1, times alone (record)" x le "$limit" \
		slow.calls.rt.x slow.calls.record.x
}

# --- the run ---

known() {
	local name

	for name in "${all_rows[@]}"; do
		[ "$name" = "$1" ] && return
	done
	return 1
}

for name in "${rows[@]}"; do
	known "$name" || usage
done
build_tools
for ((run = 1; run <= runs; run++)); do
	for name in "${rows[@]}"; do
		echo "run $run of $runs: $name" >&2
		"measure_$name"
	done
done
echo "$(uname -sr), $cpus CPUs, $("$ringtop" --version 2>/dev/null | head -n 1), $([ -n "$perf" ] && "$perf" --version || echo "no perf"); medians of $runs, shares and memory: worst"
line measure perf ringtop ratio target ok
line "$(printf -- '-%.0s' {1..58})" "$(printf -- '-%.0s' {1..22})" --------- ------- --------- ---
for name in "${rows[@]}"; do
	"show_$name"
done
