#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is only counted (-S), of CPUs (-C), of a cgroup (-G), of threads with rings of their own (--per-thread): to the
# event; CPUs and threads add up to the total, and a group's members have the same times on each.
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_tracepoint syscalls sys_enter_getppid
need_work storm_exact storm_grow

calls=100000
event=raw_syscalls:sys_enter
count="total.counters[name=$event].count"
last=$(awk '/^processor/ { n = $3 } END { print n }' /proc/cpuinfo)
# All programs of this name, which no other test has.
cp "$work/storm_exact" "$tmp/where_exact"
filter='COMM == "where_exact"'
group="{context-switches,cpu-migrations,page-faults}"

# The total is the sum of its parts; the group's members counted at the same times, wherever they did.
adds_up() {
	local name times

	[ "$(json "$count")" = "$(json "sum:total.counters[name=$event].cpus.count")" ] ||
		fail "$1: $(json "$count") is not what its parts add up to"
	for name in enabled running; do
		times=$(for of in context-switches cpu-migrations page-faults; do
			json "all:total.counters[name=$of].cpus.$name" | tr '\n' ' '
			echo
		done | sort -u | wc -l)
		[ "$times" = 1 ] || fail "$1: the group's members differ in the time $name"
	done
	holds "$(json 'total.counters[name=page-faults].enabled') > 0" || fail "$1: the group never counted"
}

what="all CPUs"
rt_start -d 0.2 -e dummy -S $event --filter "$filter" -S "$group" --duration 60
for ((cpu = 0; cpu <= last; cpu++)); do
	taskset -c $cpu "$tmp/where_exact" $calls
done
rt_stop
check_report
[ "$(json "$count")" = $((calls * (last + 1))) ] || fail "$what: $(json "$count") of $((calls * (last + 1)))"
[ "$(json "all:total.counters[name=$event].cpus.count" | sort -u)" = $calls ] ||
	fail "$what: $(json "all:total.counters[name=$event].cpus.count") on the single ones, not $calls"
adds_up "$what"
pass "$what: $calls on each of $((last + 1))"

if [ "$last" != 0 ]; then
	what="-C $last"
	rt_start -d 0.2 -e dummy -S $event --filter "$filter" -S "$group" -C "$last" --duration 60
	taskset -c 0 "$tmp/where_exact" $calls
	taskset -c "$last" "$tmp/where_exact" $((calls / 2))
	rt_stop
	check_report
	[ "$(json "$count")" = $((calls / 2)) ] || fail "$what: $(json "$count") of $((calls / 2))"
	[ "$(json 'all:total.counters.cpus.cpu' | sort -u)" = "$last" ] || fail "$what: counts of other CPUs"
	adds_up "$what"
	pass "$what: $((calls / 2)), and none of CPU 0"

	# Of a process on one CPU: what it does there, and not elsewhere.
	what="-C $last -p"
	work_start sh -c "read x; taskset -c 0 '$tmp/where_exact' $calls; taskset -c $last '$tmp/where_exact' $((calls / 2))"
	rt_start -d 0.2 -e dummy -S $event --filter "$filter" -S "$group" -C "$last" -p "$work_pid"
	go
	work_wait
	rt_stop
	check_report
	[ "$(json "$count")" = $((calls / 2)) ] || fail "$what: $(json "$count") of $((calls / 2))"
	adds_up "$what"
	pass "$what: $((calls / 2))"
fi

# --- threads ---

what="--per-thread"
work_start "$work/storm_grow" -w -n 3000 -t 3 -k 3
work_ready
rt_start -d 0.2 -e dummy -S syscalls:sys_enter_getppid -S $event -S "$group" --per-thread -p "$work_pid"
go
work_wait
rt_stop
check_report
[ "$(json 'total.counters[name=syscalls:sys_enter_getppid].count')" = 3000 ] ||
	fail "$what: $(json 'total.counters[name=syscalls:sys_enter_getppid].count') of its own 3000"
[ "$(json 'all:total.counters.cpus.tid' | sort -u)" = "$work_pid" ] || fail "$what: of other threads"
adds_up "$what"
pass "$what: 3000, without those of its children"

# --- a cgroup ---

tree=$tmp/cgroups
cgroup=ringtop-count-$$
mkdir "$tree"
mount -t cgroup2 none "$tree" 2>"$err" || skip "the rest passed; no cgroups of version 2: $(cat "$err")"
if ! mkdir "$tree/$cgroup" "$tree/$cgroup/below" 2>"$err"; then
	umount "$tree"
	skip "the rest passed; no cgroup can be made: $(cat "$err")"
fi
restores+=("rmdir '$tree/$cgroup/below' '$tree/$cgroup'; umount '$tree'")

what="-G"
# Moved while it is not running: what it calls from then on is the cgroup's.
work_start "$tmp/where_exact" $calls wait
wait_until 5 has_text "/proc/$work_pid/syscall" '^0 ' || skip "the rest passed; /proc/PID/syscall does not tell"
echo "$work_pid" >"$tree/$cgroup/below/cgroup.procs" || fail "cannot move a process"
rt_start -d 0.2 -e dummy -S $event -S "$group" -G "$tree/$cgroup" --duration 60
"$tmp/where_exact" $((calls / 2)) # not in it
go
work_wait
rt_stop
check_report
[ "$(json "$count")" = $calls ] || fail "$what: $(json "$count") of $calls"
adds_up "$what"
pass "$what: $calls"
