#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The module itself, judged by stock perf: as intel_pt it makes a stream that perf decodes to the
# branch, in which nothing is an error.
. "$(dirname "$0")/lib.sh"
need_vm_work ptloop
vm_machine "-k 6.1" "-k 6.12" "-k 7"

stream() {
	command -v perf >/dev/null || unable "no perf"
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=100 $("$vm_work/ptloop" print) || return 1
	perf record -q -e intel_pt//u -o /tmp/data "$vm_work/ptloop" -s 1 || return 1
	softpt_stat all written >/tmp/frames
	keep data /tmp/data && keep frames /tmp/frames && [ "$(softpt_stat all lost)" = 0 ]
}

# A frame of the default 200 rounds is 1600 branches, its begin and its end.
decodes_exactly() {
	local frames branches errors

	frames=$(cat "$kept/frames")
	perf script -i "$kept/data" --itrace=be -F ip >"$kept/script" 2>/dev/null
	errors=$(grep -c error "$kept/script")
	branches=$(($(wc -l <"$kept/script") - errors))
	echo "$frames frames, $branches branches, $errors errors"
	[ "$frames" -gt 20 ] && [ "$errors" = 0 ] && [ "$branches" = $((frames * 1602)) ]
}

try "a stream with nothing lost" stream
try_kept "a stream that perf decodes, to the branch" decodes_exactly
tried
