# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# waits.sh - what tests of off-CPU time share, after lib.sh: what tests/work/waits_known measured itself, which it says
# in the file $waits_told, and whether the report says the same.

# said WHAT
said() {
	sed -n "s/.*\\b$1=\\([^ ]*\\).*/\\1/p" "$waits_told" | tail -n 1
}

# in_total QUERY: of the report's first and last line alone, for a busy machine's intervals are long to read
in_total() {
	[ "$tmp/total" -nt "$out" ] || { head -n 1 "$out" && grep '"type":"total"' "$out"; } >"$tmp/total"
	"$jsoncheck" -p "$tmp/total" "$@" 2>/dev/null
}

# read_all: all that `of` may be asked for comes to $tmp/of, in one look at the report
read_all() {
	local name event what=() queries=()

	for name in $(grep -o '[a-z]*_tid=' "$waits_told" | sort -u); do
		name=${name%_tid=}
		for event in on-cpu off-cpu off-cpu:{runnable,sleeping,disk,resting,unknown,preempted,yielded,idle,stopped,wakers}; do
			what+=("$name $event")
			queries+=("sum:total.tasks[event=$event][tid=$(said "${name}_tid")].weight")
		done
	done
	{ echo "$out $waits_told" && paste -d ' ' <(printf '%s\n' "${what[@]}") <(in_total "${queries[@]}"); } >"$tmp/of"
}

# of THREAD EVENT: ns
of() {
	[ "$tmp/of" -nt "$out" ] && [ "$tmp/of" -nt "$waits_told" ] && [ "$(head -n 1 "$tmp/of")" = "$out $waits_told" ] ||
		read_all
	sed -n "s/^$1 $2 //p" "$tmp/of"
}

# wrong MESSAGE...: a count that is exact, but where switches or wakings are lost
wrong() {
	local switches wakings

	switches=$(in_total 'sum:total.events[name=off-cpu].lost_samples')
	wakings=$(in_total 'sum:total.events[name=sched:sched_waking].lost_samples')
	if holds "0$switches + 0$wakings > 0"; then
		differs "$* (some are lost)"
	else
		fail "$*"
	fi
}

# Its clock runs while it stands in line, before and after what it measures too, and while it runs: that may be long
# beside other load, and on a CPU that a host takes away.
each_near() {
	local name got elsewhere

	for name in sleeper locked reading; do
		got=$(of $name off-cpu)
		elsewhere="0$(of $name off-cpu:runnable) + 0$(of $name on-cpu) + $(said ${name}_early)"
		near "0$got" "$(said ${name}_ns)" "0.01 * $(said ${name}_ns) + $elsewhere" ||
			differs "$1: $name waited for $(said ${name}_ns) ns, off-cpu says ${got:-nothing}"
		echo "$1: $name: $got of $(said ${name}_ns) ns"
	done
}

# A thread runs or it does not, and what it does not is one of five.  Its own clock does not see its beginning and end;
# after it has said that it ends it may still stand in line.  Behind WHAT: more names.
whole_time() {
	local name on off parts wall

	for name in sleeper holder locked writer reading "${@:2}"; do
		wall=$(said ${name}_wall)
		on=$(of $name on-cpu)
		off=$(of $name off-cpu)
		parts="0$(of $name off-cpu:runnable) + 0$(of $name off-cpu:sleeping) + 0$(of $name off-cpu:disk)"
		holds "0$on + 0$off >= 0.999 * $wall && 0$on + 0$off <= 1.001 * $(said ${name}_life) + 0$(of $name off-cpu:runnable)" ||
			differs "$1: $name lived for $wall to $(said ${name}_life) ns, on-cpu and off-cpu are $on and $off"
		parts="$parts + 0$(of $name off-cpu:resting) + 0$(of $name off-cpu:unknown)"
		holds "0$(of $name off-cpu:preempted) + 0$(of $name off-cpu:yielded) <= 0$(of $name off-cpu:runnable)" ||
			fail "$1: $name was runnable for $(of $name off-cpu:runnable) ns, preempted or yielded longer"
		holds "0$(of $name off-cpu:idle) + 0$(of $name off-cpu:stopped) == 0$(of $name off-cpu:resting)" ||
			fail "$1: $name rested for $(of $name off-cpu:resting) ns, idle and stopped are not all of it"
		holds "$parts == 0$off" || fail "$1: $name was off for $off ns, its states are $parts"
		echo "$1: $name: $on on, $off off, of $wall ns"
	done
}

# busy_cpus [NICE]: no CPU idles until idle_cpus.  Some kernels tell of nobody who comes where one did.
busy_cpus() {
	local cpu

	busy=()
	for ((cpu = 0; cpu < $(getconf _NPROCESSORS_ONLN); cpu++)); do
		nice -n "${1:-19}" bash -c 'while :; do :; done' &
		busy+=("$!")
		taskset -pc "$cpu" "$!" >/dev/null 2>&1
	done
	started+=("${busy[@]}")
}

idle_cpus() {
	kill "${busy[@]}"
	wait "${busy[@]}" 2>/dev/null
}

# all_told: the last report has all of all; the last switch is about a tick behind.
all_told() {
	local name

	report all.json
	for name in sleeper holder locked writer reading; do
		holds "0$(of $name on-cpu) + 0$(of $name off-cpu) >= 0.999 * 0$(said ${name}_wall)" || return 1
	done
}
