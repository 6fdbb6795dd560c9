#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frame pointers alone skip the caller of a function that keeps none.  Of a program whose every such function has one
# caller, all samples have it: with fp, with auto, which copies stacks for one of them, as with dwarf, and over -H.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/far.sh"
need_perf
[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
need_work spin_leaf

# callers WHAT: each function has its own caller, and nobody is called by run_calls but these
callers() {
	local name all skipped

	for name in copy set length clock kernel tiny bare; do
		all=$(json "sum:total.paths[path~;main;run_calls;call_$name].samples")
		holds "${all:-0} > 30" || fail "$1: only $all samples in call_$name"
	done
	for name in copy:__mem set:__mem length:__str clock:clock_gettime kernel:__GI___getppid bare:leaf_bare; do
		all=$(json "sum:total.paths[path~;call_${name%:*};${name#*:}].samples")
		holds "${all:-0} > 20" || fail "$1: only $all samples on ;call_${name%:*};${name#*:}"
	done
	all=$(json 'sum:total.paths[path~;main;run_calls;].samples')
	skipped=$((all - $(json 'sum:total.paths[path~;main;run_calls;call_].samples')))
	holds "$skipped * 1000 <= $all" || {
		json 'all:total.paths.path' | grep ';run_calls;' | grep -v ';run_calls;call_' >&2
		fail "$1: the caller of $skipped of $all samples is missing"
	}
	pass "$1: $all samples, $skipped of them without their caller"
}

for mode in fp auto dwarf,32768; do
	rt --json --paths --call-graph "$mode" -e cpu-clock -F 2999 -d 1 -- "$work/spin_leaf" -n 6000
	expect_status 0 "$mode"
	check_report
	callers "$mode"
	[ $mode = fp ] || continue
	# What leaf_bare has in the register leads nowhere: its callers end where the piece of the stack does.
	bare=$(json 'sum:total.paths[path~;call_bare;leaf_bare].samples')
	proved=$(json 'total.unwind.proved')
	inserted=$(json 'total.unwind.inserted')
	unproved=$(json 'total.unwind.unproved')
	# ld.so's first instructions have no unwind information.
	holds "$unproved >= $bare && 200 * ($unproved - $bare) <= $proved" || fail "$mode: $unproved samples are not proved, $proved are, $bare are in leaf_bare"
	holds "3 * $inserted > $proved && $inserted <= $proved" || fail "$mode: $inserted of $proved samples lacked a caller"
	[ "$(json 'total.unwind.stack_bytes')" = 0 ] || fail "$mode: whole stacks are copied"
	pass "$mode: $proved samples proved, $inserted with callers put in, $unproved not proved"
done

far_shell
rt --json --paths -H there --ssh "$far_shell" -g -e cpu-clock -F 2999 -d 1 -- "$work/spin_leaf" -n 6000
expect_status 0 "on another machine"
check_report
callers "on another machine"
holds "$(json 'total.unwind.inserted') > 100" || fail "on another machine: $(json 'total.unwind.inserted') are told"
