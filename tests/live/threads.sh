#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ringtop made with --enable-tsan, live: call paths, unwinding, a recording with snapshots, and the screen
# with its keys, beside a storm of forks.  No data race; in any other build there is nothing to see.
. "$(dirname "$0")/lib.sh"
grep -q __tsan_init "$RINGTOP" || skip "not made with --enable-tsan"
need_work spin_shares storm_fork
# At its end ringtop leaves to the kernel what it can: a finished thread is no leak.
export TSAN_OPTIONS="exitcode=66 report_thread_leaks=0 log_path=$tmp/tsan"

# judge WHAT: nothing was reported
judge() {
	local log

	for log in "$tmp"/tsan.*; do
		[ -e "$log" ] || break
		grep -h "^SUMMARY" "$tmp"/tsan.* | sort | uniq -c >&2
		head -n 60 "$log" >&2
		fail "$1: data races"
	done
	pass "$1"
}

# A race is no lack of rights.
"$RINGTOP" --text --duration 0.1 >"$tmp/probe" 2>&1 ||
	{ judge "a first look"; skip "ringtop cannot measure here: $(grep . "$tmp/probe" | tail -n 1)"; }

"$work/storm_fork" -s 600 >"$tmp/storm" 2>&1 9>&- &
started+=($!)

# painted SIZE: more than that
painted() {
	[ "$(stat -c %s "$tmp/screen")" -gt "$1" ]
}

# measured WHAT OPTION...: to its own end
measured() {
	local what=$1

	shift
	timeout -k 5 60 "$RINGTOP" --json --duration 2 -e cpu-clock -F 999 "$@" >"$out" 2>"$err"
	case $? in
	0 | 66) ;;
	*) fail "$what: it does not end well" ;;
	esac
	judge "$what"
}

measured "call paths" -g
measured "unwinding" --call-graph dwarf -- "$work/spin_shares" -s 2
measured "threads" --per-thread -- "$work/spin_shares" -s 2
measured "a recording" -g -w "$tmp/recording"

mkfifo "$tmp/keys"
exec 7<>"$tmp/keys"
if command -v script >/dev/null && ! "$RINGTOP" --version | grep -q "no screen"; then
	"$work/spin_shares" -s 600 >"$tmp/work" 2>&1 9>&- &
	started+=($!)
	TERM=xterm-256color script -q -c "stty rows 30 cols 120; exec '$RINGTOP' -p $! -g -e cpu-clock \
		-F 999 --snapshot-dir '$tmp'" /dev/null <"$tmp/keys" >"$tmp/screen" 2>&1 9>&- &
	screen=$!
	started+=("$screen")
	# Of a name that takes another one's place only the letters that differ are sent.
	wait_until 60 has_text "$tmp/screen" share_ || fail "no first screen"
	record=$(printf 'R\025%s\r' "$tmp/recorded")
	for key in "$record" 2 S 3 4 R 6 S 1 q; do
		size=$(stat -c %s "$tmp/screen")
		printf %s "$key" >&7
		wait_until 10 painted "$size" || gone "$screen" || fail "key ${key:0:1}: nothing is painted"
	done
	wait_until 60 gone "$screen" || fail "it does not end at q"
	judge "the screen"
	[ -e "$tmp/recorded" ] || fail "key R recorded nothing"
fi
