#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# AUX events by softpt: full mode and snapshots, judged block by block by auxjudge; and what ringtop
# itself tells of them.
. "$(dirname "$0")/lib.sh"
need_vm_work spin_shares
vm_machine "-k 6.12" "-k 6.1" "-k 7"

judge=$vm_built/auxjudge.test

# field NAME LINE: the number behind it
field() {
	sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" <<<"$2"
}

full_below_the_limit() {
	local out missing

	softpt name=softaux rate=2000 || return 1
	out=$($judge full softaux// 4m 3) || {
		echo "$out"
		return 1
	}
	echo "$out"
	missing=$(awk '{ for (i = 1; i < NF; i++) if ($i == "missing") n += $(i + 1) } END { print n + 0 }' <<<"$out")
	blocks=$(awk '{ for (i = 1; i < NF; i++) if ($i == "blocks") n += $(i + 1) } END { print n + 0 }' <<<"$out")
	echo "written $(softpt_stat all written) lost $(softpt_stat all lost)"
	[ "$missing" = 0 ] && [ "$blocks" = "$(softpt_stat all written)" ]
}

# 64 KiB at 20 MB/s overruns; it must go on after each time.  Half of what could be is proof.
full_above_the_limit() {
	local out line blocks

	softpt name=softaux rate=20000 || return 1
	out=$($judge full softaux// 64k 4) || {
		echo "$out"
		return 1
	}
	echo "$out"
	echo "truncated $(softpt_stat all truncated) written $(softpt_stat all written) lost $(softpt_stat all lost)"
	while read -r line; do
		blocks=$(field blocks "$line")
		[ "$blocks" -gt 20000 ] || return 1
	done <<<"$out"
	blocks=$(awk '{ for (i = 1; i < NF; i++) if ($i == "blocks") n += $(i + 1) } END { print n + 0 }' <<<"$out")
	[ "$blocks" = "$(softpt_stat all written)" ]
}

flags_injected() {
	local out

	softpt name=softaux rate=1000 "$@" || return 1
	out=$($judge full softaux// 1m 3) || {
		echo "$out"
		return 1
	}
	echo "$out"
	echo "truncated $(softpt_stat all truncated) written $(softpt_stat all written)"
	[ "$(awk '{ for (i = 1; i < NF; i++) if ($i == "blocks") n += $(i + 1) } END { print n + 0 }' <<<"$out")" = \
		"$(softpt_stat all written)" ]
}

snapshots() { # count size, parameters
	local count=$1 size=$2 out

	shift 2
	softpt name=softaux "$@" || return 1
	out=$($judge snap softaux// "$size" "$count")
	local status=$?
	echo "$out"
	return $status
}

try "full mode: every block once and in order" full_below_the_limit
try "full mode above the limit: goes on, what is missing is flagged" full_above_the_limit
try "full mode: TRUNCATED injected" flags_injected truncate_every=50
try "full mode: PARTIAL and COLLISION injected, padding" flags_injected partial_every=40 collision_every=30 skip_every=25
try "100 snapshots of a place" snapshots 100 64k rate=1000
try "100 snapshots of a total" snapshots 100 64k rate=1000 snap_mono=1
try "snapshots of 4 MB" snapshots 20 4m rate=20000
tried
