#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --group: a thousand short-lived children of one shell stand under it, their samples to the sample, and perf script's
# count of those that it forked says the same of what was recorded meanwhile; a process of another user, and one in
# another cgroup, have rows of their own with their tasks' samples, moved and renounced while they run.
. "$(dirname "$0")/lib.sh"
need_perf
need_stock_perf
need_work spin_threads tiny

# same TASKS-FILTER GROUPS-FILTER WHAT: both sums are one number that is not 0
same() {
	local tasks groups

	tasks=$(json "sum:total.tasks[$1].samples")
	groups=$(json "sum:total.groups[$2].samples")
	[ "$tasks" = "$groups" ] || fail "$3: tasks have $tasks samples, the group $groups"
	holds "$tasks > 0" || fail "$3: no samples"
	pass "$3: $groups samples"
}

# --- a storm under one shell

# A shell of a name of its own, as a file beside the work.
cp "$(command -v bash)" "$tmp/stormshell" || exit 1
cat >"$tmp/storm.sh" <<END
for ((i = 0; i < 1000; i++)); do "$work/tiny_static" 300000; done
END
rt --json --group parent -e cpu-clock -F 4999 -w "$tmp/storm.data" -- "$tmp/stormshell" "$tmp/storm.sh"
expect_status 0 "a storm"
check_report
same parent=stormshell name=stormshell "children of one shell"
all=$(json 'total.events[0].samples')
row=$(json 'sum:total.groups[name=stormshell].samples')
holds "$(json 'sum:total.groups.samples') == $all" || fail "all groups: $(json 'sum:total.groups.samples') of $all"
# Those whose parent is the shell, by the recording's own FORK records; its samples begin a moment later.
perf script -i "$tmp/storm.data" --show-task-events -F comm,pid,event 2>/dev/null >"$tmp/list" ||
	skip "perf script does not read it"
read -r samples of < <(awk '
	/PERF_RECORD_FORK\(/ {
		match($0, /FORK\([0-9]+:/); pid = substr($0, RSTART + 5, RLENGTH - 6)
		match($0, /\):\([0-9]+:/); parent[pid] = substr($0, RSTART + 3, RLENGTH - 4)
		next
	}
	/PERF_RECORD_COMM.*: stormshell:/ { match($0, /stormshell:[0-9]+/); if (!shell) shell = substr($0, RSTART + 11, RLENGTH - 11); next }
	/PERF_RECORD/ { next }
	/cpu-clock/ { n++; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) { of[$i]++; break } }
	END { for (p in of) if (parent[p] == shell) sum += of[p]; print n + 0, sum + 0 }' "$tmp/list")
holds "$samples > 0.9 * $all" || fail "perf script has $samples samples of $all"
near "$of" "$row" "$all - $samples" || fail "perf script: $of samples of the shell's children, the group has $row"
pass "of $all samples $row are the shell's children's, by perf script $of of $samples"

# --- a storm that goes on since before us: whoever forks it is asked before its children are forgotten

"$tmp/stormshell" -c "while :; do '$work/tiny_static' 300000; done" &
started+=("$!")
rt --json --group parent -e cpu-clock -F 999 --duration 2 -a
if [ "$rt_status" = 0 ]; then
	check_report
	all=$(json 'total.events[0].samples')
	unknown=$(json 'sum:total.groups[name=(unknown)].samples')
	holds "${unknown:-0} <= 0.02 * $all" || fail "of $all samples $unknown are nobody's"
	same parent=stormshell name=stormshell "of a storm from before"
	pass "of $all samples ${unknown:-0} are nobody's"
fi
kill "${started[-1]}"

# --- who may be somebody else

[ "$(id -u)" = 0 ] || { echo "SKIP: users and cgroups: not root"; exit 0; }
command -v setpriv >/dev/null || { echo "SKIP: users: no setpriv"; exit 0; }

setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups "$work/spin_threads" -s 600 >"$tmp/out.nobody" &
nobody=$!
started+=("$nobody")
"$work/spin_threads" -s 600 >"$tmp/out.root" &
root=$!
started+=("$root")
rt --json --group user -e task-clock -F 999 --duration 1.5 -p "$nobody,$root"
expect_status 0 "users"
check_report
same pid="$nobody" name=nobody "of nobody"
same pid="$root" name=root "of root"
[ "$(json 'all:total.groups.name' | sort | tr '\n' ' ')" = "nobody root " ] ||
	fail "users: $(json 'all:total.groups.name' | tr '\n' ' ')"

# --- another cgroup

controller=
for at in "$tmp/cgroups" ; do
	mkdir -p "$at"
	if mount -t cgroup -o cpu none "$at" 2>/dev/null; then controller=cpu; else mount -t cgroup2 none "$at" 2>"$err" && controller=unified; fi
done
[ -n "$controller" ] || { echo "SKIP: cgroups: $(cat "$err")"; exit 0; }
tree=$tmp/cgroups group=ringtop-groups-$$
if ! mkdir "$tree/$group" 2>"$err"; then
	umount "$tree"
	echo "SKIP: no cgroup can be made: $(cat "$err")"
	exit 0
fi
restores+=("rmdir '$tree/$group'; umount '$tree'")
echo "$root" >"$tree/$group/cgroup.procs" || fail "cannot move a process"
rt --json --group cgroup -e task-clock -F 999 --duration 1.5 -p "$nobody,$root"
expect_status 0 "cgroups"
check_report
path=$(json "all:total.tasks[pid=$root].cgroup" | sort -u)
[[ $path == */$group ]] || fail "the cgroup is $path"
same pid="$root" cgroup="$path" "in $path"
same pid="$nobody" cgroup="$(json "all:total.tasks[pid=$nobody].cgroup" | sort -u)" "not moved"
rt --json --group cgroup --only "cgroup:/$group\$" -e task-clock -F 999 --duration 1 -p "$nobody,$root"
expect_status 0 "a filter"
[ "$(json 'all:total.tasks.pid' | sort -u)" = "$root" ] || fail "the filter passes $(json 'all:total.tasks.pid' | sort -u)"
pass "the filter passes what is in it alone"
