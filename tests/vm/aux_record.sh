#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Full mode into a recording: stock perf finds every byte and decodes every branch; and where the
# writer is too slow, every byte that the kernel let in is there, and what is missing is flagged.
. "$(dirname "$0")/lib.sh"
need_vm_work ptloop spin_shares
judge=${AUXJUDGE:-$PWD/tests/live/auxjudge.test}
in_machine || cp "$judge" "$vm_work/auxjudge" || exit 1
vm_machine "-k 6.12" "-k 6.1" "-k 7"

judge=/tmp/work/auxjudge

# Bytes of trace in the file, by perf's own reading of it.
traced() {
	perf report -D -i "$1" 2>/tmp/perf.err | grep PERF_RECORD_AUX >/tmp/aux_records
	sed -n 's/.*PERF_RECORD_AUXTRACE size: \(0x[0-9a-f]*\) .*/\1/p' /tmp/aux_records |
		while read -r n; do echo $((n)); done | awk '{ n += $1 } END { printf "%d\n", n }'
}

every_byte() {
	command -v perf >/dev/null || unable "no perf"
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=1000 $(/tmp/work/ptloop print) || return 1
	rm -f /tmp/data
	"$RINGTOP" -A intel_pt//u --aux-mode full -w /tmp/data --json -- /tmp/work/ptloop -s 2 >/tmp/out || return 1
	local written consumed in_file records
	written=$(softpt_stat all bytes)
	consumed=$(tail -n 1 /tmp/out | python3 -c '
import json, sys
aux = json.load(sys.stdin)["aux"]
print(sum(a["consumed"] for a in aux), sum(a["lost_bytes"] for a in aux))')
	in_file=$(traced /tmp/data)
	records=$(grep -c 'PERF_RECORD_AUX ' /tmp/aux_records)
	cat /tmp/perf.err
	echo "module $written bytes, recorded and lost $consumed, in the file $in_file, $records AUX records"
	# perf counts the padding to 8 bytes of each record.
	[ "$consumed" = "$written 0" ] && [ "$in_file" -ge "$written" ] &&
		[ "$in_file" -lt $((written + 8 * 1000)) ] && [ "$records" -gt 4 ]
}

every_branch() {
	command -v perf >/dev/null || unable "no perf"
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=200 $(/tmp/work/ptloop print) || return 1
	rm -f /tmp/data
	"$RINGTOP" -A intel_pt//u --aux-mode full -w /tmp/data --text -- /tmp/work/ptloop -s 1 >/tmp/out || return 1
	local frames branches errors
	frames=$(softpt_stat all written)
	perf script -i /tmp/data --itrace=be -F event,ip >/tmp/script 2>/tmp/perf.err
	errors=$(grep -c 'trace error' /tmp/script)
	# The samples of the profile are in the file, too.
	branches=$(grep -c 'branches' /tmp/script)
	cat /tmp/perf.err
	echo "$frames frames, $branches branches, $errors errors"
	[ "$frames" -gt 8 ] && [ "$errors" = 0 ] && [ "$branches" = $((frames * 1602)) ]
}

# What was taken for a file that has no room for it is told: in the file or lost, to the byte.
full_disk() {
	command -v perf >/dev/null || unable "no perf"
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=1000 $(/tmp/work/ptloop print) || return 1
	mkdir -p /tmp/small
	mount -t tmpfs -o size=3m tmpfs /tmp/small || return 1
	"$RINGTOP" -a -A intel_pt//u --aux-mode full --aux-size 256k -w /tmp/small/data --json --duration 60 \
		>/tmp/out 2>/tmp/err &
	local pid=$!
	/tmp/work/ptloop -s 60 >/dev/null &
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
	local traced
	traced=$(traced /tmp/small/data)
	umount /tmp/small
	echo "status $status, consumed and lost: $(cat /tmp/told), in the file: $traced"
	read -r consumed lost </tmp/told
	# perf counts the padding to 8 bytes of each record.
	[ "$status" = 1 ] && [ "$lost" -gt 0 ] && [ "$traced" -ge $((consumed - lost)) ] &&
		[ "$traced" -lt $((consumed - lost + 8 * 1000)) ] && grep -q 'No space left' /tmp/err
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

try "a full disk: what of the trace is lost is told" full_disk
try "every byte that was written is in the recording" every_byte
try "a recorded program decodes to the branch" every_branch
try "overruns while recording: goes on, what is missing is flagged" overruns
tried
