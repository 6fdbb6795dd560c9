#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --call-graph dwarf on programs without frame pointers: known shares, and paths over exceptions,
# signals, the vdso and a stack deeper than its copy; every interval's account holds, and with a
# fixed period nothing is missing in the end.
. "$(dirname "$0")/lib.sh"
need_perf
[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
need_work spin_nofp unwind_cases storm_exact

rt --json --paths --call-graph dwarf -d 0.3 -e cpu-clock -F 1999 -- "$work/spin_nofp" -s 1.5
expect_status 0 "shares"
check_report
all=$(json 'sum:total.paths[path~;main;path_].weight')
samples=$(json 'sum:total.paths[path~;main;path_].samples')
holds "${samples:-0} > 200" || fail "only $samples samples with a path from main, in 1.5 s at 1999 Hz"
attributed=$(json 'total.events[0].attributed')
while read -r name percent; do
	total=$(json "sum:total.functions[function=$name].total")
	near "$total * $attributed / $all" "$percent / 100" \
		"5 * sqrt($percent / 100 * (1 - $percent / 100) / $samples) + 0.01" ||
		fail "$name: total $total, not $percent %"
	pass "$name: $percent % expected of $samples samples, total $total"
done <<-END
	path_parse 60
	path_emit 40
	path_lex 50
	path_walk 30
END
# A sample in execve has the old program's registers and the new one's maps; ld.so's _start has no unwind information.
holds "200 * $(json 'total.unwind.ends.broken') <= $(json 'total.unwind.samples')" ||
	fail "shares: $(json 'total.unwind.ends.broken') of $(json 'total.unwind.samples') paths are broken"
[ "$(json 'total.unwind.waiting')" = 0 ] || fail "shares: not all was unwound in the end"
[ "$(json 'header.call_graph')" = "dwarf, 8192 bytes" ] || fail "the call graph's kind is not told"

# by_case NAME PATTERN OPTION...: nine samples of ten of the case's stand on such a path
by_case() {
	local name=$1 pattern=$2 right all

	shift 2
	rt --json --paths -e cpu-clock -F 999 "$@" -- "$work/unwind_cases" "$name" 0.3
	expect_status 0 "$name"
	check_report
	right=$(json "sum:total.paths[path~$pattern].samples")
	all=$(json 'sum:total.paths[path~case_].samples')
	holds "${all:-0} > 40" || fail "$name: only $all samples"
	holds "$right / $all > 0.9" || {
		json 'all:total.paths.path' | sort | uniq -c | sort -rn | head -5 >&2
		fail "$name: $right of $all samples on a path ...$pattern..."
	}
	pass "$name: $right of $all samples on a path ...$pattern..."
}

four='level<long>::run;level<long>::run;level<long>::run;level<long>::run'
by_case cxx "$four;case_hot" --call-graph dwarf
by_case recurse ';main;case_recurse;recurse;recurse' --call-graph dwarf
by_case signal ';main;case_signal;' --call-graph dwarf
[ "$(json 'sum:total.paths[path~on_signal;case_hot].samples')" -gt 30 ] ||
	fail "signal: the handler is on no path"
by_case vdso ';main;case_vdso;' --call-graph dwarf
by_case alloca ';main;case_alloca;case_hot' --call-graph dwarf
by_case deep '[truncated];deep;deep' --call-graph dwarf
cut=$(($(json 'total.unwind.ends.truncated') + $(json 'total.unwind.ends.limit') +
	$(json 'total.unwind.dropped')))
[ "$(json 'sum:total.paths[path~truncated].samples')" = "$cut" ] ||
	fail "deep: not all truncated paths say so"
# its own stack has an end, too, and the one it was called on is not in the copy
by_case alt '[truncated];' --call-graph dwarf

# The caller of vfork is known while its return address is in a register: each call is a sample.
if [ -e /sys/kernel/tracing/events/syscalls/sys_enter_vfork ]; then
	rt --json --paths -e syscalls:sys_enter_vfork -c 1 --call-graph dwarf -m 16M -- "$work/unwind_cases" child 0.1
	expect_status 0 "child"
	check_report
	all=$(json 'total.events[0].attributed')
	held=$(json 'sum:total.paths[path~;main;case_child;].samples')
	[ "$held" = "$all" ] && [ "$held" -gt 1 ] && [ "$(json 'total.unwind.ends.broken')" = 0 ] || {
		json 'all:total.paths.path' | head -5 >&2
		fail "child: $held of $all calls of vfork are below their caller, $(json 'total.unwind.ends.broken') are broken"
	}
	pass "child: all $all calls of vfork are below their caller"
fi

# What is recorded meanwhile has all that perf needs to unwind it, too.
if command -v perf >/dev/null; then
	rt --json --call-graph dwarf -e cpu-clock -F 999 -w "$tmp/own" -- "$work/spin_nofp" -s 0.8
	expect_status 0 "recorded"
	main=$(perf report --stdio -i "$tmp/own" --children --no-inline -g none 2>"$tmp/report.err" |
		awk '$NF == "main" { print $1 + 0 }')
	holds "${main:-0} > 80" || fail "recorded: perf gives main ${main:-nothing}, not all"
	pass "recorded: perf gives main $main %"
fi

# Every event is a sample: each that did not get lost on its way here is in a row, by its leaf if its copy
# found no room.
if [ -e /sys/kernel/tracing/events/raw_syscalls/sys_enter ]; then
	rt --json -d 0.2 --call-graph dwarf,1024 -m 16M -e raw_syscalls:sys_enter -c 1 -- \
		"$work/storm_exact" 20000
	expect_status 0 "exact"
	check_report
	lost=$(json 'sum:total.events[0].lost')
	holds "$(json 'total.events[0].attributed') + $lost == $(json 'total.events[0].counted')" ||
		fail "exact: $(json 'total.events[0].attributed') attributed and $lost lost of \
$(json 'total.events[0].counted')"
	[ "$(json 'total.events[0].pending')" = 0 ] || fail "exact: something is pending in the end"
	[ "$(json 'total.events[0].lost.unknown')" = 0 ] || fail "exact: a loss has no cause"
	[ "$(json 'total.events[0].lost_samples.dropped')" = 0 ] ||
		fail "exact: $(json 'total.events[0].lost_samples.dropped') samples are in no row"
	pass "exact: $(json 'total.events[0].counted') counted, $(json 'total.events[0].attributed') \
attributed, $lost lost"
fi

rt --json --call-graph lbr -e cpu-clock -- true
expect_status 1 "branch records of a software event"
has_text "$err" "dwarf" || fail "lbr: what to use instead is not told"
rt --text -d 5 -g -e cpu-clock -F 1999 -- "$work/spin_nofp" -s 3
expect_status 0 "no frame pointers"
has_text "$out" "end after one function.*spin_nofp" || fail "missing frame pointers are not told"
pass "missing frame pointers are told"
