#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soak.sh HOURS [SEED] - ringtop for hours under all that hurts, at random from a seed: storms of forks, maps,
# dlopen, threads, names and JIT code, memory that runs short, a CPU that goes and comes; on its screen random
# keys, resizes, snapshots and recordings.  One ringtop reports, the other one has a screen.
#
# It must hold: both answer to the end and end well; every interval's and the total's sums; memory flat and
# below its budget; no descriptor, event, process or half-written file left.  SOAK_DIR keeps what was seen
# (samples of memory and descriptors every 5 s, the report, the keys).  Root; the machine is its own.
hours=${1:?usage: soak.sh HOURS [SEED]}
seed=${2:-$(date +%s)}
. "$(dirname "$0")/../live/lib.sh"
need_root
need_perf
need_work storm_fork storm_birth storm_fault storm_grow storm_switch comm_storm dlopen_churn many_threads \
	jit_map spin_threads spin_paths tiny
soak_dir=${SOAK_DIR:-$tmp/soak}
mkdir -p "$soak_dir/files" || fail "no directory $soak_dir"
seconds=$(awk "BEGIN { printf \"%d\", $hours * 3600 }")
end=$((SECONDS + seconds))
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o "$tmp/ptyrun" "$tests_dir/bench/ptyrun.c" -lvterm -lutil ||
	skip "ptyrun needs libvterm"
RANDOM=$((seed % 32768))

left() {
	[ "$SECONDS" -lt "$end" ]
}

pick() { # one of the arguments
	local words=("$@")

	picked=${words[RANDOM % ${#words[@]}]}
}

# --- what hurts ---

memory_pressure() {
	timeout 20 "${PYTHON:-tail}" -c 2G </dev/zero >/dev/null 2>&1 &
	local pid=$!
	started+=("$pid")
	wait_until 4 gone "$pid"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}

# The last one that is online now; it comes back, however this ends.
last_cpu=$(awk '/^processor/ { n = $3 } END { print n }' /proc/cpuinfo)
cpu_switch=/sys/devices/system/cpu/cpu$last_cpu/online
on_exit '[ ! -w "$cpu_switch" ] || echo 1 >"$cpu_switch"'

cpu_away() {
	[ "$last_cpu" != 0 ] && [ -w "$cpu_switch" ] || return 0
	echo 0 >"$cpu_switch" 2>/dev/null
	timeout 5 "$work/spin_paths" -s 0.$((1 + RANDOM % 9)) >/dev/null
	echo 1 >"$cpu_switch" 2>/dev/null
}

storm() { # NAME
	local s=$((1 + RANDOM % 4))

	case $1 in
	forks) timeout 20 "$work/storm_fork" -s $s -r 800 -- "$work/tiny_static,$work/tiny_pie" 20000 ;;
	births) (sleep $s; echo) | timeout 20 "$work/storm_birth" -k 2 -t 8 -n 2000 ;;
	processes) (sleep $s; echo) | timeout 20 "$work/storm_birth" -k 2 -t 8 -n 2000 fork ;;
	grow) timeout 20 "$work/storm_grow" -t 8 -k 8 -n 20000 ;;
	faults) timeout 20 "$work/storm_fault" -s $s ;;
	switches) timeout 20 "$work/storm_switch" -s $s ;;
	names) timeout 20 "$work/comm_storm" -s $s ;;
	churn) timeout 20 "$work/dlopen_churn" -s $s "$work/libchurn_a.so" "$work/libchurn_b.so" ;;
	threads) timeout 20 "$work/many_threads" -t 400 -s $s ;;
	jit) timeout 20 "$work/jit_map" -s $s ;;
	rewrite) timeout 20 "$work/jit_map" -s $s rewrite ;;
	spin) timeout 20 "$work/spin_threads" -t 4 -s $s ;;
	memory) memory_pressure ;;
	cpu) cpu_away ;;
	esac >"$tmp/storm.$1" 2>&1 </dev/null
}

storms() { # until the end, two at a time
	local other

	while left; do
		pick forks births processes grow faults switches names churn threads jit rewrite spin
		other=$picked
		storm "$other" &
		pick forks births churn jit spin memory cpu names
		storm "$picked"
		echo "$SECONDS $other+$picked" >>"$soak_dir/storms"
		wait $!
	done
}

# --- the screen's keys, as a script for ptyrun ---

# What no key of a user ends: q, and Ctrl-C, are left out.
keys_once() {
	local n

	case $((RANDOM % 12)) in
	0) echo "size $((5 + RANDOM % 60)) $((20 + RANDOM % 200))" ;;
	1) for n in 1 2 3 4 5 6 7 8; do echo "size $((8 + RANDOM % 40)) $((30 + RANDOM % 150))"; done ;;
	2) echo 'key S' ;;
	3) echo 'key D' ;;
	4) echo 'key R\n' ;;
	5) echo 'key /main\n' ;;
	6) echo 'key fpid:1\n' ;;
	7) pick p p z ' ' && echo "key $picked" ;;
	*) pick 1 2 3 4 5 6 7 j k h l H K U i s g '\n' '\e[A' '\e[B' '\e[C' '\e[D' '\e[5~' '\e[6~' '\t' b t '+' '-' '?' &&
		echo "key $picked" ;;
	esac
	pump $((1 + RANDOM % 5))
}

pump() { # TENTHS of a second
	typed=$((typed + $1))
	printf 'pump %d.%d\n' $(($1 / 10)) $(($1 % 10))
}

# ptyrun reads it whole before it starts.
keys() {
	typed=0
	echo 'expect 20 1 Functions'
	while [ $((typed / 10)) -lt "$seconds" ]; do
		for ((n = 0; n < 40; n++)); do
			keys_once
		done
		# it answers still: out of every prompt and view, then its tabs
		echo 'size 24 80'
		for ((n = 0; n < 3; n++)); do
			echo 'key \e'
			pump 3
		done
		echo 'key 1'
		echo 'expect 15 1 Functions'
		echo "run date +%s >>$soak_dir/answers"
	done
	pump 10
	echo 'key q'
	echo 'exit 20'
}

# --- looking on ---

# RSS in KB, descriptors, events, threads
look_at() { # PID
	echo "$(awk '/^VmRSS/ { print $2 }' "/proc/$1/status") $(ls "/proc/$1/fd" | wc -l)" \
		"$(ls -l "/proc/$1/fd" | grep -c 'perf_event')" "$(ls "/proc/$1/task" | wc -l)"
}

watch_it() { # NAME PID
	while left && ! gone "$2"; do
		echo "$SECONDS $(look_at "$2")" >>"$soak_dir/$1.samples" 2>/dev/null
		sleep 5
	done
}

# One of the finished files is replayed now and then; those that are older than a minute go.
replay_it() { # FILE
	nice timeout 300 "$RINGTOP" --json -i "$1" >"$tmp/replay.json" 2>"$tmp/replay.err" 9>&- ||
		echo "$(basename "$1") does not replay: $(tail -n 1 "$tmp/replay.err")" >>"$soak_dir/replays.bad"
	echo "$SECONDS $(basename "$1") $(stat -c %s "$1")" >>"$soak_dir/replays"
}

tidy() {
	local file

	while left; do
		file=$(find "$soak_dir/files" -name '[!.]*.data' -mmin +1 2>/dev/null | shuf -n 1)
		[ -z "$file" ] || replay_it "$file"
		find "$soak_dir/files" -name '[!.]*.data' -mmin +1 -delete 2>/dev/null
		sleep 20
	done
}

# median COLUMN FROM TO: of the samples between these parts of the time
median() {
	awk -v c="$1" -v from="$2" -v to="$3" '{ v[NR] = $c } END {
		for (i = int(NR * from) + 1; i <= int(NR * to); i++) print v[i] }' "$file" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}

verdict=0
bad() {
	echo "FAIL: $*"
	verdict=1
}

judge_samples() { # NAME
	local early late most

	file=$soak_dir/$1.samples
	early=$(median 2 0.3 0.5) late=$(median 2 0.8 1) most=$(sort -nk2 "$file" | awk 'END { print $2 }')
	holds "$late <= 1.25 * $early + 32768" || bad "$1: memory grows: $early KB, later $late KB"
	holds "$most <= 1024 * 1024" || bad "$1: $most KB at the most"
	echo "$1: $(wc -l <"$file") samples: memory $early KB, at the end $late KB, at the most $most KB;" \
		"descriptors $(median 3 0.3 0.5), $(median 3 0.8 1); events $(median 4 0.3 0.5), $(median 4 0.8 1);" \
		"threads $(median 5 0.3 0.5), $(median 5 0.8 1)"
	# the files of what is sampled stay open for a while: some dozens come and go
	holds "$(median 3 0.8 1) <= 1.5 * $(median 3 0.3 0.5) + 16" || bad "$1: descriptors grow"
	holds "$(median 5 0.8 1) <= $(median 5 0.3 0.5) + 2" || bad "$1: threads grow"
}

# --- the run ---

echo "soak: $seconds s, seed $seed, in $soak_dir"
cd "$soak_dir/files" || exit 1
: >"$soak_dir/storms"
: >"$soak_dir/answers"
: >"$soak_dir/replays"
out=$soak_dir/report.json
err=$soak_dir/report.err
rt_start -g -d 5 --top 20
reporter=$rt_pid
keys >"$soak_dir/keys"
screen_on_terminal() { # a shell forgets how a job ended that ended hours ago
	"$tmp/ptyrun" -o "$soak_dir/screen.log" -r 24 -c 80 -- "$RINGTOP" --call-graph dwarf -F 499 \
		<"$soak_dir/keys" >"$soak_dir/screen.out" 2>"$soak_dir/screen.err" 9>&- &
	echo $! >"$tmp/screen_job"
	wait $!
	echo $? >"$tmp/screen_status"
}
screen_on_terminal &
wait_until 5 test -s "$tmp/screen_job" || fail "no terminal"
screen_job=$(cat "$tmp/screen_job")
started+=("$screen_job")
screen_pid() {
	screen=$(pgrep -P "$screen_job")
}
wait_until 10 screen_pid || fail "no ringtop on the terminal: $(cat "$soak_dir/screen.err")"
started+=("$screen")
watch_it report "$reporter" &
tidy &
watch_it screen "$screen" &
storms

# What types is late, too, where the machine has too much to do.
wait_until $((60 + seconds / 5)) test -s "$tmp/screen_status"
screen_status=$(cat "$tmp/screen_status" 2>/dev/null || echo none)
rt_pid=$reporter
rt_stop
[ "$rt_status" = 0 ] || bad "the reporting one ends with $rt_status: $(tail -n 2 "$err")"
"$jsoncheck" "$out" 2>"$soak_dir/check" || bad "its report breaks a rule: $(head -n 3 "$soak_dir/check")"
[ "$screen_status" = 0 ] || bad "the one on the screen: $(tail -n 2 "$soak_dir/screen.err")"
gone "$screen" || bad "the one on the screen is still there"
judge_samples report
judge_samples screen
[ -z "$(find "$soak_dir/files" -name '*.tmp*' -o -name '.*.data*' | head -n 3)" ] || bad "half-written files are left"
for f in "$soak_dir"/files/*.data; do
	[ ! -e "$f" ] || replay_it "$f"
done
[ ! -s "$soak_dir/replays.bad" ] || bad "$(wc -l <"$soak_dir/replays.bad") files: $(head -n 1 "$soak_dir/replays.bad")"
echo "files replayed: $(wc -l <"$soak_dir/replays"), answers on the screen:" \
	"$(wc -l <"$soak_dir/answers"), storms: $(wc -l <"$soak_dir/storms")," \
	"intervals: $("$jsoncheck" -p "$out" count:each.time)"
echo "total: lost $(json 'sum:total.events.lost') of $(json 'sum:total.events.counted') ns counted;" \
	"self $(json total.self.cpu_seconds) s of CPU"
[ "$verdict" = 0 ] && pass "it held for $seconds s"
exit $verdict
