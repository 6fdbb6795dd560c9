#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Full mode into a recording: stock perf finds every byte and decodes every branch; and where the
# writer is too slow, every byte that the kernel let in is there, and what is missing is flagged.
. "$(dirname "$0")/lib.sh"
need_vm_work ptloop spin_shares
vm_machine "-k 6.12" "-k 6.1" "-k 7"

judge=$vm_built/auxjudge.test

# Bytes of trace in the file, by perf's own reading of it.
traced() {
	perf report -D -i "$1" 2>"$kept/perf.err" | grep PERF_RECORD_AUX >"$kept/aux_records"
	sed -n 's/.*PERF_RECORD_AUXTRACE size: \(0x[0-9a-f]*\) .*/\1/p' "$kept/aux_records" |
		while read -r n; do echo $((n)); done | awk '{ n += $1 } END { printf "%d\n", n }'
}

every_byte() {
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=1000 $("$vm_work/ptloop" print) || return 1
	"$RINGTOP" -A intel_pt//u --aux-mode full -w /tmp/every_byte --json -- "$vm_work/ptloop" -s 2 >/tmp/out ||
		return 1
	softpt_stat all bytes >/tmp/written
	tail -n 1 /tmp/out >/tmp/total
	keep every_byte /tmp/every_byte && keep written /tmp/written && keep total /tmp/total
}

every_byte_found() {
	local written consumed in_file records

	command -v perf >/dev/null || unable "no perf"
	written=$(cat "$kept/written")
	consumed=$(python3 -c '
import json, sys
aux = json.load(sys.stdin)["aux"]
print(sum(a["consumed"] for a in aux), sum(a["lost_bytes"] for a in aux))' <"$kept/total")
	in_file=$(traced "$kept/every_byte")
	records=$(grep -c 'PERF_RECORD_AUX ' "$kept/aux_records")
	perf_complains "$kept/perf.err"
	echo "module $written bytes, recorded and lost $consumed, in the file $in_file, $records AUX records"
	# perf counts the padding to 8 bytes of each record.
	[ "$consumed" = "$written 0" ] && [ "$in_file" -ge "$written" ] &&
		[ "$in_file" -lt $((written + 8 * 1000)) ] && [ "$records" -gt 4 ]
}

every_branch() {
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=200 $("$vm_work/ptloop" print) || return 1
	"$RINGTOP" -A intel_pt//u --aux-mode full -w /tmp/every_branch --text -- "$vm_work/ptloop" -s 1 >/tmp/out ||
		return 1
	softpt_stat all written >/tmp/frames
	keep every_branch /tmp/every_branch && keep frames /tmp/frames
}

every_branch_decodes() {
	local frames branches errors

	command -v perf >/dev/null || unable "no perf"
	frames=$(cat "$kept/frames")
	perf script -i "$kept/every_branch" --itrace=be -F event,ip >"$kept/script" 2>"$kept/perf.err"
	errors=$(grep -c 'trace error' "$kept/script")
	# The samples of the profile are in the file, too.
	branches=$(grep -c 'branches' "$kept/script")
	perf_complains "$kept/perf.err"
	echo "$frames frames, $branches branches, $errors errors"
	[ "$frames" -gt 8 ] && [ "$errors" = 0 ] && [ "$branches" = $((frames * 1602)) ]
}

# What was taken for a file that has no room for it is told: in the file or lost, to the byte.
full_disk() {
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=1000 $("$vm_work/ptloop" print) || return 1
	mkdir -p /tmp/small
	mount -t tmpfs -o size=3m tmpfs /tmp/small || return 1
	"$RINGTOP" -a -A intel_pt//u --aux-mode full --aux-size 256k -w /tmp/small/data --json --duration 60 \
		>/tmp/out 2>/tmp/err &
	local pid=$!
	"$vm_work/ptloop" -s 60 >/dev/null &
	local loop=$!
	wait_until 60 grep -q '"state":"failed"' /tmp/out
	kill -INT $pid
	wait $pid
	local status=$?
	kill $loop
	cat /tmp/err
	tail -n 1 /tmp/out | python3 -c '
import json, sys
t = json.load(sys.stdin)
print(sum(a["consumed"] for a in t["aux"]), t["recording"]["lost_aux_bytes"])' >/tmp/told
	keep full_disk /tmp/small/data && keep told /tmp/told || return 1
	umount /tmp/small
	echo "status $status"
	[ "$status" = 1 ] && grep -q 'No space left' /tmp/err
}

full_disk_told() {
	local consumed lost traced

	command -v perf >/dev/null || unable "no perf"
	traced=$(traced "$kept/full_disk")
	read -r consumed lost <"$kept/told"
	echo "consumed $consumed, lost $lost, in the file $traced"
	# perf counts the padding to 8 bytes of each record.
	[ "$lost" -gt 0 ] && [ "$traced" -ge $((consumed - lost)) ] && [ "$traced" -lt $((consumed - lost + 8 * 1000)) ]
}

overruns() {
	local written lost out

	softpt name=softaux rate=20000 || return 1
	rm -f /tmp/data
	"$RINGTOP" -A softaux// --aux-mode full --aux-size 64k -w /tmp/data --json --duration 3 >/tmp/out || return 1
	written=$(softpt_stat all written)
	lost=$(softpt_stat all lost)
	out=$($judge file /tmp/data)
	local status=$?
	echo "$out"
	tail -n 1 /tmp/out | python3 -c '
import json, sys
aux = json.load(sys.stdin)["aux"]
total = {k: [a[k] for a in aux] for k in ("bytes", "consumed", "lost_bytes", "truncated", "restarts")}
print("module", sys.argv[1:], total)
sys.exit(not (sum(total["bytes"]) == sum(total["consumed"]) == int(sys.argv[1]) and
              sum(total["truncated"]) == int(sys.argv[2]) and all(total["restarts"]) and
              total["lost_bytes"] == [None, None]))' \
		"$(softpt_stat all bytes)" "$(softpt_stat all truncated)" || return 1
	# Many areas full are proof that it goes on.
	[ $status = 0 ] && [ "$lost" -gt 0 ] &&
		[ "$(awk '{ n += $4 } END { print n }' <<<"$out")" = "$written" ] &&
		[ "$written" -gt $((20 * 65536 / 64)) ]
}

try "a full disk ends the recording" full_disk
try_kept "a full disk: what of the trace is lost is told" full_disk_told
try "a recording of every byte" every_byte
try_kept "every byte that was written is in the recording" every_byte_found
try "a recording of a program" every_branch
try_kept "a recorded program decodes to the branch" every_branch_decodes
try "overruns while recording: goes on, what is missing is flagged" overruns
tried
