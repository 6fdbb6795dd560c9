#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A reader whose ring stands still is woken once a second and no more, and what was counted meanwhile is
# told all the same.  Judged by how often the readers' threads slept, per tick that was due.
. "$(dirname "$0")/lib.sh"
need_perf

# How often the readers of the session $rt_pid gave their CPU up by themselves, in all.
slept() {
	awk '/^Name:/ { reader = $2 ~ /^ringtop-cpu/ } reader && /^voluntary/ { n += $2 } END { print n + 0 }' \
		/proc/"$rt_pid"/task/*/status
}

seconds() {
	has_lines "$out" "$1"
}

sleep 600 9>&- &
sleeper=$!
started+=("$sleeper")
online=$(cat /sys/devices/system/cpu/online)
ncpus=$(getconf _NPROCESSORS_ONLN)

rt_start -d 1 -e cpu-clock -p "$sleeper"
from=$(wc -l <"$out")
before=$(slept)
wait_until 30 seconds $((from + 5)) || fail "no five intervals in 30 seconds"
after=$(slept)
to=$(wc -l <"$out")
rt_stop
check_report
[ "$(cat /sys/devices/system/cpu/online)" = "$online" ] || skip "CPUs went or came meanwhile"
# Asked once a second; one more for an interval that began late, and as many as CPUs may come and go.
most=$((3 * ncpus * (to - from + 1)))
[ $((after - before)) -le "$most" ] ||
	fail "$((after - before)) times in $((to - from)) s the readers of a sleeping process were woken, at most $most"
[ $((after - before)) -gt 0 ] || fail "the readers were not asked at all"
pass "$ncpus readers were woken $((after - before)) times in $((to - from)) s"

# So is everybody, where nothing happens on the whole machine (tests/vm/run -i 1 makes such a one).
command -v python3 >/dev/null || skip "no python3 for the whole machine"
python3 "$live_dir/quiet.py" "$RINGTOP" >"$tmp/woken" 2>"$err" 9>&-
case $? in
0) pass "$(cat "$tmp/woken")" ;;
77) echo "# not judged: $(cat "$tmp/woken")" ;;
*) fail "$(cat "$tmp/woken")" ;;
esac
