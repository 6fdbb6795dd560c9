#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# -G: of two that burn side by side the one in the cgroup is measured, though it is below the one that was named, and
# as much as it ran; the identity holds.  A wrong name says where it was looked for.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work spin_threads

tree=$tmp/cgroups
group=ringtop-test-$$
mkdir "$tree"
mount -t cgroup2 none "$tree" 2>"$err" || skip "no cgroups of version 2: $(cat "$err")"
if ! mkdir "$tree/$group" "$tree/$group/below" 2>"$err"; then
	umount "$tree"
	skip "no cgroup can be made: $(cat "$err")"
fi
restores+=("rmdir '$tree/$group/below' '$tree/$group'; umount '$tree'")
burning=()

"$work/spin_threads" -s 600 9>&- >"$tmp/in" &
burning+=($!) started+=($!)
echo $! >"$tree/$group/below/cgroup.procs" || fail "cannot move a process"
"$work/spin_threads" -s 600 9>&- >"$tmp/out.other" &
started+=($!)

rt --json -e task-clock -c 1000000 --duration 1.5 -G "$tree/$group"
expect_status 0 "a cgroup"
check_report
[ "$(json 'all:total.tasks.pid' | sort -u)" = "${burning[0]}" ] ||
	fail "measured $(json 'all:total.tasks.pid' | sort -u | tr '\n' ' '), not ${burning[0]} alone"
holds "$(json 'total.events[0].attributed_share') >= 0.99" ||
	fail "attributed $(json 'total.events[0].attributed_share')"
pass "the process in the cgroup alone: $(json 'total.events[0].attributed') of $(json 'total.events[0].counted') ns"

rt --json -n 1 -G "$group-none"
expect_status 2 "no such cgroup"
has_text "$err" "there is no cgroup /.*$group-none" || fail "no such cgroup: $(cat "$err")"
rt --json -G "$group" -p $$
expect_status 2 "beside -p"
pass "wrong: $(cat "$err")"
