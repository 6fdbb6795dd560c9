#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A function called N times is N events of a uprobe on it, of a uretprobe, and of a group of both, each a sample:
# in a library; so is a mark (USDT), whose semaphore is counted up.  A wrong name is pointed at.
. "$(dirname "$0")/lib.sh"
need_perf
[ -e /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobe PMU"
need_work plt_calls marked

lib=$(realpath "$work/libplt.so")

# check NAME EVENTS: each counted and attributed to the call
check() {
	local name=$1 calls counted n=0

	rt --json -d 0.2 -e "$2" -- "$work/plt_calls" -s 0.1
	expect_status 0 "$name"
	check_report
	calls=$(sed -n 's/.*calls=\([0-9]*\).*/\1/p' "$err" "$out" | head -n 1)
	[ -n "$calls" ] || fail "$name: the program did not say how often"
	for counted in $(json 'all:total.events.counted'); do
		[ "$counted" = "$calls" ] || fail "$name: counted $counted of $calls"
		n=$((n + 1))
	done
	[ $n -gt 0 ] || fail "$name: no event"
	pass "$name: $n events, $calls each"
}

check "uprobe" "uprobe:$lib:plt_target"
check "uretprobe" "uretprobe:$lib:plt_target:u"
check "a group of both" "{uprobe:$lib:plt_target,uretprobe:$lib:plt_target}"

# Two places with one mark: an event each; the program hears that it is listened to, and only then.
marked=$(realpath "$work/marked")
[ "$("$marked" -n 10 | sed -n 's/.*heard=//p')" = 0 ] || fail "a mark: heard before"
rt --json -e "sdt:$marked:marked:tick:u" -- "$marked" -n 5000
expect_status 0 "a mark"
check_report
[ "$(json 'all:total.events.counted' | tr '\n' ' ')" = "5000 5000 " ] ||
	fail "a mark: counted $(json 'all:total.events.counted' | tr '\n' ' ')"
holds "$(sed -n 's/.*heard=\([0-9]*\).*/\1/p' "$err") >= 5000" || fail "a mark: its semaphore was 0: $(cat "$err")"
pass "a mark at two places: 5000 each; $(grep -o 'heard=.*' "$err")"

rt --json -e "cs,sdt:$marked:marked:tock" -- true
expect_status 2 "a wrong mark"
has_text "$err" "has no USDT probe 'marked:tock'" || fail "a wrong mark: $(cat "$err")"
rt --json -e "cs,uprobe:$lib:plt_targe" -- true
expect_status 2 "a wrong name"
has_text "$err" "has no function 'plt_targe'" || fail "a wrong name: $(cat "$err")"
has_text "$err" '^ *\^$' || fail "a wrong name is not pointed at: $(cat "$err")"
pass "a wrong name: $(head -n 1 "$err")"
