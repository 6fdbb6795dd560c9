#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# -g beside a program with frame pointers and one without: after a while both have whole paths, the one still by the
# kernel's chain, the other by copies of its stacks, within a budget that is told; the account holds over the change.
# With --call-graph fp, and where the budget is too small, nothing is copied.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
. "$(dirname "$0")/far.sh"
need_perf
[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
need_work spin_nofp spin_paths spin_rbp

"$work/spin_nofp" -s 600 >/dev/null 2>&1 9>&- &
short=$!
"$work/spin_paths" -s 600 >/dev/null 2>&1 9>&- &
whole=$!
started+=("$short" "$whole")

# at_least PART PATTERN: of the last interval
at_least() {
	local all

	all=$(json 'last.events[0].attributed')
	[ "${all:--}" != - ] && holds "$(json "sum:last.paths[path~$2].weight") > $1 * $all"
}

what="both programs"
rt_launch --paths -g -e cpu-clock -F 999 -p "$short,$whole" -d 1
both_whole() {
	at_least 0.9 ';main;path_' && at_least 0.2 '_start;__libc_start_main' &&
		holds "$(json 'last.call_paths.bytes_per_second') > 100000"
}
wait_until 40 both_whole || fail "$what: of $(json 'last.events[0].attributed') only \
$(json 'sum:last.paths[path~;main;path_].weight') come from main"
rt_stop
check_report
# The outermost frames are beyond what frame pointers find: by these the paths are told apart.
[ "$(json 'last.call_paths.stack_bytes')" = 8192 ] || fail "$what: $(json 'last.call_paths.stack_bytes') bytes are copied"
[ "$(json 'last.call_paths.shallow')" = spin_nofp ] || fail "$what: shallow is $(json 'last.call_paths.shallow')"
holds "$(json 'last.call_paths.bytes_per_second') < $(json 'last.call_paths.budget')" || fail "$what: beyond the budget"
holds "$(json 'total.call_paths.chained') > 50" || fail "$what: stacks are unwound that frame pointers lead through"
holds "$(json 'total.unwind.samples') > 50" || fail "$what: $(json 'total.unwind.samples') are unwound"
[ "$(json 'header.call_graph')" = auto ] || fail "$what: the header says $(json 'header.call_graph')"
json 'all:total.log.text' | grep -q 'end after one function, or lead to no code, in spin_nofp.*copied' || fail "$what: the log does not say why"
[ "$(json 'total.events[0].lost.unknown')" = 0 ] || fail "$what: a loss has no cause"
counted=$(json 'total.events[0].counted')
attributed=$(json 'total.events[0].attributed')
rest=$(($(json 'sum:total.events[0].lost') + $(json 'total.events[0].pending')))
near "$attributed + $rest" "$counted" 10000000 || fail "$what: $attributed and $rest of $counted"
pass "$what have whole paths: $attributed of $counted attributed, $(json 'last.call_paths.bytes_per_second') bytes/s"

what="rbp used for something else"
"$work/spin_rbp" -s 600 >/dev/null 2>&1 9>&- &
astray=$!
started+=("$astray")
rt_launch --paths -g -e cpu-clock -F 999 -p "$astray" -d 1
all_whole() {
	at_least 0.9 ';main;path_' && at_least 0.1 ';path_walk;path_mix'
}
wait_until 40 all_whole || fail "$what: of $(json 'last.events[0].attributed') only \
$(json 'sum:last.paths[path~;main;path_].weight') come from main"
rt_stop
[ "$(json 'last.call_paths.shallow')" = spin_rbp ] || fail "$what: shallow is $(json 'last.call_paths.shallow')"
# A word of a hash is nobody's caller, also where nothing is copied.
rt --json --paths --call-graph fp -e cpu-clock -F 999 -p "$astray" -d 1 -n 3
kill "$astray"
# The stack has its callers, beyond which frame pointers lead nowhere.
at_least 0.1 '[truncated];main;path_emit;path_walk;path_walk;path_walk;path_mix' ||
	fail "$what: $(json 'sum:last.paths[path~path_mix].weight') in path_mix, but not [truncated] beyond main"
at_least 0.1 ';main;path_' || fail "$what: no path comes from main"
at_least 0 '0xe9b5dba5b5c0fbcd' && fail "$what: it is a caller"
pass "$what: paths that lead to no code are unwound, or end"

what="a snapshot meanwhile"
if command -v perf >/dev/null; then
	mkfifo "$tmp/orders"
	exec 5<>"$tmp/orders"
	rt_launch -g -e cpu-clock -F 999 -p "$short,$whole" -d 1 --control "$tmp/orders" --snapshot-dir "$tmp"
	is_copied() {
		[ "$(json 'last.call_paths.stack_bytes')" = 8192 ] && holds "$(json 'last.call_paths.bytes_per_second') > 100000"
	}
	wait_until 40 is_copied || fail "$what: no stacks are copied"
	echo snapshot >&5
	has_snapshot() {
		snapshot=$(find "$tmp" -name 'ringtop-snapshot-*.data')
		[ -n "$snapshot" ]
	}
	wait_until 20 has_snapshot || fail "$what: there is none"
	rt_stop
	# Both were there before: of their files it must say where unwind information is.
	for name in spin_nofp spin_paths; do
		main=$(perf report --stdio -i "$snapshot" --comm $name --children --no-inline -g none 2>/dev/null |
			awk '$NF == "main" { print $1 + 0 }')
		all=$(perf report --stdio -i "$snapshot" --comm $name --no-children --no-inline -g none 2>/dev/null |
			awk '/%/ { n += $1 } END { print n + 0 }')
		holds "${main:-0} > 0.9 * $all && $all > 0" || fail "$what: perf gives main ${main:-nothing} of $all of $name"
	done
	pass "$what: perf has whole paths of both"
fi

what="on another machine"
far_shell
rt_launch --paths -H there --ssh "$far_shell" -g -e cpu-clock -F 999 -p "$short,$whole" -d 1
wait_until 40 both_whole || fail "$what: of $(json 'last.events[0].attributed') only \
$(json 'sum:last.paths[path~;main;path_].weight') come from main; $(json 'last.call_paths.bytes_per_second') bytes/s"
rt_stop
check_report
[ "$(json 'last.call_paths.shallow')" = spin_nofp ] || fail "$what: shallow is $(json 'last.call_paths.shallow')"
pass "$what both have whole paths, too"

what="fp"
rt --json --paths --call-graph fp -e cpu-clock -F 999 -p "$short,$whole" -d 1 -n 4
expect_status 0 "$what"
check_report
[ "$(json 'total.call_paths')$(json 'total.unwind.stack_bytes')" = -0 ] || fail "$what: stacks are copied"
holds "$(json 'total.unwind.samples') == 0 && $(json 'total.unwind.proved') > 0" || fail "$what: they are unwound"
holds "$(json 'sum:last.paths[path~_start;].weight') == 0" || fail "$what: paths are unwound"
pass "$what: nothing changes"

what="a budget that is too small"
rt --json --paths --call-graph auto,100k -e cpu-clock -F 999 -p "$short,$whole" -d 1 -n 4
expect_status 0 "$what"
check_report
[ "$(json 'total.call_paths.stack_bytes')" = 0 ] || fail "$what: $(json 'total.call_paths.stack_bytes') bytes are copied"
[ "$(json 'total.call_paths.budget')" = 102400 ] || fail "$what: it is $(json 'total.call_paths.budget')"
json 'all:total.log.text' | grep -q 'more than 100K: --call-graph auto,BYTES' || fail "$what: the log does not say so"
pass "$what: frame pointers alone, and it is said"

what="on the screen"
open_screen Functions -p "$short" -e cpu-clock -g
command_line 'window all'
keys 3
wait_until 30 has_text "$tmp/screen" 'copies of stacks for spin_nofp' || fail "$what: Tree does not say it"
keys 6
wait_until 20 has_text "$tmp/screen" 'auto: copies of 8192 bytes' || fail "$what: Buffers do not say it"
keys C
has_event() {
	report events.json
	json "all:total.events[name=$1].rates.on" | tail -n 1 | grep -q true
}
wait_until 20 has_event cpu-clock/call-graph=dwarf/ || fail "$what: C does not copy all stacks"
command_line "call-graph auto"
wait_until 20 has_event cpu-clock/call-graph=auto/ || fail "$what: there is no way back"
command_line quit
wait_until 10 gone "$screen" || fail "it does not end"
pass "$what: what is copied, and key C"
