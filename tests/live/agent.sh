#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `ringtop --agent` with a peer that counts, comes back, is killed, and is silent: every count arrives, and however
# the pipe ends nothing stays: no process, no COMMAND, no file but the whole recording.
. "$(dirname "$0")/lib.sh"
need_perf
peer=${RINGTOP_BUILDDIR:-$PWD}/tests/live/agentpeer.test
[ -x "$peer" ] || skip "$peer is not there"

left_files() {
	find /tmp /dev/shm /var/tmp "${XDG_RUNTIME_DIR:-/tmp}" -maxdepth 1 -name 'ringtop-agent*' 2>/dev/null | sort
}

# of what the peer printed
said() {
	sed -n "s/.*\\b$1=\\([-0-9]*\\).*/\\1/p" "$out" | tail -n 1
}

agent_pid() {
	sed -n 's/^agent //p' "$out"
}

# talk ARGS...: a whole conversation
talk() {
	"$peer" "$@" >"$out" 2>"$err" 9>&-
	status=$?
}

# talk_start ARGS...: one under way; returns once there is a session
talk_start() {
	: >"$out" # what the one before said is none of this one's
	"$peer" "$@" >"$out" 2>"$err" 9>&- &
	talk_pid=$!
	started+=("$talk_pid")
	wait_until 20 has_text "$out" '^info' || fail "no session: $*"
}

# with all that is in its process: threads, events, helpers
agent_gone() {
	wait_until "$1" gone "$(agent_pid)" || fail "$2: the agent is still there"
}

before=$(left_files)

talk --seconds 3 "$RINGTOP" -a -e cpu-clock -F 999
[ "$status" = 0 ] || fail "a plain conversation: status $status"
[ "$(said counted)" = $(($(said attributed) + $(said lost) + $(said pending))) ] ||
	fail "counted $(said counted), attributed $(said attributed), lost $(said lost), pending $(said pending)"
[ "$(said samples)" -gt 0 ] || fail "no samples"
agent_gone 5 "a plain conversation"
pass "$(said samples) samples in $(said slices) slices, $(said bytes) bytes"

talk --seconds 6 --linger 20 --resume --beat 100 "$RINGTOP" -a -e cpu-clock -F 999 -g
[ "$status" = 0 ] || fail "resumed: status $status"
[ "$(said resumed)" -ge 3 ] || fail "resumed $(said resumed) times"
[ "$(said counted)" = $(($(said attributed) + $(said lost) + $(said pending))) ] ||
	fail "resumed: counted $(said counted), attributed $(said attributed), lost $(said lost)"
agent_gone 5 "resumed"
pass "cut and resumed $(said resumed) times: all is there"

talk --seconds 2 "$RINGTOP" -e nosuch
[ "$status" = 1 ] && has_text "$err" nosuch || fail "an event that is not there: status $status"
talk --seconds 2 "$RINGTOP" -H other
[ "$status" = 1 ] || fail "-H there: status $status"
agent_gone 5 "an error"
pass "what cannot be opened is told"

# Killed at 20 moments, one or the other side; with a recording, and a COMMAND that would run for long.
for round in {1..20}; do
	file=$tmp/killed.data
	rm -f "$file"
	talk_start --seconds 60 --beat 100 "$RINGTOP" -w "$file" -- sleep 1000
	agent=$(agent_pid)
	wait_until 5 pgrep -P "$agent" -x sleep >/dev/null || fail "COMMAND does not run"
	command=$(pgrep -P "$agent" -x sleep)
	helpers=$(pgrep -P "$agent" -x ringtop-names)
	perl -e "select(undef, undef, undef, $((RANDOM % 500)) / 1000)"
	if [ $((round % 4)) = 0 ]; then
		kill -KILL "$agent"
		agent_gone 5 "killed"
		kill -KILL "$command"
		rm -f "$file".*.part # as far as it came: whoever is killed cannot give it its name
	else
		kill -KILL "$talk_pid"
		agent_gone 10 "peer killed"
		[ -s "$file" ] || fail "the recording was not finished"
		"$RINGTOP" -i "$file" --text -n 1 >/dev/null 2>"$err" || fail "the recording is not whole"
	fi
	for pid in $command $helpers; do
		wait_until 5 gone "$pid" || fail "process $pid is left"
	done
	wait "$talk_pid" 2>/dev/null
	rm -f "$file"
	[ -z "$(ls "$tmp" | grep killed)" ] || fail "files left: $(ls "$tmp")"
done
pass "20 kills: nothing is left"

# One that waits to be called again, in vain.
talk_start --seconds 60 --linger 1 "$RINGTOP" -e cpu-clock
kill -KILL "$talk_pid"
wait "$talk_pid" 2>/dev/null
agent_gone 10 "lingering"
! "$RINGTOP" --agent --resume 0123 2>"$err" || fail "resumed without an agent"
pass "it waits as long as it was told"

talk_start --seconds 60 --silent --silence 1 "$RINGTOP" -e cpu-clock
agent_gone 15 "a silent peer"
wait "$talk_pid"
pass "a silent peer"

for signal in TERM HUP INT; do
	talk_start --seconds 60 "$RINGTOP" -e cpu-clock
	kill -$signal "$(agent_pid)"
	wait "$talk_pid"
	has_text "$err" "agent was terminated" || fail "SIG$signal: home is not told"
	agent_gone 5 "SIG$signal"
done
pass "signals end it, and home is told"

[ "$(left_files)" = "$before" ] || fail "files are left: $(left_files)"
pass "no files are left"
