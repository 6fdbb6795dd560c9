#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A clock's time without samples: idle is what the kernel calls idle and nothing else; what a busy CPU's
# timer missed is late; code that is not measured is excluded.  Held against /proc/stat and getrusage.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_shares

ncpus=$(getconf _NPROCESSORS_ONLN)

idle() {
	json 'total.events[0].unsampled_why.idle'
}

late() {
	json 'total.events[0].lost.late'
}

counted() {
	json 'total.events[0].counted'
}

# ns that all CPUs idled so far
stat_idle() {
	awk '$1 == "cpu" { printf "%.0f\n", ($5 + $6) * 1e7 }' /proc/stat
}

# One busy thread is never idle, however late its timer is.  Above 10 kHz it is late here and there.
for rate in max 50000; do
	rt --json -d 5 -e cpu-clock -F "$rate" -- "$work/spin_shares" -s 1
	[ "$rate" = max ] || [ "$rt_status" = 0 ] || ! grep -q "above the kernel's limit" "$err" || continue
	expect_status 0 "-F $rate"
	check_report
	holds "$(idle) == 0" || fail "-F $rate: $(idle) ns of a busy thread are called idle"
	holds "$(counted) > 0.9 * ($(json 'total.events[0].attributed') + $(late))" ||
		fail "-F $rate: counted less than is known of"
	pass "-F $rate: of $(counted) ns $(late) late, idle $(idle)"
done

# Threads that sleep are not idle either: their clock stands still.
rt --json -d 5 -e task-clock -F 4000 -- sh -c 'for i in 1 2 3 4 5; do sleep 0.1; done'
expect_status 0 "sleeping"
check_report
holds "$(idle) == 0" || fail "a sleeping task was idle for $(idle) ns"
pass "a task that sleeps: counted $(counted), idle $(idle)"

# The whole machine: what is unsampled as idle and what was sampled of the idle task are the kernel's idle time.
# How long it lasts decides how much of it hundredths of a second may hide.
before=$(stat_idle)
rt --json -d 5 --duration 3 -e cpu-clock -F 999
after=$(stat_idle)
expect_status 0 "the whole machine"
check_report
slept=$(json 'total.events[0].ran.idle')
[ "$(json 'total.events[0].attributed')" = $(($(json 'total.events[0].ran.user') + $(json 'total.events[0].ran.kernel') + slept)) ] ||
	fail "what ran is not what was attributed"
holds "$(idle) <= $after - $before + 0.02e9 * $ncpus" ||
	fail "idle for $(idle) ns, the kernel says $((after - before))"
near "($(idle) + ${slept:-0}) / 1e9" "($after - $before) / 1e9" "0.05 * $(counted) / 1e9 + 0.1 * $ncpus" ||
	fail "idle: unsampled $(idle) ns and sampled ${slept:-0} ns, the kernel says $((after - before))"
holds "$(late) <= 0.05 * $(counted)" || fail "at 999 Hz $(late) of $(counted) ns were late"
pass "the machine: idle $(idle) and ${slept:-0} sampled, the kernel says $((after - before)); late $(late)"

# What :u leaves out is not idle time, and no loss.
rt --json -d 5 --duration 1 -e cpu-clock:u -F 999
expect_status 0 "cpu-clock:u"
check_report
holds "$(late) == 0" || fail "cpu-clock:u: $(late) ns late, of code that is not measured"
holds "$(idle) <= $(stat_idle) - $after + 0.02e9 * $ncpus" || fail "cpu-clock:u: idle for $(idle) ns"
pass "cpu-clock:u: excluded $(json 'total.events[0].unsampled_why.excluded'), idle $(idle)"
