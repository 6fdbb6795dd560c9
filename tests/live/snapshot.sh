#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Snapshots of the sample rings: by signal, by condition and by event; the files are whole, hold what
# is known to have happened, stock perf reads them without a warning and counts the same, and nothing
# is left where one cannot be written.
. "$(dirname "$0")/lib.sh"
need_tracepoint syscalls sys_enter_getppid
need_work storm_getppid spin_named

dir=$tmp/snapshots
mkdir "$dir"
event=(-a -e syscalls:sys_enter_getppid -c 1)

# written N: so many snapshots are told as written
written() {
	[ "$(grep -o '"number":[0-9]*,"kind":"rings","state":"written"' "$out" | sort -u | wc -l)" -ge "$1" ]
}

snapshots_there() {
	find "$dir" -name 'ringtop-snapshot-*.data' | wc -l
}

# samples FILE COMM: how many ringtop finds in it
samples() {
	"$RINGTOP" --json -i "$1" 2>"$tmp/replay.err" 9>&- >"$tmp/replay" || fail "-i $1: $(cat "$tmp/replay.err")"
	"$jsoncheck" -p "$tmp/replay" "sum:total.tasks[comm=$2].samples" 2>/dev/null
}

perf_reads() { # file, comm, samples
	local n

	command -v perf >/dev/null || {
		pass "no perf here: not read by it"
		return
	}
	n=$(perf script -i "$1" -F comm </dev/null 2>"$tmp/perf.err" | awk -v c="$2" '$1 == c' | wc -l)
	[ -s "$tmp/perf.err" ] && fail "perf script says: $(cat "$tmp/perf.err")"
	[ "$n" = "$3" ] || fail "perf script finds $n samples of $2, not $3"
	perf report -i "$1" --stdio </dev/null >/dev/null 2>"$tmp/perf.err" ||
		fail "perf report ends with status $?"
	[ -s "$tmp/perf.err" ] && fail "perf report says: $(cat "$tmp/perf.err")"
	[ "$(perf buildid-list -i "$1" 2>/dev/null | wc -l)" -gt 1 ] || fail "no build-ids in $1"
	pass "perf reads the same $n samples of $2, without a warning"
}

signal_case() {
	local file n

	rt_start -d 0.2 "${event[@]}" --snapshot-dir "$dir"
	"$work/storm_getppid" -n 3000 >"$tmp/storm"
	n=$(sed 's/.*getppid=\([0-9]*\).*/\1/' "$tmp/storm")
	kill -USR2 "$rt_pid"
	wait_until 10 written 1 || fail "no snapshot after SIGUSR2"
	file=$(find "$dir" -name '*-1.data')
	[ -s "$file" ] || fail "there is no file"
	# at most what a tick late holds; each into a file of its own
	kill -USR2 "$rt_pid"
	wait_until 10 written 2 || fail "no second snapshot"
	rt_stop
	expect_status 0 "by signal"
	check_report
	[ "$(snapshots_there)" = 2 ] || fail "two snapshots made $(snapshots_there) files"
	[ "$(find "$dir" -name '*.part' | wc -l)" = 0 ] || fail "a temporary file is left"
	[ "$(samples "$file" storm_getppid)" = "$n" ] ||
		fail "$(samples "$file" storm_getppid) samples in the snapshot, $n calls"
	pass "by signal: all $n calls are in it"
	perf_reads "$file" storm_getppid "$n"
}

# main() has begun: the loader before it is killed as any program is.
holds_usr2() {
	local blocked

	blocked=$(awk '/^SigBlk:/ { print $2 }' "/proc/$rt_pid/status" 2>/dev/null)
	((0x${blocked:-0} & 0x800))
}

# Long before it measures: such a signal does not kill.
early_case() {
	rm -f "$dir"/*
	rt_launch -d 0.2 "${event[@]}" --snapshot-dir "$dir"
	wait_until 5 holds_usr2 || fail "it does not start"
	kill -USR2 "$rt_pid"
	wait_until 10 rt_measures
	gone "$rt_pid" && fail "an early SIGUSR2 ended it"
	rt_signal TERM
	expect_status 0 "early signal"
	[ "$(find "$dir" -name '*.part' | wc -l)" = 0 ] || fail "a temporary file is left"
	pass "an early SIGUSR2 does not kill, and leaves no half file"
}

# It fires once, not in every tick, while the condition holds.
condition_case() {
	rm -f "$dir"/*
	rt_start -d 0.2 -a -e cpu-clock --snapshot-dir "$dir" --snapshot-on 'task:spin_named>1%:300ms'
	timeout 4 "$work/spin_named" -s 3 >"$tmp/spin"
	wait_until 10 written 1 || fail "no snapshot by the condition"
	rt_stop
	check_report
	[ "$(snapshots_there)" = 1 ] || fail "the condition made $(snapshots_there) files"
	has_text "$out" '"reason":"task:spin_named>1%:300ms (' || fail "the reason is not told"
	[ "$(samples "$dir"/*-1.data spin_named)" -gt 20 ] || fail "the snapshot does not hold what made it"
	pass "by condition: one snapshot, with what made it"
}

# Of one process and its children: others call getppid(), too.
event_case() {
	rm -f "$dir"/*
	work_start bash -c "echo waiting; read -r; '$work/storm_getppid' -n 5 >&2; read -r"
	work_ready
	rt_start -d 0.2 -p "$work_pid" -e cpu-clock -e syscalls:sys_enter_getppid --snapshot-dir "$dir" \
		--snapshot-on event:syscalls:sys_enter_getppid
	[ "$(snapshots_there)" = 0 ] || fail "a snapshot without the event"
	go
	wait_until 10 written 1 || fail "no snapshot by the event"
	rt_stop
	check_report
	[ "$(samples "$dir"/*-1.data storm_getppid)" -ge 5 ] || fail "the event that made it is not in it"
	pass "by event: the event is in it"
}

# A full disk: said before anything is written, and nothing left.
full_case() {
	local small=$tmp/small

	mkdir "$small"
	mount -t tmpfs -o size=64k tmpfs "$small" 2>/dev/null || {
		pass "no tmpfs here: a full disk is not tried"
		return
	}
	on_exit "umount '$small'"
	rt_start -d 0.2 "${event[@]}" --snapshot-dir "$small"
	kill -USR2 "$rt_pid"
	wait_until 10 has_text "$out" '"state":"failed"' || fail "nobody says that the disk is full"
	has_text "$out" "no room: [0-9]\|No space left" || fail "why it failed is not told"
	rt_stop
	expect_status 0 "full disk"
	check_report
	[ "$(find "$small" -type f | wc -l)" = 0 ] || fail "a full disk keeps $(ls "$small")"
	pass "full disk: said, and nothing left"
}

usage_case() {
	rt --json --snapshot-on 'function>80%:2h' -- true
	expect_status 2 "bad condition"
	has_text "$err" "character 15" || fail "the place of the mistake is not told: $(cat "$err")"
	rt --json -e cpu-clock --snapshot-on event:sched:sched_switch -- true
	expect_status 2 "event that is not measured"
	rt --json --snapshot-dir "$tmp/nowhere" -- true
	expect_status 2 "no such directory"
	mkdir "$tmp/fixed"
	if mount -t tmpfs -o ro,size=64k tmpfs "$tmp/fixed" 2>/dev/null; then
		on_exit "umount '$tmp/fixed'"
		rt --json --snapshot-dir "$tmp/fixed" -- true
		expect_status 1 "a directory that nothing can be written to"
		has_text "$err" "Read-only file system" || fail "why it is refused is not told: $(cat "$err")"
	fi
	pass "wrong usage is refused"
}

# Key D on a screen, and q right behind it: the file is whole.
key_case() {
	command -v script >/dev/null || {
		pass "no script(1) here: keys are not tried"
		return
	}
	rm -f "$dir"/*
	mkfifo "$tmp/keys"
	exec 7<>"$tmp/keys"
	TERM=xterm script -qfec "stty rows 30 cols 100; exec '$RINGTOP' -a --snapshot-dir '$dir'" \
		"$tmp/screen" <"$tmp/keys" >/dev/null 2>&1 9>&- &
	started+=($!)
	rt_pid=$!
	wait_until 10 has_text "$tmp/screen" FUNCTION || fail "no screen"
	printf Dq >&7
	wait_until 15 gone "$rt_pid" || fail "q does not end it"
	[ "$(snapshots_there)" = 1 ] && [ "$(find "$dir" -type f | wc -l)" = 1 ] ||
		fail "D and q left: $(ls "$dir")"
	samples "$dir"/*-1.data script >/dev/null
	pass "by key: the file is whole, though q came right behind"
}

signal_case
key_case
early_case
condition_case
event_case
full_case
usage_case
