#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# remote.sh RINGTOP [ROW...] - -H over a real sshd on loopback, beside `ssh HOST perf record -o -` and beside the
# screen run over ssh, as a table.  ROWs: first bytes cpu slow hosts storm; all where none is given.  SECONDS_EACH (20),
# HOSTS (20).
# The load is a compiler in a loop on every CPU: new call paths all the time.
RINGTOP=${1:?usage: remote.sh RINGTOP [ROW...]}
shift
bench_dir=$(cd "$(dirname "$0")" && pwd)
. "$bench_dir/../live/lib.sh"
. "$bench_dir/../live/sshd.sh"
. "$bench_dir/../live/far.sh"
need_perf
need_work relay storm_exact
rows=("$@")
[ $# -gt 0 ] || rows=(first bytes cpu slow hosts storm)
seconds=${SECONDS_EACH:-20}
hosts_many=${HOSTS:-20}

# row MEASURE FIGURE MARK OK(an awk condition, or "-") PERF SCREEN
row() {
	local verdict=-

	[ "$4" = - ] || { holds "$4" && verdict=yes || verdict=NO; }
	printf '%-52s %14s %14s %4s %14s %14s\n' "$1" "$2" "$3" "$verdict" "${5:--}" "${6:--}"
}

calc() {
	awk "BEGIN { printf \"${2:-%.2f}\", $1 }"
}

load_start() {
	local n

	cat >"$tmp/load.sh" <<-END
		while :; do
			${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -c -o "$tmp/load.\$1.o" "$tests_dir/bench/bench_table.c" \
				-I"$tests_dir/.." -I"$tests_dir/../src" 2>/dev/null
			gzip -c <"$RINGTOP" >/dev/null
		done
	END
	for ((n = 0; n < $(nproc); n++)); do
		setsid sh "$tmp/load.sh" $n >/dev/null 2>&1 9>&- &
		loads+=($!)
	done
}

load_stop() {
	local pid

	for pid in "${loads[@]}"; do
		kill -KILL -- "-$pid" 2>/dev/null
	done
	wait "${loads[@]}" 2>/dev/null
	loads=()
}
loads=()
on_exit load_stop

now() {
	echo "$EPOCHREALTIME"
}

# seconds that COMMAND... takes to print the first line with a function
first_row() {
	local begin line

	begin=$(now)
	exec 3< <("$@" 2>"$err" 9>&-)
	first_pid=$!
	while read -r line <&3; do
		case $line in *'"type":"interval"'*'"function"'*) break ;; esac
	done
	calc "$(now) - $begin" "%.2f\n"
	exec 3<&-
	kill -INT $first_pid 2>/dev/null
	wait $first_pid 2>/dev/null
}

median() {
	sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

times() { # COMMAND...: the median of five
	for _ in 1 2 3 4 5; do
		"$@"
	done | median
}

true_there() {
	local begin

	begin=$(now)
	$ssh -n -- far true
	calc "$(now) - $begin" "%.2f\n"
}

row_first() {
	local base local_first installed sent

	base=$(times true_there)
	local_first=$(times first_row "$RINGTOP" --json -d 0.1 -e cpu-clock)
	installed=$(times first_row "$RINGTOP" "${far[@]}" --json -d 0.1 -e cpu-clock)
	mv "$hosts/bin-far/ringtop" "$hosts/ringtop.away"
	sent=$(times first_row "$RINGTOP" "${far[@]}" --json -d 0.1 -e cpu-clock)
	mv "$hosts/ringtop.away" "$hosts/bin-far/ringtop"
	row "first named row beyond ssh true, agent there" "$(calc "$installed - $base") s" "0.40 s" "$installed - $base <= 0.4" \
		- "here $local_first s"
	row "the same, agent sent first" "$(calc "$sent - $base") s" "1.00 s" "$sent - $base <= 1"
}

# bytes a second over the line, both ways, without the login: a long run less a short one
wire_rate() { # RELAY-OPTIONS OPTIONS...
	local relay=$1 length counts=()

	shift
	for length in 3 $((seconds + 3)); do
		far_relay "$relay -o $tmp/count"
		rt "${far[@]}" --json -d 1 -e cpu-clock -F 999 --duration "$length" "$@"
		expect_status 0 "bytes"
		counts+=("$(tr -dc '0-9 ' <"$tmp/count" | awk '{ print $1 + $2 }')")
	done
	far_by
	calc "(${counts[1]} - ${counts[0]}) / $seconds / 1000" %.1f
}

perf_rate() { # OPTIONS...
	$ssh -n -- far perf record -q -a -e cpu-clock -F 999 "$@" -o - -- sleep 5 2>/dev/null | wc -c |
		awk '{ printf "%.0f", $1 / 5000 }'
}

screen_rate() { # OPTIONS...
	printf 'expect 20 Functions\npump 2\nbegin\npump %s\nend\nkey q\nexit 10\n' "$seconds" |
		"$tmp/ptyrun" -r 50 -c 200 -- $ssh -tt -- far ringtop -e cpu-clock -F 999 "$@" 2>/dev/null |
		sed -n 's/.*bytes=\([0-9]*\).*/\1/p' | awk -v s="$seconds" '{ printf "%.1f", $1 / s / 1000 }'
}

row_bytes() {
	local flat paths folded

	load_start
	flat=$(wire_rate "") paths=$(wire_rate "" -g)
	row "kB/s at 999 Hz, flat" "$flat kB/s" "4 kB/s" "$flat <= 4" "$(perf_rate) kB/s" "$(screen_rate) kB/s"
	row "kB/s at 999 Hz, -g" "$paths kB/s" "20 kB/s" "$paths <= 20" "$(perf_rate -g) kB/s" "$(screen_rate -g) kB/s"
	far_relay "-d 40 -r 40000"
	rt "${far[@]}" --json -d 1 -e cpu-clock -F 999 -g --duration $((4 * seconds))
	far_by
	load_stop
	identity "a line of 40 kbit/s"
	# the second half: by then the names of what runs are there
	folded=$(jq -s "map(select(.type == \"interval\" and .time > 2 * $seconds)) |
		(map(.hosts[0].bytes_in) | add) / (map(.seconds) | add) / 1000 * 100 | round / 100" "$out")
	row "kB/s at 999 Hz, -g, a line of 40 kbit/s" "$folded kB/s" "5 kB/s" "$folded <= 5"
	row "  of the samples folded there" "$(jq -s 'map(select(.type == "total"))[0] |
		100 * .hosts[0].folded_samples / .events[0].samples | round' "$out") %" - -
}

# ms of CPU that a process took
cpu_of() {
	awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / tick }' "/proc/$1/stat"
}

# ms of CPU a second of the one that measures, over a while
cpu_rate() { # PID
	local before

	before=$(cpu_of "$1")
	sleep "$seconds"
	calc "($(cpu_of "$1") - $before) / $seconds" "%.2f\n"
}

row_cpu() {
	local here there n

	load_start
	: >"$tmp/here" >"$tmp/there"
	for n in 1 2 3; do
		rt_start -d 1 -e cpu-clock -F 999
		cpu_rate "$rt_pid" >>"$tmp/here"
		rt_stop
		rt_start "${far[@]}" -d 1 -e cpu-clock -F 999
		cpu_rate "$(far_agent)" >>"$tmp/there"
		rt_stop
	done
	load_stop
	here=$(median <"$tmp/here") there=$(median <"$tmp/there")
	row "the agent's CPU, ms/s, beside a local headless run's" "$there of $here" "+10 %" "$there <= 1.1 * $here"
	echo "    here: $(paste -sd' ' "$tmp/here"); there: $(paste -sd' ' "$tmp/there")"
}

row_slow() {
	local help effect

	load_start
	far_relay "-d 100 -r 64000"
	rt "${far[@]}" --json -g -e cpu-clock -F 999 --duration "$seconds"
	identity "200 ms, 64 kbit/s"
	row "200 ms and 64 kbit/s, -g: lost" "$(json total.events[0].lost)" 0 "$(json total.events[0].lost) == 0"
	row "  behind, folded, slices merged" "$(jq -s -r 'map(select(.type == "interval"))[-1].hosts[0] |
		"\(.behind_ns / 1e8 | round / 10) s"' "$out")" "-" - "$(json sum:total.hosts.folded_rows)" "$(json sum:total.hosts.merged)"
	# a dump is there when the key's command has come
	cat >"$tmp/dumped" <<-END
		begin=\$EPOCHREALTIME
		until ls "$hosts/home/root/"ringtop* >/dev/null 2>&1; do read -rt 0.005 <>/dev/zero; done
		awk "BEGIN { print \"effect_ms=\" (\$EPOCHREALTIME - \$begin) * 1000 }"
	END
	printf 'expect 60 Functions\npump 5\nexpect 5 Functions\nkey \\033OP\nexpect 5 Help\nkey \\e\npump 1\nkey D\nrun bash %s\nkey q\nexit 20\n' \
		"$tmp/dumped" | "$tmp/ptyrun" -r 50 -c 160 -- "$RINGTOP" "${far[@]}" -g -e cpu-clock -F 999 \
		--snapshot-dir /mnt/home/root >"$tmp/pty" 2>&1 || cat "$tmp/pty"
	help=$(sed -n 's/.*expect_ms=\([0-9.]*\).*/\1/p' "$tmp/pty" | tail -n 2 | awk '{ d = $1 - d } END { print d }')
	effect=$(sed -n 's/.*effect_ms=\([0-9.]*\).*/\1/p' "$tmp/pty")
	row "the same: key to screen here" "${help:--} ms" - -
	row "the same: key to its effect there" "${effect:--} ms" "400 ms" "${effect:-999999} <= 400"
	rm -f "$hosts/home/root/"ringtop*
	far_by
	load_stop
}

row_hosts() {
	local names=() n list before cpu rss

	for ((n = 0; n < hosts_many; n++)); do
		names+=("many$n")
	done
	far_start "${names[@]}"
	list=$(IFS=,; echo "${names[*]}")
	load_start
	far_by "$list"
	rt_launch "${far[@]}" -d 1 -e cpu-clock -F 99
	wait_until 90 rt_measures || fail "$hosts_many hosts: no report"
	before=$(wc -l <"$out")
	cpu=$(cpu_rate "$rt_pid")
	n=$(($(wc -l <"$out") - before))
	rss=$(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$rt_pid/status")
	rt_stop
	load_stop
	expect_status 0 "$hosts_many hosts"
	identity "$hosts_many hosts"
	row "$hosts_many hosts: CPU here" "$(calc "$cpu / 10") %" "5 %" "$cpu <= 50"
	row "$hosts_many hosts: memory here" "$(calc "$rss" %.0f) MB" "128 MB" "$rss <= 128"
	row "$hosts_many hosts: reports in $seconds s" "$n" "$seconds" "$n >= $seconds - 1"
	far_by
}

row_storm() {
	local calls=1000000 attributed

	rt "${far[@]}" --json -d 0.2 -e raw_syscalls:sys_enter -c 1 -- "$work/storm_exact" $calls
	identity "storm"
	attributed=$(json total.events[0].attributed)
	row "a storm of $calls system calls: attributed" "$(calc "100 * $attributed / $calls" %.4f) %" "99.99 %" \
		"$attributed >= 0.9999 * $calls && $(json total.events[0].counted) == $calls"
}

need_sshd
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o "$tmp/ptyrun" "$bench_dir/ptyrun.c" -lvterm -lutil || skip "ptyrun needs libvterm"
far_start far
printf '%-52s %14s %14s %4s %14s %14s\n' measure "-H" mark ok "ssh perf" "screen by ssh"
for name in "${rows[@]}"; do
	"row_$name"
done
