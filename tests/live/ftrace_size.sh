#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# :ring-size on the real screen, in both modes: ftrace's buffers get smaller and larger, as the kernel says, while records
# wait in them and between storms, and what was read, overrun and dropped is the storms' own count.  While a storm writes
# the kernel records nothing until it is done: how long is said, and all that was recorded is in the account.  What
# cannot be is said, of perf's rings too.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact
need_instances

calls=300000
cpus=$(getconf _NPROCESSORS_ONLN)

# rings FIELD: of both, together
rings() {
	json "sum:total.rings[kind=ftrace].$1"
}

counted() {
	json 'sum:total.events[name=raw_syscalls:sys_enter].counted'
}

rings_hits() {
	echo "$(rings read_events) + $(rings overrun) + $(rings commit_overrun) + $(rings dropped_events) + $(rings entries)"
}

# By the event's account and by the rings', which are one slice later where a reader was not asked.
all_told() {
	report
	holds "$(counted) == $(ftrace_hits "$ringtop") && $(rings_hits) == $(ftrace_hits "$ringtop")"
}

# All that was hit is counted, and attributed or lost.
account_holds() {
	local hits

	hits=$(rings_hits)
	holds "$hits == $(counted)" || fail "$1: counted $(counted), the buffers say $hits"
	holds "$(json 'sum:total.events[name=raw_syscalls:sys_enter].attributed') + $(json 'sum:total.events[name=raw_syscalls:sys_enter].lost.overwritten') + $(json 'sum:total.events[name=raw_syscalls:sys_enter].lost.full') == $(counted)" ||
		fail "$1: counted $(counted), attributed $(json 'sum:total.events[name=raw_syscalls:sys_enter].attributed')"
}

# size KIB TEXT: ask for it, and wait for the kernel's word; it rounds up to whole sub-buffers
has_size() {
	local is

	is=$(cat "$instances/ringtop-$ringtop-"*/buffer_size_kb)
	holds "0$is >= $1 && 0$is <= $1 + $1 / 20 + 16"
}

size() {
	command_line "ring-size $2"
	wait_until 20 has_size "$1" || fail "mode '$mode': $2 is $(cat "$instances/ringtop-$ringtop-"*/buffer_size_kb) KiB"
}

# storms N CALLS: of each CPU one that waits to be told to run, as the N-th
storms() {
	local cpu

	for ((cpu = 0; cpu < cpus; cpu++)); do
		mkfifo "$tmp/go.$1.$cpu"
		taskset -c "$cpu" "$work/storm_exact" "$2" wait <"$tmp/go.$1.$cpu" 9>&- &
		pids+=("$!")
		started+=("$!")
		eval "exec $((10 + ${#pids[@]}))>\"\$tmp/go.$1.$cpu\""
	done
}

# storm N CALLS: let them run, to their end
storm() {
	local cpu nr

	for ((cpu = 0; cpu < cpus; cpu++)); do
		nr=$((($1 - 1) * cpus + cpu))
		eval "printf x >&$((11 + nr))"
	done
	for ((cpu = 0; cpu < cpus; cpu++)); do
		wait "${pids[($1 - 1) * cpus + cpu]}"
		ran=$((ran + $2 - 1))
	done
}

for mode in "" --no-overwrite; do
	ran=0
	pids=()
	rm -f "$tmp"/go.*
	for ((n = 1; n <= 3; n++)); do
		storms $n $calls
	done
	storms 4 2000000
	all=$(IFS=,; echo "${pids[*]}")
	# shellcheck disable=SC2016,SC2086 # the inner shell's; no mode is no word
	open_screen Functions $mode -p "$all" --ftrace raw_syscalls:sys_enter --filter "'id == 110'"
	ringtop=$(pgrep -n -x ringtop -s "$(ps -o sid= -p "$(pgrep -P "$screen" -n)" | tr -d ' ')")
	command_line "window all"
	has_size 4096 || fail "mode '$mode': it does not begin with 4 MiB"
	storm 1 $calls
	size 64 64K
	storm 2 $calls
	size 8192 8M
	storm 3 $calls
	size 1024 1M
	wait_until 30 all_told || fail "mode '$mode': counted $(counted) of $ran"
	account_holds "mode '$mode'"
	[ "$(counted)" = "$ran" ] || fail "mode '$mode': counted $(counted) of $ran"
	pass "mode '$mode': $(counted) of $ran, lost $(rings overrun) + $(rings dropped_events)"

	# While they write.
	for ((cpu = 0; cpu < cpus; cpu++)); do
		eval "printf x >&$((11 + 3 * cpus + cpu))"
	done
	for kib in 128 16384 512; do
		size $kib ${kib}K
	done
	wait "${pids[@]:3 * cpus}"
	wait_until 30 all_told || fail "mode '$mode': counted $(counted), the kernel's stats say $(ftrace_hits "$ringtop")"
	account_holds "mode '$mode', while a storm writes"
	holds "$(counted) > $ran && $(counted) <= $ran + 1999999 * $cpus" ||
		fail "mode '$mode': counted $(counted)"
	has_text "$out" "nothing was recorded for" || fail "mode '$mode': it is not said that nothing was recorded"
	pass "mode '$mode', while a storm writes: $(counted)"
	command_line "ring-size 12Q"
	wait_until 10 has_text "$tmp/screen" "G, not " || fail "a size that is none is not refused"
	command_line quit
	wait_until 20 gone "$screen" || fail "it does not end"
	! compgen -G "$instances/ringtop-$ringtop-*" >/dev/null || fail "its instance is left"
done

open_screen Functions -e cpu-clock
command_line "ring-size 1M"
wait_until 10 has_text "$tmp/screen" "have a fixed size" || fail "perf's rings: nothing is said"
pass "perf's rings stay, and it is said"
command_line quit
wait_until 20 gone "$screen" || fail "it does not end"
