#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Connections that end, in every way: ssh, the agent or this side killed at random moments (REMOTE_ROUNDS, 9;
# REMOTE_SEED), a line that is cut and comes back with and without --linger, one that is slow, one host of two that
# dies.  Nothing stays on either side, and the identity holds.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sshd.sh"
. "$(dirname "$0")/far.sh"
need_root
need_tracepoint raw_syscalls sys_enter
need_work storm_exact spin_paths relay
rounds=${REMOTE_ROUNDS:-9}
RANDOM=${REMOTE_SEED:-1}

# children of our process that lead there
here_children() {
	cat "/proc/$rt_pid/task/"*/children 2>/dev/null
}

here_is_quiet() { # PIDS
	local pid

	for pid; do
		gone "$pid" || return 1
	done
}

case_kills() {
	local n victim children agents=0

	for ((n = 0; n < rounds; n++)); do
		rt_launch "${far[@]}" -d 0.1 -e cpu-clock -F 999
		# Two of three may be before the agent is there.
		[ $((n % 3)) != 2 ] || wait_until 60 far_has_agent || fail "round $n: no agent comes"
		sleep "$((RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))"
		children=$(here_children)
		victim=$(far_agent)
		[ -z "$victim" ] || agents=$((agents + 1))
		case $((n % 3)) in
		0) victim=$rt_pid ;;
		1) victim=${children%% *} ;;
		esac
		[ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null
		if [ "$victim" != "$rt_pid" ]; then
			wait_until 10 reconnected || true
			kill -INT "$rt_pid" 2>/dev/null
		fi
		wait_until 60 gone "$rt_pid" || fail "round $n: this side does not end"
		wait "$rt_pid" 2>/dev/null
		far_left "round $n (victim $((n % 3)))"
		# shellcheck disable=SC2086 # one word each
		wait_until 60 here_is_quiet $children || fail "round $n: a child of this side stays: $children"
	done
	[ "$agents" -ge $((rounds / 3)) ] || fail "an agent was there in $agents of $rounds rounds only"
	pass "$rounds rounds of SIGKILL, with an agent in $agents: nothing stays"
}

# ended, or measures again
reconnected() {
	gone "$rt_pid" || far_has_agent
}

cut() {
	touch "$tmp/down"
	kill -USR1 "$(cat "$tmp/relay.pid")"
}

restored() {
	rm -f "$tmp/down"
}

intervals() {
	grep -c '"type":"interval"' "$out"
}

more_than() { # N
	[ "$(intervals)" -gt "$1" ]
}

# The program that is measured does its calls while the line is down.
case_linger() {
	local calls=300000

	far_relay "-d 5 -p $tmp/relay.pid -x $tmp/down"
	work_start "$work/storm_exact" $calls wait
	wait_until 20 has_text "/proc/$work_pid/syscall" '^0 ' || skip "/proc/PID/syscall does not tell"
	rt_start "${far[@]}" --linger 60 -d 0.2 -e raw_syscalls:sys_enter -c 1 -p "$work_pid"
	cut
	go
	work_wait
	restored
	wait_until 90 has_calls $calls || fail "--linger: what was measured during the cut did not come"
	rt_stop
	expect_status 0 "--linger"
	check_report
	identity "--linger"
	[ "$(json total.events[0].counted)" = $calls ] || fail "--linger: counted $(json total.events[0].counted) of $calls"
	holds "$(json total.events[0].attributed) >= 0.9999 * $calls" || differs "--linger: lost $(json total.events[0].lost)"
	far_left "--linger"
	pass "--linger: $calls calls during a cut, attributed $(json total.events[0].attributed)"
	far_by
}

has_calls() { # N: in the intervals
	[ "$(grep '"type":"interval"' "$out" | jq -s 'map(.events[0].counted) | add')" = "$1" ]
}

case_gap() {
	local before

	far_relay "-d 5 -p $tmp/relay.pid -x $tmp/down"
	rt_start "${far[@]}" -d 0.2 -e cpu-clock -F 999
	cut
	wait_until 60 far_is_quiet far || fail "without --linger the agent lives on after a cut"
	restored
	before=$(intervals)
	wait_until 90 far_has_agent || fail "it is not reached again"
	wait_until 90 more_than $((before + 3)) || fail "nothing comes after the cut"
	rt_stop
	expect_status 0 "a cut"
	check_report
	identity "a cut"
	grep -qiE 'connection|lost' <(json all:total.log.text; cat "$err") || fail "the report does not tell of the cut"
	far_left "a cut"
	pass "cut and back: the gap is told"
	far_by
}

case_slow() {
	local calls=300000

	far_relay "-d 100 -r 64000"
	rt "${far[@]}" --json -g -e raw_syscalls:sys_enter -c 1 -- /mnt/storm_exact $calls
	expect_status 0 "a slow line"
	check_report
	identity "a slow line"
	[ "$(json total.events[0].counted)" = $calls ] || fail "a slow line: counted $(json total.events[0].counted)"
	holds "$(json total.events[0].attributed) >= 0.9999 * $calls" || differs "a slow line: lost $(json total.events[0].lost)"
	# more than this one takes, on a quiet machine, too
	work_start "$work/spin_paths" -s 60
	far_relay "-d 100 -r 16000"
	rt "${far[@]}" --json -g -e cpu-clock -F 999 --duration 6
	kill "$work_pid"
	expect_status 0 "a slow line, whole machine"
	check_report
	identity "a slow line, whole machine"
	# a timer may be late on a busy machine, whatever the line is
	[ "$(json total.events[0].lost)" = "$(json total.events[0].lost.late)" ] ||
		differs "a slow line: lost $(json total.events[0].lost), of it late $(json total.events[0].lost.late)"
	holds "$(json sum:total.hosts.merged) + $(json sum:total.hosts.folded_rows) > 0" ||
		fail "a slow line: the report does not say what it cost"
	pass "200 ms, 64 and 16 kbit/s: nothing lost; merged $(json sum:total.hosts.merged), rows folded \
$(json sum:total.hosts.folded_rows)"
	far_left "a slow line"
	far_by
}

case_fleet() {
	local before

	far_by far,other
	rt_start "${far[@]}" -d 0.2 -e cpu-clock -F 999
	far_has_agent && far_has_agent other || fail "a host without an agent"
	sshd_kill other
	before=$(intervals)
	wait_until 60 more_than $((before + 5)) || fail "one host is held up by another"
	rt_stop
	expect_status 0 "a fleet"
	check_report
	identity "a fleet"
	far_left "a fleet"
	pass "one host dies, the other goes on"
	far_by
}

command -v jq >/dev/null || skip "no jq"
need_sshd
cp "$work"/storm_exact "$hosts" || exit 1 # the hosts do not see $work below /tmp
far_start far other
for name in ${CUT_CASES:-kills linger gap slow fleet}; do
	agrees "case_$name"
done
