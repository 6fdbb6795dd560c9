#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# However a headless run ends, it ends at once and cleanly: by signal with its total, at a closed
# pipe, on a full disk with an error, after -n intervals or --duration.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_hot

for signal in INT TERM; do
	rt_start -d 0.2 -e cpu-clock
	rt_signal $signal
	expect_status 0 "SIG$signal"
	check_report
	holds "$(json 'total.seconds') > 0" || fail "SIG$signal: a total of no time"
	pass "SIG$signal"
done

rt --json -d 0.1 -n 3 -e cpu-clock
expect_status 0 "-n 3"
check_report
[ "$(json 'count:each.time')" = 3 ] || fail "-n 3: $(json 'count:each.time') intervals"
rt --json -d 0.1 --duration 0.5 -e cpu-clock
expect_status 0 "--duration"
check_report
# By its own clock: not before its time, and no interval begun after it.  How long the last one takes is the
# machine's to say.
holds "$(json 'total.seconds') >= 0.49" || fail "--duration 0.5: $(json 'total.seconds') s"
holds "$(json 'last.time') - $(json 'last.seconds') < 0.5" ||
	fail "--duration 0.5: an interval began at $(json 'last.time') - $(json 'last.seconds') s"
rt --text -d 0.1 -n 2 -e cpu-clock
expect_status 0 "--text"
[ -s "$out" ] || fail "--text says nothing"
pass "-n, --duration, --text"

# Stacks that come faster than they can be unwound do not hold up the end: what is left of them is dropped
# by name.  4 s: for late readers, stacks and names at the end, and the tick under way.
SECONDS=0
rt --json -d 1 -F max --call-graph dwarf --duration 2
[ "$SECONDS" -le 8 ] || fail "--duration 2 with stacks: $SECONDS s until it was gone"
expect_status 0 "--duration with stacks"
check_report
holds "$(json 'total.seconds') < 2 + 4" || fail "--duration 2 with stacks: $(json 'total.seconds') s"
holds "$(json 'total.unwind.waiting') == 0" || fail "stacks still wait after the end"
pass "--duration with stacks: $(json 'total.seconds') s, $(json 'total.unwind.dropped') dropped"

# head leaves after one line; the program must notice at its next line, and not by being killed late
for format in --json --text; do
	line=$(set -o pipefail; timeout 10 "$RINGTOP" $format -d 0.1 -e cpu-clock 2>"$err" | head -n 1)
	status=$?
	[ -n "$line" ] || fail "$format | head -n 1: nothing came"
	[ $status != 124 ] || fail "$format | head -n 1: it went on for ten seconds"
	[ $status -lt 128 ] || [ $status = 141 ] || fail "$format | head -n 1: status $status"
done
pass "a closed pipe"

# each interval is there as soon as it is over, in a pipe too
mkfifo "$tmp/pipe"
env --default-signal=INT "$RINGTOP" --json -d 0.2 -e cpu-clock >"$tmp/pipe" 2>"$err" 9>&- &
rt_pid=$!
started+=("$rt_pid")
exec 7<"$tmp/pipe"
read -r -t 5 line <&7 || fail "no header in the pipe within 5 s"
read -r -t 5 line <&7 || fail "no interval in the pipe within 5 s"
rt_stop
exec 7<&-
pass "intervals are flushed"

for format in --json --text; do
	timeout 10 "$RINGTOP" $format -d 0.1 -n 3 -e cpu-clock >/dev/full 2>"$err"
	rt_status=$?
	expect_status 1 "$format >/dev/full"
	[ -s "$err" ] || fail "$format >/dev/full: no word of it"
	timeout 10 "$RINGTOP" $format -d 0.1 -n 3 -e cpu-clock >&- 2>"$err"
	rt_status=$?
	expect_status 1 "$format with stdout closed"
done
rt --json -d 0.1 -n 1 -e cpu-clock --log /dev/full
expect_status 0 "--log /dev/full"
has_text "$err" "missing from /dev/full: No space left" || fail "a log that is not written is not told: $(cat "$err")"
pass "a full disk, a closed stdout"

rt --json -d 0.1 -n 2 -e cpu-clock <&-
expect_status 0 "stdin closed"
check_report
pass "stdin closed"

# Who is stuck with his report, for a reader that does not read, does not go on measuring, nor recording.
is_there() {
	[ -e "$tmp/$1" ]
}
mkfifo "$tmp/stuck"
exec 7<>"$tmp/stuck"
head -c 65536 /dev/zero >&7 # all that it holds
"$RINGTOP" --json -d 0.1 -e cpu-clock -w "$tmp/recorded" --duration 1 >"$tmp/stuck" 2>"$err" 7<&- 9>&- &
rt_pid=$!
started+=("$rt_pid")
wait_until 20 is_there recorded || fail "--duration 1 that nobody reads: the recording does not end"
gone "$rt_pid" && fail "--duration 1 that nobody reads: ended with its report unread"
exec 8<"$tmp/stuck" # before the only other one that could read is closed
cat <&8 >"$tmp/read" 7<&- 9>&- &
reader=$!
exec 7<&- 8<&-
wait_until 10 gone "$rt_pid" || fail "--duration 1 that is read late: it does not end"
wait "$rt_pid"
rt_status=$?
expect_status 0 "--duration 1 that is read late"
wait "$reader"
tail -c +65537 "$tmp/read" >"$out"
check_report
holds "$(json 'total.seconds') >= 1" || fail "--duration 1 that is read late: $(json 'total.seconds') s"
pass "--duration that nobody reads: $(json 'total.seconds') s recorded"
