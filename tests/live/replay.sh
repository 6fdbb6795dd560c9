#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stock perf recorded, replayed, has the samples that `perf report` counts: in all, in every
# function, and with what was lost; and a file that is cut off says where.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_stock_perf
need_work spin_shares storm_exact

# record NAME OPTION... [-- COMMAND]: by perf, into $tmp/NAME
record() {
	local name=$1

	shift
	perf record -q -o "$tmp/$name" "$@" >"$tmp/record" 2>&1 9>&- || {
		cat "$tmp/record" >&2
		fail "$name: perf does not record"
	}
}

# reported NAME: events, samples, objects and functions as perf counts them
reported() {
	perf report --stdio -i "$tmp/$1" -F overhead,sample,dso,sym -t '|' --no-children -g none \
		--percent-limit 0 2>"$tmp/report.err" >"$tmp/report" ||
		perf report --stdio -i "$tmp/$1" -F overhead,sample,dso,sym -t '|' \
			2>"$tmp/report.err" >"$tmp/report" || {
		cat "$tmp/report.err" >&2
		fail "$1: perf does not report"
	}
}

# perf_samples PATTERN: the sum of samples in the report's lines that match
perf_samples() {
	awk -F'|' -v pattern="$1" '!/^#/ && NF >= 4 && $0 ~ pattern { sum += $2 } END { print sum + 0 }' \
		"$tmp/report"
}

replay() {
	rt -i "$tmp/$1" --json
	expect_status 0 "$1"
	check_report
}

# same NAME FUNCTION...: all samples, and those of the functions
same() {
	local name=$1 ours theirs function

	shift
	replay "$name"
	reported "$name"
	ours=$(json 'sum:total.events.samples')
	theirs=$(perf_samples .)
	[ "$theirs" -gt 0 ] || fail "$name: perf reports nothing"
	[ "$ours" = "$theirs" ] || fail "$name: $ours samples, perf says $theirs"
	[ "$(json 'header.live')" = false ] || fail "$name: a file is not live"
	for function; do
		ours=$(json "sum:total.functions[function=$function].samples")
		theirs=$(perf_samples "[]] $function *\$")
		[ "$theirs" -gt 0 ] || fail "$name: perf knows no $function"
		[ "$ours" = "$theirs" ] || fail "$name: $function has $ours samples, perf says $theirs"
	done
	pass "$name: as perf reports, $(json 'sum:total.events.samples') samples"
}

shares=(share_50 share_30 share_15 share_05)
work_command=(-- "$work/spin_shares" -s 0.6)

record flat -e cpu-clock -F 4000 "${work_command[@]}"
same flat "${shares[@]}"
record frames -e cpu-clock -F 2000 -g "${work_command[@]}"
same frames "${shares[@]}"
record dwarf -e cpu-clock -F 500 --call-graph dwarf "${work_command[@]}"
same dwarf "${shares[@]}"
record several -a -e cpu-clock,task-clock,page-faults,context-switches "${work_command[@]}"
same several
if perf record -q -z -e cpu-clock -o "$tmp/probe" -- true >/dev/null 2>&1; then
	record compressed -z -e cpu-clock -F 4000 -g "${work_command[@]}"
	same compressed "${shares[@]}"
fi
perf record -q -e cpu-clock -F 4000 -o - "${work_command[@]}" 2>/dev/null 9>&- | cat >"$tmp/stream"
same stream "${shares[@]}"

# each sample with bytes of its own, compressed, and chains beside them
if [ -e /sys/kernel/tracing/events/sched/sched_switch ]; then
	record raw -e sched:sched_switch,cpu-clock -g --raw-samples "${work_command[@]}"
	same raw
	if perf record -q -z -e cpu-clock -o "$tmp/probe" -- true >/dev/null 2>&1; then
		record raw_compressed -z -a -e raw_syscalls:sys_enter,sched:sched_switch -R \
			"${work_command[@]}"
		same raw_compressed
	fi
fi

# generated code, with the objects that perf makes of it
if command -v node >/dev/null; then
	record dumped -k mono -F 2000 -e cpu-clock -- sh -c 'cd "$0" && exec node --perf-prof "$1" 1000' \
		"$tmp" "$tests_dir/work/jit_hot.js"
	if perf inject -j -i "$tmp/dumped" -o "$tmp/injected" 2>"$tmp/inject"; then
		same injected
	else
		echo "# injected: perf cannot: $(tail -n 1 "$tmp/inject")"
	fi
fi

# many forks and execs: every sample by the maps of its time
record forks -a -F 5000 -e cpu-clock -- sh -c 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done'
same forks

if [ -e /sys/kernel/tracing/events/raw_syscalls/sys_enter ]; then
	record full -m 1 -e raw_syscalls:sys_enter -- "$work/storm_exact" 300000
	same full
	lost=$(sed -n 's/^# Total Lost Samples: //p' "$tmp/report")
	told=$(json 'total.events[0].lost_samples')
	# perf before 6.1 does not write what the events lost, only what the rings did
	[ -z "$lost" ] || [ "$lost" = 0 ] || [ "$told" = "$lost" ] ||
		fail "full: $told samples lost, perf says $lost"
	pass "full: $told lost, $(json 'total.events[0].samples') samples"
fi

size=$(stat -c %s "$tmp/flat")
head -c $((size * 2 / 3)) "$tmp/flat" >"$tmp/cut"
rt -i "$tmp/cut" --json
expect_status 1 "a file that is cut off"
has_text "$err" "cut off at offset [0-9]" || fail "a file that is cut off: no offset is told"
[ "$(json 'sum:total.events.samples')" -gt 100 ] || fail "a file that is cut off: nothing was kept"
pass "cut off: $(json 'sum:total.events.samples') samples kept"

rt -i /bin/sh --json
expect_status 1 "a file of another kind"
rt -i "$tmp/none" --json
expect_status 1 "no file"
rt -i "$tmp/flat" -p 1
expect_status 2 "a file and a target"
