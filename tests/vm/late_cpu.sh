#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A CPU that was never online when ringtop started is measured from when it comes, and one that
# goes and comes back before anyone looks is found out.  Sums stay right throughout, and counts of -S to the event.
. "$(dirname "$0")/lib.sh"
need_vm_work spin_threads storm_exact
vm_machine "-k 6.12 -s 3 -a maxcpus=1" "-k 6.1 -s 3 -a maxcpus=1" "-k 7 -s 3 -a maxcpus=1"

switch() { # cpu 0|1
	echo "$2" >/sys/devices/system/cpu/cpu"$1"/online
}

# has the last interval samples of the CPU?
samples_of() { # cpu
	holds "0$(json "sum:last.cpus[cpu=$1].samples") > 0"
}

no_samples_of() {
	! samples_of "$1"
}

says() { # text: in the report's log
	grep -q "$1" "$out"
}

total() { # field
	json "total.events[0].$1"
}

sums_hold() {
	local counted attributed lost late pending

	rt_stop
	kill "$work_pid"
	expect_status 0 "$1"
	check_report
	counted=$(total counted) attributed=$(total attributed) lost=$(total lost) pending=$(total pending)
	late=$(total lost.late)
	near "$counted" "$attributed + $lost + $pending" 0.5 || fail "$1: the sums do not hold"
	# A clock is sampled all the time while the CPUs spin: what was missed would stand in lost.  An
	# emulated timer is late as often as the host likes: that is told, and judged by idle.sh.
	holds "$lost - $late <= 0.01 * $counted" || fail "$1: $lost of $counted lost, $late late"
	pass "$1: counted $counted, attributed $attributed, lost $lost ($late late), pending $pending"
}

comes_late() {
	[ "$(nproc)" = 1 ] || fail "the machine did not start with one CPU"
	work_start nice -n 19 "$work/spin_threads" -t 3 -s 100
	rt_start -d 0.2 -e cpu-clock -F 199
	wait_until 20 samples_of 0 || fail "no samples of cpu 0 to begin with"
	switch 1 1 || fail "cpu 1 does not come online"
	# who spins may run there now; affinities of before are of all CPUs
	wait_until 20 samples_of 1 || fail "cpu 1 came, and has no samples"
	says "cpu 1 is new" || fail "the log does not tell of it"
	switch 2 1 || fail "cpu 2 does not come online"
	wait_until 20 samples_of 2 || fail "cpu 2 came, and has no samples"
	switch 1 0 || fail "cpu 1 does not go"
	wait_until 20 no_samples_of 1 || fail "cpu 1 has gone, and has samples"
	switch 1 1 || fail "cpu 1 does not come back"
	wait_until 20 samples_of 1 || fail "cpu 1 is back, and has no samples"
	sums_hold "late CPUs"
}

# Off and on again as fast as it goes, many times: some of it falls between two looks.
comes_back_at_once() {
	local i

	work_start nice -n 19 "$work/spin_threads" -t 3 -s 100
	rt_start -d 0.2 -e cpu-clock -F 199
	wait_until 20 samples_of 2 || fail "no samples of cpu 2 to begin with"
	for i in 1 2 3 4 5 6 7 8; do
		switch 2 0 && switch 2 1 || fail "cpu 2 does not go and come"
	done
	wait_until 20 samples_of 2 || fail "cpu 2 is back, and has no samples"
	sums_hold "a CPU that comes back at once"
}

# Events of tasks outlive the CPU: all calls of a process are counted, wherever it runs.
tasks_go_on() {
	local calls=200000

	work_start "$work/storm_exact" $calls wait
	wait_until 10 has_text "/proc/$work_pid/syscall" '^0 ' || skip "/proc/PID/syscall does not tell"
	rt_start -d 0.2 -e raw_syscalls:sys_enter -c 1 -p "$work_pid"
	go
	switch 2 0 && switch 1 0 && switch 2 1 && switch 1 1 && switch 2 0 && switch 2 1 ||
		fail "the CPUs do not go and come"
	work_wait
	rt_stop
	expect_status 0 "a process"
	check_report
	# One more without a sample is the kernel's (see live.sh): then it stands as lost.
	near "$(total counted)" $calls 1 || fail "counted $(total counted) of $calls"
	[ $(($(total attributed) + $(total lost) + $(total pending))) = "$(total counted)" ] ||
		fail "the sums do not hold"
	pass "a process: $(total attributed) of $calls attributed, $(total lost) lost"
}

counted_on() { # cpu: in the last interval
	holds "0$(json "sum:last.counters[name=cpu-clock].cpus[cpu=$1].count") > 0"
}

# Each CPU's counters die with it: what they had stays, and what comes when it is back is added, to the event.
counters_go_on() {
	local calls=20000 count='total.counters[name=raw_syscalls:sys_enter]'

	cp "$work/storm_exact" "$tmp/late_exact"
	switch 1 1 2>/dev/null
	switch 2 0 2>/dev/null
	rt_start -d 0.2 -e dummy -S raw_syscalls:sys_enter --filter 'COMM == "late_exact"' -S '{cpu-clock,page-faults}'
	wait_until 20 counted_on 1 || fail "cpu 1 is not counted"
	counted_on 2 && fail "cpu 2 is counted, and offline"
	taskset -c 1 "$tmp/late_exact" $calls
	switch 2 1 || fail "cpu 2 does not come online"
	wait_until 20 counted_on 2 || fail "cpu 2 came, and is not counted"
	taskset -c 2 "$tmp/late_exact" $calls
	switch 2 0 || fail "cpu 2 does not go"
	wait_until 20 says "cpu 2 went offline" || fail "the log does not tell that it went"
	taskset -c 1 "$tmp/late_exact" $calls
	switch 2 1 || fail "cpu 2 does not come back"
	wait_until 20 says "cpu 2 went online" || fail "the log does not tell of it"
	wait_until 20 counted_on 2 || fail "cpu 2 is back, and is not counted"
	taskset -c 2 "$tmp/late_exact" $calls
	rt_stop
	expect_status 0 "counters"
	check_report
	[ "$(json "$count.count")" = $((4 * calls)) ] || fail "$(json "$count.count") of $((4 * calls))"
	[ "$(json "sum:$count.cpus[cpu=2].count")" = $((2 * calls)) ] ||
		fail "$(json "sum:$count.cpus[cpu=2].count") of $((2 * calls)) on cpu 2"
	[ "$(json 'all:total.counters[name=cpu-clock].cpus.enabled' | tr '\n' ' ')" = \
		"$(json 'all:total.counters[name=page-faults].cpus.enabled' | tr '\n' ' ')" ] ||
		fail "the group's members differ in their times"
	pass "counters: $((4 * calls)), half of them on the CPU that came, went and came back"
}

# What asks of this is in the machine alone: tests/live/lib.sh takes most names of tests/vm/lib.sh.
has_areas() { # how many
	[ "$(json 'count:last.aux.cpu')" = "$1" ]
}

area_of() { # cpu
	holds "0$(json "sum:last.aux[cpu=$1].bytes") > 0"
}

# Copies that were taken of a CPU's area, in all intervals
copies_of() { # cpu, at least
	holds "0$(json "sum:each.aux[cpu=$1].snapshots") >= $2"
}

areas_come_late() { # full or snapshot
	switch 1 0 2>/dev/null
	switch 2 0 2>/dev/null
	mkdir -p "$tmp/snapshots"
	insmod "$VM_MODULE" name=softaux rate=1000 || skip "no AUX event in this machine"
	on_exit "rmmod softpt"
	rt_start -d 0.2 -e cpu-clock -F 99 -A softaux// --aux-mode "$1" --aux-size 1m \
		--snapshot-dir "$tmp/snapshots"
	has_areas 1 || fail "$1: more areas than CPUs"
	switch 1 1 || fail "cpu 1 does not come online"
	wait_until 20 has_areas 2 || fail "$1: no area of cpu 1"
	says "cpu 1 is new" || fail "$1: the log does not tell of it"
	says "without the AUX event" && fail "$1: cpu 1 is without its AUX event"
	if [ "$1" = full ]; then
		wait_until 20 area_of 1 || fail "full: no bytes of cpu 1"
	else
		kill -USR2 "$rt_pid"
		wait_until 20 copies_of 1 1 || fail "no copy of cpu 1"
		# a set of copies that was made for fewer CPUs
		switch 2 1 || fail "cpu 2 does not come online"
		wait_until 20 has_areas 3 || fail "no area of cpu 2"
		for n in 1 2 3; do
			kill -USR2 "$rt_pid"
			wait_until 20 copies_of 2 $n || fail "no copy $n of cpu 2"
		done
	fi
	rt_stop
	expect_status 0 "$1"
	check_report
	# A ring's place says which it is: it does not change when others come.
	[ "$(sed -n 2p "$out" | tr '{' '\n' | grep -o '"cpu":[0-9]*,"kind":"[a-z]*"' | head -n 3)" = \
		"$(tail -n 1 "$out" | tr '{' '\n' | grep -o '"cpu":[0-9]*,"kind":"[a-z]*"' | head -n 3)" ] ||
		fail "$1: rings changed places"
	pass "$1: $(json 'count:total.aux.cpu') areas"
}

areas_full() {
	areas_come_late full
}

areas_snapshot() {
	areas_come_late snapshot
}

vm_case
try_case "CPUs that come late" comes_late
try_case "a CPU that comes back at once" comes_back_at_once
try_case "a process, while CPUs go and come" tasks_go_on
try_case "what is only counted, while CPUs go and come" counters_go_on
try_case "AUX areas of CPUs that come late, full mode" areas_full
try_case "AUX areas of CPUs that come late, snapshots" areas_snapshot
tried
