#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Snapshots of AUX areas: the files by softpt as intel_pt, read by stock perf in the same machine
# to the branch, without an error; many in a row; and what ringtop tells of them.
. "$(dirname "$0")/lib.sh"
need_vm_work ptloop
vm_machine "-k 6.12" "-k 6.1" "-k 7"

out=/tmp/report
dir=/tmp/snapshots

has() {
	[ "$(grep -o "$1" $out | sort -u | wc -l)" -ge "$2" ]
}

written() {
	has '"number":[0-9]*,"kind":"aux","state":"written"' "$1"
}

end() {
	kill -INT "$rt" 2>/dev/null
	wait "$rt"
}

# One snapshot of ptloop's trace; what it leaves is $out, $dir and, still running, ringtop.
ptloop_snapshot() {
	rm -rf $dir && mkdir $dir
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=200 $("$vm_work/ptloop" print) || return 1
	"$vm_work/ptloop" -s 600 >/dev/null &
	loop=$!
	$RINGTOP --json -a -d 0.5 -A intel_pt//u --aux-size 64k --snapshot-dir $dir >$out 2>/tmp/err &
	rt=$!
	wait_until 30 has '"type":"interval"' 1 || {
		cat /tmp/err
		return 1
	}
	wait_until 30 softpt_traces || return 1
	kill -STOP $loop # who writes and decodes needs the one CPU that emulates all
	kill -USR2 $rt
	wait_until 30 written 1 || {
		tail -n 2 $out
		return 1
	}
	kill -KILL $loop
}

# Whole frames, no error.
perf_decodes() {
	local errors branches

	command -v perf >/dev/null || unable "no perf"
	perf script -i "$kept/data" --itrace=be -F ip >"$kept/script" 2>"$kept/perf.err"
	errors=$(grep -c error "$kept/script")
	branches=$(($(wc -l <"$kept/script") - errors))
	echo "$branches branches, $errors errors"
	[ "$errors" = 0 ] && ! perf_complains "$kept/perf.err" && [ "$branches" -gt 1600 ]
}

softpt_traces() {
	[ "$(softpt_stat all written)" -gt 20 ]
}

# The snapshot, and what ringtop itself says of it: nothing but the loop and its leaf ran, and for all the time.
answers() {
	local report

	ptloop_snapshot || return 1
	wait_until 60 has '"pt":{' 1 || return 1
	end
	keep data "$(ls $dir/*-1.data)"
	grep -o '"snapshots":\[{[^]]*' $out | tail -n 1
	report=$(grep -o '"pt":{.*"stretches":\[[^]]*\]' $out)
	echo "$report"
	grep -q '"function":"pt_loop","object":"[^"]*ptloop","comm":"ptloop"' <<<"$report" &&
		grep -q '"function":"pt_leaf"' <<<"$report" &&
		[ "$(grep -o '"function":"pt_[a-z]*"' <<<"$report" | wc -l)" = "$(grep -o '"function":' <<<"$report" | wc -l)" ]
}

try "a snapshot, and what ran, by ringtop itself" answers
try_kept "a snapshot that perf decodes" perf_decodes
tried
