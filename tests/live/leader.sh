#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Samples that carry their group's counts (:S): only the leader is sampled, the others are counted to the event and
# stand where the leader's samples were; children and their children each for themselves; what the leader's lost
# samples stood for is lost with them; a file says what the screen said, to perf too.  LEADER_CALLS: N (300000).
. "$(dirname "$0")/lib.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact storm_fork tiny

calls=${LEADER_CALLS:-300000}
enter=raw_syscalls:sys_enter leave=raw_syscalls:sys_exit
group="{$enter,$leave,page-faults}:S"

# of EVENT FIELD: of the total
of() {
	json "total.events[name=$1].$2"
}

what="a command"
rt --json -d 0.2 -c 100 -e "$group" -- "$work/storm_exact" $calls
expect_status 0 "$what"
check_report
[ "$(of $enter counted)" = $calls ] || fail "$what: $(of $enter counted) of $calls calls"
holds "$(of $enter samples) >= $calls / 100 - $(nproc)" || fail "$what: $(of $enter samples) samples"
# When a call is entered it has not left, but the one that executed the program had.
holds "$(of $leave counted) - $calls <= 1 && $calls - $(of $leave counted) <= 1" ||
	fail "$what: $(of $leave counted) of $calls left"
holds "$(of $leave counted) - $(of $leave attributed) <= 100 * $(nproc)" ||
	fail "$what: $(of $leave attributed) of $(of $leave counted) have a place"
[ "$(of $leave samples)" = "$(of $enter samples)" ] || fail "$what: $(of $leave samples) of them carried counts"
pass "$what: $(of $leave attributed) of $(of $leave counted) by $(of $leave samples) samples"

what="forks"
rt --json -d 0.5 -c 10 -e "{$enter,page-faults}:S" -S page-faults -- \
	"$work/storm_fork" -s 1 -r 400 -- "$work/tiny_static" 2000
if [ "$rt_status" = 2 ] && grep -q 'before Linux 6.13' "$err"; then
	pass "$what: this kernel does not keep inherited counts apart, and it says so"
else
	expect_status 0 "$what"
	check_report
	[ "$(of page-faults counted)" = "$(json 'total.counters[name=page-faults].count')" ] ||
		fail "$what: $(of page-faults counted), of its own counter $(json 'total.counters[name=page-faults].count')"
	holds "$(of page-faults attributed) >= 0.3 * $(of page-faults counted)" ||
		fail "$what: $(of page-faults attributed) of $(of page-faults counted) have a place"
	holds "$(of page-faults attributed) <= $(of page-faults counted)" || fail "$what: more than there were"
	pass "$what: $(of page-faults attributed) of $(of page-faults counted) faults"
fi

what="lost samples"
rt --json -d 0.5 -m 2 -c 1 -e "{$enter,$leave}:S" -a -- "$work/storm_exact" $((10 * calls))
expect_status 0 "$what"
check_report
if holds "$(of $enter lost.overwritten) > 0"; then
	holds "$(of $leave lost.overwritten) > 0" || fail "$what: nothing of the counts is lost"
	# Each of them goes with one call, but for the two that are under way on each CPU.
	holds "$(of $leave attributed) <= $(of $enter attributed) + 2 * $(nproc)" ||
		fail "$what: $(of $leave attributed) have a place, of $(of $enter attributed) samples"
	pass "$what: $(of $leave lost.overwritten) with $(of $enter lost.overwritten) samples"
else
	pass "$what: none here, $(of $leave attributed) have a place"
fi

what="a file"
rt --json -d 0.2 -c 100 -e "$group" -w "$tmp/file.data" -- "$work/storm_exact" $calls
expect_status 0 "$what"
live=$(of $leave attributed)
rt --json -i "$tmp/file.data"
expect_status 0 "$what"
[ "$(of $leave attributed)" = "$live" ] || fail "$what: $(of $leave attributed), live $live"
pass "$what: $live again"

if command -v perf >/dev/null; then
	what="perf script"
	# It gives each value as a sample of its event; so do perf's own files.
	sum=$(perf script -i "$tmp/file.data" -F event,period 2>"$tmp/perf.err" | awk -v e="$leave:" '$2 == e { n += $1 } END { print n }')
	[ "$sum" = "$live" ] || fail "$what: $sum, not $live: $(cat "$tmp/perf.err")"
	perf record -q -o "$tmp/perf.data" -e "{$enter,$leave}:S" -c 100 -- "$work/storm_exact" $calls >/dev/null 2>&1 ||
		fail "$what: cannot record"
	sum=$(perf script -i "$tmp/perf.data" -F event,period | awk -v e="$leave:" '$2 == e { n += $1 } END { print n }')
	rt --json -i "$tmp/perf.data"
	[ "$(of $leave attributed)" = "$sum" ] || fail "$what: $(of $leave attributed) of its file, it says $sum"
	pass "$what: the same of both files"
fi

what="alone"
rt --json -d 0.1 -e "$enter:S" -c 100 -- "$work/storm_exact" $calls
expect_status 0 "$what"
holds "$(of $enter:S attributed) > $calls - 100 * $(nproc)" || fail "$what: $(of $enter:S attributed)"
pass "$what: no group, nothing to carry"
