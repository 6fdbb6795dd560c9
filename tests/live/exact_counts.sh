#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# N system calls are N events: counted = N, and attributed + lost + pending = N, with overwritable
# and forward rings, with the default ring and with one page, for a command and for a running
# process.  EXACT_CASES: a regular expression, only the cases it matches.  EXACT_CALLS: N (300000).
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact

calls=${EXACT_CALLS:-300000}
event=(-e raw_syscalls:sys_enter)

# check NAME [PERIOD]
check() {
	local counted attributed lost pending

	expect_status 0 "$1"
	check_report
	read -r -d '' counted attributed lost pending < <(json 'total.events[0].counted' \
		'total.events[0].attributed' 'total.events[0].lost' 'total.events[0].pending'; printf '\0')
	[ "$counted" = $calls ] || fail "$1: counted $counted of $calls"
	[ $((attributed + lost + pending)) = $calls ] ||
		fail "$1: attributed $attributed + lost $lost + pending $pending is not $calls"
	holds "$pending < ${2:-1} * $(nproc)" || fail "$1: $pending pending at period ${2:-1}"
	[ "$(json 'total.events[0].lost_exact')" = true ] || fail "$1: a fixed period, yet not exact"
	[ $(("$(json 'sum:total.functions.weight')")) = "$attributed" ] ||
		fail "$1: the functions do not add up to attributed"
	pass "$1: counted $counted = attributed $attributed + lost $lost + pending $pending"
}

wanted() { # name
	[[ $1 =~ ${EXACT_CASES:-.} ]]
}

command_case() {
	local name=$1 period=$2

	shift 2
	wanted "$name" || return 0
	rt --json -d 0.2 "${event[@]}" -c "$period" "$@" -- "$work/storm_exact" $calls
	check "$name" "$period"
}

attach_case() {
	local name=$1

	shift
	wanted "$name" || return 0
	work_start "$work/storm_exact" $calls wait
	# asleep in its read(): that call was entered before anyone looked
	wait_until 5 has_text "/proc/$work_pid/syscall" '^0 ' || skip "/proc/PID/syscall does not tell"
	rt_start -d 0.2 "${event[@]}" -c 1 "$@" -p "$work_pid"
	go
	work_wait
	rt_stop
	check "$name"
}

command_case "command, overwrite" 1
command_case "command, forward" 1 --no-overwrite
command_case "command, overwrite, one page" 1 -m 1
command_case "command, forward, one page" 1 -m 1 --no-overwrite
command_case "command, period 7" 7
command_case "command, per thread" 1 --per-thread
attach_case "attached, overwrite"
attach_case "attached, forward, one page" -m 1 --no-overwrite
