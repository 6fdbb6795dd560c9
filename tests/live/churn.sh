#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Code of several files at one place within a tick: plugins that are loaded, run for a few milliseconds
# and unloaded.  What ran is told by the time of its samples, live as in the recording of the same samples.
. "$(dirname "$0")/lib.sh"
need_perf
need_work dlopen_churn

samples() {
	json "sum:total.functions[function=$1].samples"
}

both() {
	rt --json -e cpu-clock:u -F 1999 -w "$tmp/perf.data" -- "$work/dlopen_churn" -s 1.5 \
		"$work/libchurn_a.so" "$work/libchurn_b.so"
	expect_status 0 live
	check_report
	alpha=$(samples churn_alpha) beta=$(samples churn_beta)
	rt --json -i "$tmp/perf.data"
	expect_status 0 replay
	holds "$(samples churn_alpha) > 50 && $(samples churn_beta) > 50" || skip "too few samples: a busy machine"
	# what came before the first tick that knew of it may be another's
	near "$alpha" "$(samples churn_alpha)" "5 + 0.02 * ($alpha + $beta)" ||
		fail "live: churn_alpha $alpha, churn_beta $beta; replayed: $(samples churn_alpha), $(samples churn_beta)"
	near "$alpha + $beta" "$(samples churn_alpha) + $(samples churn_beta)" 2 || fail "samples are missing"
	echo "   live: churn_alpha $alpha, churn_beta $beta; replayed: $(samples churn_alpha), $(samples churn_beta)"
}

for _ in 1 2 3; do
	both
done
pass "live as replayed"
