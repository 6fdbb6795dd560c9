#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What changed from one recording to another: shares as stock perf diff has them, a known change named, none where
# there was none, the exit status, and files that cannot be compared.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_stock_perf
need_work spin_shares
command -v python3 >/dev/null || skip "no python3"

# record NAME [PERCENT...]: by perf, of shares that are known
record() {
	local name=$1

	shift
	perf record -q -e cpu-clock -F 999 -o "$tmp/$name" -- "$work/spin_shares" -n 8000 "$@" >"$tmp/record" 2>&1 9>&- || {
		cat "$tmp/record" >&2
		fail "$name: perf does not record"
	}
}

compare() {
	rt --json --diff "$tmp/$1" "$tmp/$2" "${@:3}"
}

changed() {
	json "total.functions[function=$1].significant"
}

# as_perf A B: each row of perf diff, within 0.01 points of ours
as_perf() {
	local rows

	perf diff -c delta -t '|' "$tmp/$1" "$tmp/$2" >"$tmp/perf" 2>"$tmp/perf.err" || {
		cat "$tmp/perf.err" >&2
		fail "perf diff: $1 $2"
	}
	rows=$(python3 "$live_dir/diff.py" "$tmp/perf" <"$out") || fail "$1 $2: not as perf diff has it"
	pass "$1 $2: $rows, shares and deltas as ours"
}

record before
record same
record after 35 30 15 20

# of a hundred such one may be named, not two in turn
compare before same --fail-on-change
if [ "$rt_status" = 4 ]; then
	record same
	compare before same --fail-on-change
fi
expect_status 0 "nothing changed"
check_report
[ "$(json total.significant)" = 0 ] || fail "of two equal runs: $(json 'all:total.functions[significant=true].function')"
as_perf before same
pass "two equal runs: nothing is named"

compare before after
expect_status 0 "without --fail-on-change"
check_report
[ "$(changed share_50)" = true ] || fail "share_50 has 15 points less, and is not named"
[ "$(changed share_05)" = true ] || fail "share_05 has 15 points more, and is not named"
as_perf before after
compare before after --fail-on-change
expect_status 4 "a change"
pass "a known change is named"

# objects without names, the kernel, and periods that are not alike
head -c 4000000 "$RINGTOP" >"$tmp/input"
for name in many again; do
	perf record -q -e cpu-clock -c $((200003 + ${#name} * 20000)) -o "$tmp/$name" -- sh -c \
		'for i in 1 2 3; do gzip -9 <"$1" | wc -c; sort -R "$1" | md5sum; done' sh "$tmp/input" >/dev/null 2>&1 9>&- ||
		fail "$name: perf does not record"
done
compare many again
expect_status 0 "several programs"
check_report
as_perf many again

rt --diff "$tmp/before" "$tmp/after"
expect_status 0 "in words"
grep -Eq '^ +-[0-9.]+ +[0-9.]+ .* share_50 +spin_shares( +share only)?$' "$out" || fail "no line of share_50: $(cat "$out")"
rt --diff "$tmp/before" "$tmp/after" --json --only share_05
[ "$(json count:total.functions.share)" = 1 ] || fail "--only has $(json count:total.functions.share) rows"
pass "in words, and what was asked for only"

perf record -q -e page-faults -c 1 -o "$tmp/faults" -- true >/dev/null 2>&1 9>&- || fail "page-faults"
compare before faults
expect_status 1 "another event"
grep -q 'no event in common' "$err" || fail "another event: $(cat "$err")"
compare before nothing
expect_status 1 "no such file"
grep -q nothing "$err" || fail "no such file: $(cat "$err")"
head -c $(($(stat -c %s "$tmp/before") / 2)) "$tmp/before" >"$tmp/half"
compare half same
expect_status 1 "half a file"
check_report
[[ $(json total.baseline.error) == *"cut off"* && $(json total.now.error) == - ]] || fail "half a file, and not a word"
grep -q "half: .*cut off" "$err" || fail "half a file: $(cat "$err")"
head -c 200 "$tmp/before" >"$tmp/broken"
compare before broken
expect_status 1 "a broken file"
[ ! -s "$out" ] || fail "a broken file: there is a report"
rt --diff "$tmp/before"
expect_status 2 "one file"
pass "what cannot be compared is said"
