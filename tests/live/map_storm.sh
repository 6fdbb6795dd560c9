#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that map without end, or share many maps among a thousand processes, take neither memory nor
# the names of others.
. "$(dirname "$0")/lib.sh"
need_perf
need_work storm_map spin_hot

rss() {
	json total.self.rss_bytes
}

# more than are kept; the kernel does not say that they are unmapped
rt --json -e cpu-clock:u -F 499 -- "$work/storm_map" -n 60000 -s 60 ever
expect_status 0 ever
check_report
holds "$(json total.self.process_maps_forgotten) > 10000" ||
	fail "ever: $(json total.self.process_maps_forgotten) maps were forgotten"
grep -q 'more executable maps than are kept' "$out" || fail "ever: nothing says so"
echo "   ever: $(json total.self.process_maps_forgotten) forgotten, $(rss) bytes"

rt --json -e cpu-clock:u -F 499 -- "$work/storm_map" -n 15000 -k 1000 -s 2 children
expect_status 0 children
check_report
holds "$(rss) < 200e6" || fail "children: $(rss) bytes"
echo "   children: $(rss) bytes"
pass "maps without end"
