#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What -w records, stock perf and ringtop -i both count as ringtop did while it recorded: in all, by
# function, with call chains, several events, tracepoints and lost samples; and a file has its name
# only when it is whole, whatever ends the recording.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work spin_shares storm_exact
perf=${NEWER_PERF:-$(command -v perf)} || perf= # another judge: tests/vm/newer perf

shares=(share_50 share_30 share_15 share_05)

# record NAME OPTION...: by ringtop, into $tmp/NAME
record() {
	local name=$1

	shift
	rt --json -w "$tmp/$name" "$@"
	expect_status 0 "$name"
	check_report
	cp "$out" "$tmp/$name.json"
	[ "$(json total.recording.state)" = '"done"' ] || [ "$(json total.recording.state)" = done ] ||
		fail "$name: the recording is $(json total.recording.state)"
	[ -z "$(find "$tmp" -name '*.part')" ] || fail "$name: something unfinished is left"
	[ "$(json total.recording.bytes)" = "$(stat -c %s "$tmp/$name")" ] || fail "$name: bytes"
}

# The figure of the recording itself.
recorded() {
	"$jsoncheck" -p "$tmp/$name.json" "$@" 2>/dev/null
}

# perf_says OPTION...: perf's report, without a word on stderr
perf_says() {
	"$perf" report --stdio -i "$tmp/$name" -F overhead,sample,dso,sym -t '|' -g none \
		--percent-limit 0 "$@" 2>"$tmp/report.err" >"$tmp/report" || {
		cat "$tmp/report.err" >&2
		fail "$name: perf does not report"
	}
	[ ! -s "$tmp/report.err" ] || {
		cat "$tmp/report.err" >&2
		fail "$name: perf report complains"
	}
}

# perf_samples PATTERN: the sum of samples in the report's lines that match
perf_samples() {
	awk -F'|' -v pattern="$1" '!/^#/ && NF >= 4 && $0 ~ pattern { sum += $2 } END { print sum + 0 }' \
		"$tmp/report"
}

# perf_reads OPTION...: a perf command that must have nothing to complain about
perf_reads() {
	"$perf" "$@" -i "$tmp/$name" >"$tmp/read" 2>"$tmp/read.err" || {
		cat "$tmp/read.err" >&2
		fail "$name: perf $* fails"
	}
	[ ! -s "$tmp/read.err" ] || {
		cat "$tmp/read.err" >&2
		fail "$name: perf $* complains"
	}
}

# same NAME FUNCTION...: ringtop while recording, perf, and ringtop -i count alike
same() {
	name=$1
	local ours function

	shift
	ours=$(recorded 'sum:total.events.samples')
	[ "$ours" -gt 20 ] || fail "$name: only $ours samples"
	[ "$(recorded 'total.recording.samples')" = "$ours" ] ||
		fail "$name: $(recorded 'total.recording.samples') samples in the file, $ours on the screen"
	rt -i "$tmp/$name" --json
	expect_status 0 "$name replayed"
	check_report
	[ "$(json 'sum:total.events.samples')" = "$ours" ] ||
		fail "$name: $(json 'sum:total.events.samples') samples replayed, not $ours"
	for function; do
		[ "$(json "sum:total.functions[function=$function].samples")" = \
			"$(recorded "sum:total.functions[function=$function].samples")" ] ||
			fail "$name: $function differs when replayed"
	done
	[ -n "$perf" ] || return 0
	perf_says --no-children
	[ "$(perf_samples .)" = "$ours" ] || fail "$name: perf says $(perf_samples .), not $ours"
	for function; do
		[ "$(perf_samples "[]] $function *\$")" = \
			"$(recorded "sum:total.functions[function=$function].samples")" ] ||
			fail "$name: $function has $(perf_samples "[]] $function *\$") samples by perf, not \
$(recorded "sum:total.functions[function=$function].samples")"
	done
	perf_says --children
	perf_reads script
	[ "$(grep -c . "$tmp/read")" -ge "$ours" ] || fail "$name: perf script prints too little"
	perf_reads report -D
	perf_reads evlist -v
	perf_reads buildid-list
	perf_reads report --header-only
	pass "$name: $ours samples"
}

work_command=(-- "$work/spin_shares" -n 3000)

record flat -e cpu-clock -F 4000 "${work_command[@]}"
same flat "${shares[@]}"
grep -q "$work/spin_shares" "$tmp/read" || [ -z "$perf" ] || {
	perf_reads buildid-list
	grep -q "spin_shares" "$tmp/read" || fail "flat: no build-id of the program"
}
record frames -e cpu-clock -F 2000 -g "${work_command[@]}"
same frames "${shares[@]}"
record several -e cpu-clock,task-clock,page-faults,context-switches -a --duration 1.5
same several
record stacks -e cpu-clock -F 500 --call-graph dwarf "${work_command[@]}"
same stacks "${shares[@]}"

# many forks and execs: every sample has a name
record forks -e cpu-clock -F 5000 -a -- sh -c \
	'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done'
same forks

# a ring of one page: what the kernel and the recorder had no room for stands in the file
if [ -e "$(tracefs)/events/raw_syscalls/sys_enter" ]; then
	record full -m 1 -e raw_syscalls:sys_enter -- "$work/storm_exact" 300000
	name=full
	samples=$(recorded 'total.recording.samples')
	lost=$(recorded 'total.recording.lost')
	[ $((samples + lost)) = 300000 ] || fail "full: $samples samples and $lost lost of 300000"
	rt -i "$tmp/full" --json
	expect_status 0 "full replayed"
	[ "$(json 'sum:total.events.samples')" = "$samples" ] || fail "full: samples replayed"
	[ "$(json 'total.events[0].lost_samples.full')" = "$lost" ] ||
		fail "full: $(json 'total.events[0].lost_samples.full') lost replayed, not $lost"
	if [ -n "$perf" ]; then
		"$perf" report --stdio -i "$tmp/full" >"$tmp/report" 2>"$tmp/report.err"
		grep -q "^# Total Lost Samples: $lost\$" "$tmp/report" || fail "full: perf says \
$(grep 'Total Lost' "$tmp/report")"
		if grep "out of order" "$tmp/report.err"; then
			fail "full: perf finds records out of order"
		fi
		"$perf" script -i "$tmp/full" 2>/dev/null | grep -q "sys_enter: NR " || fail "full: perf script prints no fields"
	fi
	pass "full: $samples samples and $lost lost of 300000"
fi

# what is there already is kept, and what is no file is left alone
echo old >"$tmp/twice"
record twice -e cpu-clock "${work_command[@]}"
[ "$(cat "$tmp/twice.old")" = old ] || fail "twice: the old file is gone"
echo precious >"$tmp/kept"
rt --json -w "$tmp/kept" -- "$tmp/no_such_command"
expect_status 1 "no such command"
[ "$(cat "$tmp/kept")" = precious ] && [ "$(ls "$tmp"/kept*)" = "$tmp/kept" ] ||
	fail "what never began has taken a file's place: $(ls "$tmp"/kept*)"
rt --json -w "$tmp" --duration 0.1
expect_status 2 "a directory"
rt --json -w "$tmp/none/file" --duration 0.1
expect_status 1 "no directory"
pass "names"

# SIGTERM ends it well; SIGKILL leaves nothing under its name, and what can still be read
rt_start -w "$tmp/ended" -e cpu-clock -F 1000
rt_signal TERM
expect_status 0 "SIGTERM"
[ "$(json total.recording.state)" = done ] || fail "SIGTERM: $(json total.recording.state)"
name=ended
[ -z "$perf" ] || perf_says
grown() {
	[ "$(stat -c %s "$tmp"/killed.*.part)" -gt 20000 ]
}
rt_start -w "$tmp/killed" -e cpu-clock -F 4000
wait_until 10 grown || fail "nothing is written while it records"
kill -KILL "$rt_pid"
wait "$rt_pid" 2>/dev/null
[ ! -e "$tmp/killed" ] || fail "half a file has the whole one's name"
rt -i "$tmp"/killed.*.part --json
[ "$(json 'sum:total.events.samples')" -gt 0 ] || fail "nothing of a killed recording can be read"
rm "$tmp"/killed.*.part
pass "SIGTERM and SIGKILL"

# a full disk ends the recording, not ringtop, and the file is good up to there
mkdir "$tmp/disk"
if mount -t tmpfs -o size=4m tmpfs "$tmp/disk" 2>/dev/null; then
	on_exit "umount '$tmp/disk'"
	rt --json -w "$tmp/disk/file" -e raw_syscalls:sys_enter -- "$work/storm_exact" 300000
	expect_status 1 "a full disk"
	has_text "$err" "No space left" || fail "a full disk is not told"
	[ "$(json total.recording.state)" = failed ] || fail "a full disk: $(json total.recording.state)"
	samples=$(json total.recording.samples)
	[ "$samples" -gt 1000 ] || fail "a full disk: $samples samples"
	rt -i "$tmp/disk/file" --json
	expect_status 0 "what fitted"
	[ "$(json 'sum:total.events.samples')" = "$samples" ] || fail "a full disk: samples"
	cp "$tmp/disk/file" "$tmp/fitted"
	name=fitted
	[ -z "$perf" ] || perf_says
	rm "$tmp/disk/file"
	head -c 3900000 /dev/zero >"$tmp/disk/zeros"
	rt --json -w "$tmp/disk/file" --duration 0.1
	expect_status 1 "no room from the start"
	[ "$(ls "$tmp/disk")" = zeros ] || fail "no room from the start: something is left"
	pass "a full disk: $samples samples fitted"
fi
