#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an ordinary user of the machine may do against root's ringtop, each for itself and all at once: it
# keeps to a tenth of a CPU and to --max-memory, loses no record of others, ends when it is told to, and a
# program that goes about its work meanwhile has all its samples, its names and its shares.
#
# HOSTILE_ATTACKS: which (all; with RINGTOP_TEST_LONG each for itself, too, but those that budget.sh tries).
# HOSTILE_SECONDS: how long each (2); all at once three times that.
# HOSTILE_CPU: of one CPU (0.10), above what it uses here without an attack.  Time and what depends on it are
# told; HOSTILE_STRICT=1 holds them against it, too, where no work but the test's fills the machine.  Memory,
# names, shares and the report's sums are held always.  What is left of an attack by
# many records is what each costs: 0.7 us of a map without end, as much of maps over one another, 0.3 us of a
# new name.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
command -v setpriv >/dev/null || skip "no setpriv"
need_work spin_shares greedy hostile jit_map comm_storm storm_fork storm_map tiny

user=1000 # not the helpers', who could be killed then
limit=$((64 << 20))
seconds=${HOSTILE_SECONDS:-2}
singles='ladder link clones maps over perfmap jitdump jitdumps comms forks files'
read -ra attacks <<<"${HOSTILE_ATTACKS:-zlib zstd names sparse $singles}"
read -ra singles <<<"${HOSTILE_ATTACKS:-${RINGTOP_TEST_LONG:+$singles}}"
verdict=0

# The user's own directory, with programs that the user may run.
home=$tmp/user
mkdir "$home" && cp "$work"/{greedy,hostile,jit_map,comm_storm,storm_fork,storm_map,tiny_static,tiny_pie} "$home" &&
	chown -R $user:$user "$home" || fail "no directory for the user"

# --- the attacks: as the user, in the user's directory, for so many seconds, and not longer than this test ---

as_user() { # COMMAND...
	setpriv --reuid=$user --regid=$user --clear-groups --pdeathsig KILL "$@" >/dev/null 2>>"$tmp/attacks" 9>&- &
	attackers+=($!)
	started+=($!)
}

greedy() { # KIND SECONDS: three files of the kind, so that what is kept for each adds up
	local n

	for n in 1 2 3; do
		as_user "./$1$n" -s "$2"
	done
}

make_greedy() { # KIND
	local n

	for n in 1 2 3; do
		"$home/greedy" make "$1" "$home/$1$n" || return
		chown $user:$user "$home/$1$n"
	done
}

attack() { # NAME SECONDS
	case $1 in
	none) ;;
	clones) as_user ./storm_map -n 15000 -k 1000 -s "$2" children ;;
	maps) as_user ./storm_map -n 1000000000 -s "$2" ever ;;
	over) as_user ./storm_map -n 30000 -s "$2" over ;;
	files) as_user ./hostile -s "$2" files ;;
	jitdump) as_user ./hostile -s "$2" dump ;;
	jitdumps) for _ in {1..12}; do as_user ./hostile -s "$2" dump; done ;;
	# 159 MB; the second half of its time is quiet
	perfmap) as_user ./jit_map -s $(($2 * 2)) -n 3600000 touch ;;
	comms) as_user ./comm_storm -s "$2" ;;
	forks) as_user ./storm_fork -s "$2" -- ./tiny_static,./tiny_pie 20000 ;;
	*) greedy "$1" "$2" ;;
	esac
}

# What the attacker's tasks are called.
comm_of() { # NAME
	case $1 in
	clones | maps | over) echo storm_map ;;
	files) echo replaced- ;;
	jitdump | jitdumps) echo hostile ;;
	perfmap) echo jit_map ;;
	comms) echo comm- ;;
	forks) echo tiny_ ;;
	*) echo "$1" ;;
	esac
}

# --- what must hold ---

bad() {
	echo "FAIL: $what: $*"
	verdict=1
}

# Times: told, and held against it only where the machine is the test's alone and HOSTILE_STRICT is set.
late() {
	if [ -n "${HOSTILE_STRICT:-}" ] && holds "$others <= 0.25"; then
		bad "$@"
	else
		echo "# $what, beside work of $others CPUs that is not ours: $*"
	fi
}

# ns that all CPUs were busy
busy() {
	awk -v hz="$(getconf CLK_TCK)" \
		'/^cpu / { printf "%.0f", ($2 + $3 + $4 + $7 + $8 + $9) / hz * 1e9 }' /proc/stat
}

# How many CPUs others than the victim use.
look_at_others() {
	local was ours at

	was=$(busy) ours=$(ran) at=$(now)
	sleep 0.3
	awk "BEGIN { printf \"%.2f\", ($(busy) - $was - $(ran) + $ours) / ($(now) - $at) }"
}

# ns that the victim has run
ran() {
	cut -d ' ' -f 1 "/proc/$victim/schedstat"
}

peak() {
	awk '/^VmHWM/ { print $2 * 1024 }' "/proc/$rt_pid/status"
}

# ns of CPU that it and its helpers have used; what those took that have ended is not seen
used() {
	local pid

	echo $(($(for pid in "$rt_pid" $(pgrep -P "$rt_pid"); do
		cut -d ' ' -f 1 /proc/"$pid"/task/*/schedstat 2>/dev/null
	done | paste -sd+)))
}

now() {
	date +%s%N
}

# measure ATTACK... SECONDS: ringtop from before the attack on; sets cpu, memory and the victim's time
measure() {
	local first names=("${@:1:$#-1}") length=${!#} name at began after slow=

	attackers=()
	others=$(look_at_others)
	first=$(ran)
	rt_start "$mode" --max-memory 64M -d 1 --top 200
	least=$(ran) at=$(now) began=$(used)
	for name in "${names[@]}"; do
		attack "$name" $((length + 1))
	done
	sleep "$length" # is what is measured
	memory=$(peak)
	cpu=$(awk "BEGIN { printf \"%.4f\", ($(used) - $began) / ($(now) - $at) }")
	least=$(($(ran) - least))
	kill -INT "$rt_pid"
	wait_until 2 gone "$rt_pid" || slow=1
	rt_stop
	most=$(($(ran) - first))
	for pid in "${attackers[@]}"; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		rm -f "/tmp/perf-$pid.map" "$home/jit-$pid.dump"
	done
	after=$(look_at_others)
	holds "$after <= $others" || others=$after
	[ -z "$slow" ] || late "does not end within 2 s"
}

# value QUERY: sets $value; what is not there is 0
value() {
	value=$(json "$1") ||
		fail "$what: jsoncheck ends with status $? on a report of $(stat -c %s "$out") bytes, asked for $1"
	[ "$value" != - ] || value=0
}

samples_of() { # FUNCTION of the victim
	value "sum:total.functions[object=$tmp/victim][function=$1].samples"
}

judge_victim() {
	local percent sum=0 weight

	for percent in 50 30 15 05; do
		samples_of share_$percent
		sum=$((sum + value))
	done
	weight=$((sum * 1001001))
	# a CPU that is shared is sampled as it comes: some tens of samples more or less
	holds "$weight <= 1.05 * $most + 3e7" || bad "the victim ran for $most ns, its functions have $weight ns"
	holds "$weight >= 0.93 * $least" || late "the victim ran for $least ns, its functions have $weight ns"
	for percent in 50 30 15 05; do
		samples_of share_$percent
		near "$value" "$percent / 100 * $sum" "5 * sqrt($percent / 100 * $sum) + 0.02 * $sum" ||
			bad "share_$percent has $value of $sum samples"
	done
	victim_share=$(awk "BEGIN { printf \"%.4f\", $weight / $most }")
}

judge() {
	expect_status 0 "$what"
	check_report
	judge_victim
	value total.events.attributed_share && share=$value
	value 'sum:total.rings[kind=sideband].lost' && sideband=$value
	value total.self.budget_refusals && refused=$value
	value total.self.process_maps_forgotten && forgotten=$value
	value 'sum:total.self.helpers.ends' && ends=$value
	value 'sum:total.self.helpers.peak_bytes' && helpers=$value
	[ "$sideband" = 0 ] || late "$sideband records of maps and names are lost"
	holds "$share >= 0.97" || late "attributed $share"
	echo "# $what: cpu $cpu memory $((memory >> 20)) MB victim $victim_share attributed $share" \
		"others $others refused $refused maps forgotten $forgotten" \
		"helpers $((helpers >> 20)) MB lost $ends"
}

# bounds: what it may use
bounds() {
	holds "$cpu <= $quiet_cpu + ${HOSTILE_CPU:-0.10}" ||
		late "it takes $cpu of a CPU, $quiet_cpu without the attack"
	holds "$cpu <= $quiet_cpu + 0.9" || holds "$others > 0.25" || bad "it takes $cpu of a CPU"
	[ "$memory" -le $((quiet_memory + limit)) ] ||
		bad "it had $((memory >> 20)) MB, $((quiet_memory >> 20)) MB without the attack, --max-memory 64M"
	[ "$helpers" -le $((128 << 20)) ] || bad "its helpers had $((helpers >> 20)) MB"
}

# --- the run ---

cp "$work/spin_shares" "$tmp/victim" # others may run such programs, too
"$tmp/victim" -s 600 >/dev/null 9>&- &
victim=$!
started+=("$victim")
cd "$home" || exit 1
for name in "${attacks[@]}"; do
	case $name in
	zlib | zstd | names | sparse | ladder | link) make_greedy "$name" || fail "cannot make $name" ;;
	esac
done
mkfifo -m 666 "$home/greedy.fifo"

# What stacks that are copied bring is more than what chains do, so each attack is tried with them.
for mode in -g --call-graph=dwarf; do
	what="$mode, no attack"
	measure none "$seconds"
	judge
	quiet_cpu=$cpu quiet_memory=$memory
	what="$mode, all at once"
	measure "${attacks[@]}" $((seconds * 3))
	judge
	bounds
done
for name in "${singles[@]}"; do
	what="$mode, $name"
	measure "$name" "$seconds"
	value "sum:total.tasks[comm~$(comm_of "$name")].samples"
	holds "$value > 0" ||
		late "the attack has no sample"
	judge
	bounds
done
[ "$verdict" = 0 ] && pass "it holds against ${attacks[*]}"
exit $verdict
