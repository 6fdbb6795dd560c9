#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program whose functions take 50, 30, 15 and 5 % of the time is shown with these shares, within
# five standard deviations of that many samples and one per cent for the loops themselves.
# KNOWN_SHARES_LEAST: how much of all the program's functions must have (0.9): an emulated machine of
# many CPUs is busy with itself.  KNOWN_SHARES_WORK: how long it runs (-s 1.5), or how many turns
# (-n 1500), where a second may be anything.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_shares

# shellcheck disable=SC2086 # options are words
rt --json -d 0.5 -e cpu-clock -F 1999 -- "$work/spin_shares" ${KNOWN_SHARES_WORK:--s 1.5}
expect_status 0 "known shares"
check_report
sum=$(json 'sum:total.functions[function~share_].samples')
all=$(json 'total.events[0].samples')
holds "$sum > 500" || fail "only $sum samples of ${KNOWN_SHARES_WORK:-1.5 s} at 1999 Hz"
holds "$sum > ${KNOWN_SHARES_LEAST:-0.9} * $all" || fail "only $sum of $all samples are in the program's functions"
for percent in 50 30 15 05; do
	samples=$(json "sum:total.functions[function=share_$percent].samples")
	self=$(json "sum:total.functions[function=share_$percent].self")
	near "$samples / $sum" "$percent / 100" \
		"5 * sqrt($percent / 100 * (1 - $percent / 100) / $sum) + 0.01" ||
		fail "share_$percent has $samples of $sum samples"
	near "$self" "$samples / $all" 0.02 ||
		fail "share_$percent: self is $self, samples say $samples of $all"
	pass "share_$percent: $samples of $sum samples"
done
