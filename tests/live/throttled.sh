#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A cgroup whose CPU quota is used up: beside its row stands how long it had to wait, as cpu.stat has it at the end less
# what it had before, also where the report was saved and read again and of another machine; a cgroup without a quota has
# nothing there.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
need_work spin_threads
far_shell

# --- a cgroup with a quota of 20 of 100 ms

tree=$tmp/cgroups group=ringtop-throttled-$$
mkdir "$tree"
# CGROUP_VERSION=2: that one where the controller could be had by both
if [ "${CGROUP_VERSION:-1}" = 1 ] && mount -t cgroup -o cpu none "$tree" 2>/dev/null; then
	version=1
elif mount -t cgroup2 none "$tree" 2>"$err"; then
	version=2
else
	skip "no cgroups can be mounted: $(cat "$err")"
fi
restores+=("umount '$tree'")
if [ "$version" = 2 ] && ! grep -qw cpu "$tree/cgroup.subtree_control" && ! echo +cpu >"$tree/cgroup.subtree_control" 2>"$err"; then
	skip "the controller cpu is not to be had: $(cat "$err")"
fi
mkdir "$tree/$group" "$tree/$group-free" 2>"$err" || skip "no cgroup can be made: $(cat "$err")"
restores=("rmdir '$tree/$group' '$tree/$group-free'" "${restores[@]}")
if [ "$version" = 1 ]; then
	echo 20000 >"$tree/$group/cpu.cfs_quota_us"
else
	echo "20000 100000" >"$tree/$group/cpu.max"
fi 2>"$err" || skip "no quota can be set: $(cat "$err")"

# stat FIELD: of cpu.stat, times in ns
stat() {
	awk -v field="$1" '$1 == field || (field == "ns" && $1 == "throttled_time") { print $2 }
		field == "ns" && $1 == "throttled_usec" { printf "%.0f\n", $2 * 1000 }' "$tree/$group/cpu.stat"
}

"$work/spin_threads" -t 1 -s $((40 * ${WAIT_FACTOR:-1})) >"$tmp/out.limited" &
limited=$!
started+=("$limited")
"$work/spin_threads" -t 1 -s $((40 * ${WAIT_FACTOR:-1})) >"$tmp/out.free" &
free=$!
started+=("$free")
echo "$limited" >"$tree/$group/cgroup.procs" || fail "cannot move a process"
echo "$free" >"$tree/$group-free/cgroup.procs" || fail "cannot move a process"

# --- as the file says

begin=$(date +%s%N) periods=$(stat nr_periods) throttled=$(stat nr_throttled) ns=$(stat ns)
rt --json --group cgroup -e task-clock -F 999 --duration 2 -p "$limited,$free" --save "$tmp/saved"
periods=$(($(stat nr_periods) - periods)) throttled=$(($(stat nr_throttled) - throttled)) ns=$(($(stat ns) - ns))
late=$((4 + ($(date +%s%N) - begin - 2000000000) / 100000000)) # periods: starting takes seconds in an emulated machine
expect_status 0 "a cgroup with a quota"
check_report
path=$(json "all:total.tasks[pid=$limited].cgroup" | sort -u)
[[ $path == */$group ]] || fail "the cgroup is $path"
row="total.groups[cgroup=$path]"
is=$(json "sum:$row.throttled_ns")
# The two are looked at at other times: periods on either side, and what came before its first sample.
holds "$is > 0 && $is <= $ns && $is >= $ns - $late * 100000000" || fail "throttled for $is ns, by cpu.stat $ns"
holds "$(json "sum:$row.throttled") <= $throttled && $(json "sum:$row.throttled") >= $throttled - $late" ||
	fail "throttled $(json "sum:$row.throttled") times, by cpu.stat $throttled"
holds "$(json "sum:$row.periods") <= $periods && $(json "sum:$row.periods") >= $periods - $late" ||
	fail "$(json "sum:$row.periods") periods, by cpu.stat $periods"
pass "version $version: throttled in $(json "sum:$row.throttled") of $(json "sum:$row.periods") periods for $is ns, cpu.stat: $throttled, $periods, $ns"

# Of a program that is measured for all of its life nothing is left out but what came before its cgroup's first look.
mkdir "$tree/$group-life" || fail "no cgroup"
restores=("rmdir '$tree/$group-life'" "${restores[@]}")
if [ "$version" = 1 ]; then
	echo 20000 >"$tree/$group-life/cpu.cfs_quota_us"
else
	echo "20000 100000" >"$tree/$group-life/cpu.max"
fi
rt --json --group cgroup -e task-clock -F 999 -- sh -c "echo \$\$ >'$tree/$group-life/cgroup.procs' && exec '$work/spin_threads' -t 1 -s 4"
expect_status 0 "a command in a cgroup with a quota"
check_report
life="total.groups[cgroup=$path-life]"
first=$((4 * ${WAIT_FACTOR:-1})) lived=$(json "sum:$life.throttled_ns") all=$(group=$group-life stat ns) times=$(group=$group-life stat nr_throttled)
holds "$lived <= $all && $lived >= $all - $first * 100000000 && $lived > 300000000" || fail "throttled for $lived ns, by cpu.stat in all $all"
holds "$(json "sum:$life.throttled") <= $times && $(json "sum:$life.throttled") >= $times - $first" ||
	fail "throttled $(json "sum:$life.throttled") times, by cpu.stat in all $times"
pass "of a whole life: throttled $(json "sum:$life.throttled") times for $lived ns, by cpu.stat $times and $all"
rt --json --group cgroup -i "$tmp/saved"
expect_status 0 "the saved time line"

# Whatever comes after the last interval is in the total alone.
parts=$(json "sum:each.groups[cgroup=$path].throttled_ns")
holds "$parts <= $is && $parts >= $is - 200000000 * ${WAIT_FACTOR:-1}" || fail "intervals have $parts ns, all of it $is"
[ -z "$(json "all:total.groups[cgroup=${path%/*}/$group-free].throttled" | tr -d '\n')" ] ||
	fail "a cgroup without a quota is throttled"
pass "intervals have $parts ns of it, and there is nothing beside a cgroup without a quota"

# By that, not by share: without its quota the other one has more samples.
rt --json --group cgroup --sort throttled -i "$tmp/saved"
expect_status 0 "sorted by throttled"
[ "$(json "all:total.groups.cgroup" | head -1)" = "$path" ] || fail "first is $(json "all:total.groups.cgroup" | head -1)"
rt --json --group cgroup -i "$tmp/saved"
expect_status 0 "sorted by share"
[ "$(json "all:total.groups.cgroup" | head -1)" = "${path%/*}/$group-free" ] || fail "by share first is $(json "all:total.groups.cgroup" | head -1)"
pass "--sort throttled has it first, which is not so by share"

# --- what was saved, and another machine

rt --json --group cgroup -i "$tmp/saved"
expect_status 0 "the saved time line"
[ "$(json "sum:$row.throttled_ns")" = "$is" ] || fail "saved: $(json "sum:$row.throttled_ns") ns of $is"
pass "the saved time line has the same"

# Where all is emulated two agents at once start too late for this.
[ -z "${VM_MODULE:-}" ] || exit 0
rt -H one,two --ssh "$far_shell" --json --group cgroup -e task-clock -F 999 --duration 2 -p "$limited,$free"
expect_status 0 "two machines"
check_report
for host in one two; do
	of="total.groups[host=$host][cgroup=$path]"
	holds "$(json "sum:$of.throttled") > 5 && $(json "sum:$of.throttled_ns") > 0.3 * 2000000000" ||
		fail "$host: throttled $(json "sum:$of.throttled") times for $(json "sum:$of.throttled_ns") ns"
done
pass "of two machines each has its own: $(json "sum:$row.throttled") times in all"
