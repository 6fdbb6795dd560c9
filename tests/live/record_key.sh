#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Key R on the real screen: a recording begins and ends while the session goes on, and again, and one
# that runs when ringtop is left is finished; each holds what stock perf counts alike.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work spin_shares storm_fork
command -v script >/dev/null || skip "no script(1) for a terminal"
"$RINGTOP" --text --duration 0.1 >"$tmp/probe" 2>&1 || skip "ringtop cannot measure here"

# A parent whose children are born all the time, before and while it records.
"$work/spin_shares" -s 600 >"$tmp/work" 2>&1 9>&- &
started+=($!)
target=$!

# Tasks that begin and end at all times: their records are on the way while rings are opened anew.
"$work/storm_fork" -s 600 >"$tmp/storm" 2>&1 9>&- &
started+=($!)

# open_screen OPTION...: ringtop on a terminal of its own
open_screen() {
	rm -f "$tmp/keys"
	mkfifo "$tmp/keys"
	exec 7<>"$tmp/keys"
	TERM=xterm-256color script -q -c "stty rows 30 cols 120; exec '$RINGTOP' $* -e cpu-clock -F 500" \
		/dev/null <"$tmp/keys" >"$tmp/screen" 2>&1 9>&- &
	screen=$!
	started+=("$screen")
	grep -q "no screen" "$tmp/screen" && skip "this build has no screen"
	# Of a name that takes another one's place only the letters that differ are sent.
	wait_until 20 has_text "$tmp/screen" share_ || fail "no first screen"
}

keys() {
	printf '%s' "$1" >&7
}

part() {
	[ -n "$(find "$tmp" -name "$1.*.part" -size +"$2"k)" ]
}

asks() {
	grep -o 'record to' "$tmp/screen" | wc -l
}

# R is refused while the recording before is being finished: a moment longer than its file takes.
asked_anew() {
	keys R
	wait_until 1 asked_more_than "$1"
}

asked_more_than() {
	[ "$(asks)" -gt "$1" ]
}

# begin NAME: R, the proposed name taken away, this one, Enter
begin() {
	wait_until 20 asked_anew "$(asks)" || fail "R does not ask"
	keys "$(printf '\025%s\r' "$tmp/$1")"
	wait_until 10 part "$1" 4 || fail "$1: nothing is recorded"
}

# whole NAME: the file is right
whole() {
	local ours

	rt -i "$tmp/$1" --json
	expect_status 0 "$1"
	check_report
	ours=$(json 'sum:total.events.samples')
	[ "$ours" -gt 10 ] || fail "$1: $ours samples"
	[ "$(json "sum:total.functions[function=share_50].samples")" -gt 2 ] || fail "$1: no share_50"
	if command -v perf >/dev/null; then
		perf report --stdio -i "$tmp/$1" -F sample,sym -t '|' --percent-limit 0 \
			>"$tmp/report" 2>"$tmp/report.err" || fail "$1: perf does not report"
		[ ! -s "$tmp/report.err" ] || fail "$1: perf says $(cat "$tmp/report.err")"
		[ "$(awk -F'|' '!/^#/ && NF >= 2 { sum += $1 } END { print sum + 0 }' "$tmp/report")" = \
			"$ours" ] || fail "$1: perf counts something else than $ours"
	fi
	pass "$1: $ours samples"
}

is_there() {
	[ -e "$tmp/$1" ]
}

open_screen -p "$target"
for name in first second; do
	begin "$name"
	wait_until 20 part "$name" 8 || fail "$name: it does not grow"
	keys R
	wait_until 20 is_there "$name" || fail "$name: it does not end"
	whole "$name"
done
begin third
wait_until 20 part third 8 || fail "third: it does not grow"
keys q
wait_until 20 gone "$screen" || fail "q does not end it"
is_there third || fail "third: left unfinished"
whole third

open_screen -a
begin everything
wait_until 20 part everything 200 || fail "everything: it does not grow"
keys R
wait_until 20 is_there everything || fail "everything: it does not end"
whole everything
keys q
wait_until 20 gone "$screen" || fail "q does not end it"
[ -z "$(find "$tmp" -name '*.part')" ] || fail "something unfinished is left"
