#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The time line of the last hours in a directory (--keep-for): several files read as one, to the event; what a kill
# leaves is read, too, and the next run goes on beside it; the oldest goes where bytes or time are over; other files stay.
. "$(dirname "$0")/lib.sh"
need_root
need_work spin_shares
ring=$tmp/ring

files() {
	find "$ring" -name 'ringtop-*.tl' | sort
}

totals() {
	json total.events.counted total.events.attributed total.events.samples
}

rt --json -d 99 -F 999 --keep-for 1m "$ring" -- "$work/spin_shares" -s 9
expect_status 0 "kept"
check_report
[ "$(files | wc -l)" -ge 3 ] || fail "9 s of a minute in $(files | wc -l) files"
was=$(totals)
rt --json -d 99 -i "$ring"
expect_status 0 "read"
check_report
[ "$(totals)" = "$was" ] || fail "saved $was, read $(totals)"
[ -z "$(json 'all:total.log[level=warning].text')" ] || fail "warned: $(json 'all:total.log[level=warning].text')"
pass "several files read as one, to the event"

# killed with no chance to say a word
echo mine >"$ring/notes.tl"
"$RINGTOP" --text -d 1 -F 999 --keep-for 1m "$ring" -- "$work/spin_shares" -s 60 >"$tmp/killed" 2>&1 9>&- &
pid=$!
started+=("$pid")
n=$(files | wc -l)
more() {
	[ "$(files | wc -l)" -ge $((n + 3)) ]
}
wait_until 30 more || fail "no files while it runs"
kill -9 "$pid"
wait "$pid" 2>/dev/null
rt --json -d 99 -i "$ring"
expect_status 0 "after a kill"
check_report
read -r _ _ samples <<<"$(totals | tr '\n' ' ')"
read -r _ _ before <<<"$(tr '\n' ' ' <<<"$was")"
[ "$samples" -gt $((before + 100)) ] || fail "$before samples before, $samples with those of the killed one"
pass "what a kill leaves is read with what was there"

# a file that is broken is left out, and said
cut=$(files | head -n 1)
head -c 10 "$cut" >"$tmp/cut" && cp "$tmp/cut" "$cut"
rt --json -d 99 -i "$ring"
expect_status 0 "a broken file"
[[ $(json 'all:total.log.text') == *"1 files of the directory are ignored"* ]] || fail "left out without a word: $(json 'all:total.log.text')"
rt --json -d 99 -i "$ring" --at -3
expect_status 0 "--at"
read -r _ _ tail <<<"$(totals | tr '\n' ' ')"
[ "$tail" -lt "$samples" ] || fail "--at -3 has all $tail samples"
pass "a broken file is left out, --at begins later"

# time: all of it is older than a minute
files | while read -r file; do touch -d '2 minutes ago' "$file"; done
old=$(files)
rt --text -d 99 --keep-for 1m "$ring" -- true
expect_status 0 "later"
for file in $old; do
	[ ! -e "$file" ] || fail "$file is older than a minute"
done
[ "$(files | wc -l)" -ge 1 ] || fail "nothing is kept"
[ "$(cat "$ring/notes.tl")" = mine ] || fail "a file that is none of ours is gone"
pass "what is too old goes, what is none of ours stays"

# bytes: three old files of 400 KB have no place in 1 MB
for i in 1 2 3; do
	head -c 400000 /dev/zero >"$ring/ringtop-2020010${i}T000000.000000Z.tl"
done
rt --text -d 99 --keep-for 1m "$ring" --keep-bytes 1M -- true
expect_status 0 "bytes"
[ ! -e "$ring/ringtop-20200101T000000.000000Z.tl" ] || fail "more than the budget stays"
[ -e "$ring/ringtop-20200103T000000.000000Z.tl" ] || fail "the newest goes first"
bytes=$(files | xargs cat | wc -c)
[ "$bytes" -le $((1 << 20)) ] || fail "$bytes bytes"
pass "what is too much goes, the oldest first"

rt --text --keep-for 1m "$ring/notes.tl" -- touch "$tmp/ran"
expect_status 1 "no directory"
grep -q notes.tl "$err" || fail "no directory: $(cat "$err")"
rt --text --keep-for 24x "$ring" -- true
expect_status 2 "24x"
rt --text --keep-for 1s "$ring" -- true
expect_status 2 "1s"
rt --text --keep-bytes 1M -- true
expect_status 2 "--keep-bytes alone"
mkdir "$tmp/empty"
rt --text -i "$tmp/empty"
expect_status 1 "an empty directory"
pass "what cannot be is said"

# the unit's options are all systemd's, and its program and manual are where it says
if command -v systemd-analyze >/dev/null; then
	mkdir -p "$tmp/man/man1"
	cp "$(dirname "$RINGTOP")/../man/ringtop.1" "$tmp/man/man1/"
	sed "s|@bindir@/ringtop|$RINGTOP|" "$tests_dir/../src/ringtop-keep.service.in" >"$tmp/ringtop-keep.service"
	MANPATH=$tmp/man systemd-analyze verify "$tmp/ringtop-keep.service" >"$tmp/verify" 2>&1 9>&- ||
		fail "the unit: $(cat "$tmp/verify")"
	! grep -q ringtop-keep "$tmp/verify" || fail "the unit: $(cat "$tmp/verify")"
	pass "the unit is right"
fi
