#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How busy CPUs are where no clock of theirs is measured: by /proc/stat, as it says itself over the same time; where a
# clock tells it, /proc/stat is not asked.
. "$(dirname "$0")/lib.sh"
need_perf

# busy: of each CPU, so far: units of all, of idle and stolen, user, kernel, stolen
busy() {
	awk '/^cpu[0-9]/ { all = 0; for (i = 2; i <= 9; i++) all += $i; print $1, all, $5 + $6 + $9, $2 + $3, $4 + $7 + $8, $9 }' /proc/stat
}

(while :; do :; done) &
started+=("$!")
busy >"$tmp/before"
rt --json -e page-faults --duration 3 -p $$
expect_status 0 "a process"
busy >"$tmp/after"
check_report
n=0
while read -r cpu share; do
	wanted=$(awk -v cpu="cpu$cpu" '$1 == cpu { if (NR == FNR) { a = $2; i = $3 } else print 1 - ($3 - i) / ($2 - a) }' \
		"$tmp/before" "$tmp/after")
	near "$share" "$wanted" 0.12 || fail "cpu $cpu: busy $share, by /proc/stat itself $wanted"
	pass "cpu $cpu: busy $share, by /proc/stat itself $wanted"
	n=$((n + 1))
done < <(paste -d' ' <(json 'all:total.events[0].cpus.cpu') <(json 'all:total.events[0].cpus.stat_busy'))

# part COLUMN NAME: of the kernel's figure in that column
part() {
	local cpu share wanted
	while read -r cpu share; do
		wanted=$(awk -v cpu="cpu$cpu" -v c="$1" '$1 == cpu { if (NR == FNR) { a = $2; p = $c } else print ($c - p) / ($2 - a) }' \
			"$tmp/before" "$tmp/after")
		near "$share" "$wanted" 0.12 || fail "cpu $cpu: $2 $share, by /proc/stat itself $wanted"
		pass "cpu $cpu: $2 $share, by /proc/stat itself $wanted"
	done < <(paste -d' ' <(json 'all:total.events[0].cpus.cpu') <(json "all:total.events[0].cpus.$2"))
	[ -n "$(json "all:total.events[0].cpus.$2")" ] || fail "no CPU has $2"
}
part 4 stat_user
part 5 stat_kernel
part 6 stat_steal
[ $n -gt 0 ] || fail "no CPU says how busy it was"

if rt --json -e cpu-clock --duration 1 -a && [ "$rt_status" = 0 ]; then
	[ -z "$(json 'all:total.events[0].cpus.stat_busy')" ] || fail "a clock tells it, and /proc/stat was asked"
	rt --json -e cpu-clock/call-graph=fp/ --duration 1 -a
	expect_status 0 "the clock with call paths"
	[ -z "$(json 'all:total.events[0].cpus.stat_busy')" ] || fail "the clock with call paths tells it, and /proc/stat was asked"
	pass "by the clock alone"
fi
