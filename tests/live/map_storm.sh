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
grep -q 'too many executable maps' "$out" || fail "ever: nothing says so"
echo "   ever: $(json total.self.process_maps_forgotten) forgotten, $(rss) bytes"

rt --json -e cpu-clock:u -F 499 -- "$work/storm_map" -n 15000 -k 1000 -s 2 children
expect_status 0 children
check_report
holds "$(rss) < 200e6" || fail "children: $(rss) bytes"
echo "   children: $(rss) bytes"

# Its records fill the ring of its CPU, which all others there share: none of theirs is lost.  A machine that
# is busy otherwise may wake the reader too late once, but not each time.
lost=
for _ in 1 2 3; do
	rt_start -e cpu-clock:u -F 499 -d 1
	"$work/storm_map" -n 200000 -s 20 ever >"$tmp/maps" 9>&-
	rt_stop
	expect_status 0 "system-wide"
	check_report
	lost=$(json 'sum:total.rings[kind=sideband].lost') records=$(json 'sum:total.rings[kind=sideband].records')
	holds "$records + $lost >= 200000" || fail "system-wide: 200000 maps, $records records, $lost lost"
	echo "   system-wide: $records records, $lost lost"
	[ "$lost" = 0 ] && break
done
[ "$lost" = 0 ] || fail "system-wide: $lost records of maps and names are lost"
pass "maps without end"
