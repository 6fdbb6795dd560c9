#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Short-lived programs by the thousand keep their names: at most 0.5 % of the samples of the storm
# stay without one, its functions are found in both kinds of programs, and nothing is unaccounted
# for.
. "$(dirname "$0")/lib.sh"
need_perf
need_work storm_fork tiny

rt --json -d 0.5 -e cpu-clock -F 4999 -- "$work/storm_fork" -s 2 -r 1500 -- \
	"$work/tiny_static,$work/tiny_pie" 200000
expect_status 0 "fork storm"
check_report
all=$(json 'total.events[0].samples')
nameless=$(($(json 'sum:total.functions[function~[0x].samples') + $(json 'sum:total.functions[function~+0x].samples')))
holds "$all > 1000" || fail "only $all samples"
holds "$nameless <= 0.005 * $all" || fail "$nameless of $all samples have no name"
for function in tiny_static_work tiny_pie_work; do
	samples=$(json "sum:total.functions[function=$function].samples")
	holds "$samples > 0.05 * $all" || fail "$function has only $samples of $all samples"
done
pass "$nameless of $all samples without a name"
