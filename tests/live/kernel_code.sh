#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two BPF programs in turn, one in the place of the other, loaded by a process that is not measured and run by one that
# is: each is shown by its name, with half of the time, live and in the recording that is made meanwhile.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
[ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)" = 1 ] || skip "BPF programs are not compiled here"
grep -qv '^0* ' /proc/kallsyms || skip "the kernel hides its addresses"
need_work bpfturns

work_start "$work/bpfturns" 30 10
work_ready
rt_start -F 1999 -w "$tmp/turns.data" -p "$(truth pid)"
go
wait "$work_pid" || {
	[ $? = 77 ] && skip "$(tail -n 1 "$tmp/work.err")"
	fail "the workload failed: $(tail -n 1 "$tmp/work.err")"
}
wait_until 10 gone "$rt_pid" || fail "ringtop does not end with what it measures"
wait "$rt_pid"
rt_status=$?
expect_status 0 "programs in turn"
check_report
# where the kernel puts them is its own affair: their names are judged either way
echo "   $(truth overlaps) of $(truth turns) programs stood where the other had been"

# shares WHERE: what of the samples in programs is whose; each had half of 0.6 s
shares() {
	local alpha beta all

	alpha=$(json 'sum:total.functions[function~_turn_alpha].samples')
	beta=$(json 'sum:total.functions[function~_turn_beta].samples')
	all=$(json 'sum:total.functions[object=[bpf]].samples')
	holds "$all > 300" || fail "$1: only $all samples in programs"
	holds "$alpha > 0.35 * $all && $beta > 0.35 * $all" ||
		fail "$1: turn_alpha has $alpha of $all samples, turn_beta $beta, not half each"
	pass "$1: turn_alpha $alpha, turn_beta $beta of $all samples"
}

shares live
rt --json -i "$tmp/turns.data"
expect_status 0 "the recording"
shares recorded
