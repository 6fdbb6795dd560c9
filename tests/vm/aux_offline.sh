#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A CPU goes offline and comes back while snapshots are taken one after the other, and while full mode
# is recorded: nothing hangs, every snapshot ends, and what the module wrote is in the file to the byte.
. "$(dirname "$0")/lib.sh"
need_vm_work spin_shares
vm_machine "-k 6.12" "-k 6.12 -s 8" "-k 7"

out=/tmp/report
dir=/tmp/snapshots
cpu1=/sys/devices/system/cpu/cpu1/online

ends_in() { # seconds, pid
	wait_until "$1" eval "! kill -0 $2 2>/dev/null"
}

written() { # at least so many snapshots
	[ "$(find $dir -name '*.data' | wc -l)" -ge "$1" ]
}

# Asked for all the time; which of them meets a CPU on its way is the kernel's to choose.
ask_on() { # pid
	while kill -USR2 "$1" 2>/dev/null; do
		sleep 0.02
	done
}

while_snapshots_run() {
	local rt asker n i rounds=${VM_ALL:+3}

	rounds=${rounds:-1} # an emulated snapshot takes 10 s
	rm -rf $dir && mkdir $dir
	softpt name=softaux rate=2000 || return 1
	"$RINGTOP" --json -A softaux// --aux-size 1m --snapshot-dir $dir >$out 2>/tmp/err &
	rt=$!
	wait_until 30 softpt_is bytes -gt 0 1 || return 1
	ask_on $rt &
	asker=$!
	for ((i = 0; i < rounds; i++)); do
		n=$(find $dir -name '*.data' | wc -l)
		echo 0 >$cpu1 || return 1
		wait_until 30 written $((n + 2)) || return 1
		n=$(find $dir -name '*.data' | wc -l)
		echo 1 >$cpu1 || return 1
		wait_until 30 written $((n + 2)) || return 1
	done
	kill $asker
	kill -INT $rt
	ends_in 30 $rt || {
		echo "does not end"
		return 1
	}
	wait $rt || return 1
	n=$(find $dir -name '*.data' | wc -l)
	echo "$n snapshots, the CPU was away $i times"
	# One that is asked for while two are being written is refused.
	! grep -o '"state":"failed"[^}]*' $out | grep -v 'still being written' && grep -q '"state":"offline"' $out && [ "$n" -ge $((4 * rounds)) ]
}

# perf knows the PMU only by its number.
while_recording() {
	local rt before judged

	rm -f /tmp/data
	softpt name=softaux rate=1000 || return 1
	"$RINGTOP" --json -A softaux// --aux-mode full -w /tmp/data >$out 2>/tmp/err &
	rt=$!
	wait_until 30 softpt_is bytes -gt 0 1 || return 1
	for _ in 1 2; do
		echo 0 >$cpu1 || return 1
		before=$(softpt_stat 1 bytes)
		wait_until 30 grep -q '"state":"offline"' $out || return 1
		echo 1 >$cpu1 || return 1
		wait_until 30 softpt_is bytes -gt "$before" 1 || return 1
	done
	kill -INT $rt
	ends_in 60 $rt || {
		echo "does not end"
		return 1
	}
	wait $rt || return 1
	judged=$("$vm_built/auxjudge.test" file /tmp/data) || {
		echo "$judged"
		return 1
	}
	echo "$judged"
	[ "$(awk '{ n += $4 } END { print n }' <<<"$judged")" = "$(softpt_stat all written)" ] || return 1
	python3 - "$(softpt_stat all bytes)" "$(stat -c %s /tmp/data)" <<'PY'
import json, sys
written, size = map(int, sys.argv[1:])
aux = json.loads(open('/tmp/report').readlines()[-1])['aux']
consumed = sum(a['consumed'] for a in aux)
lost = [a['lost_bytes'] for a in aux]
print("module", written, "consumed", consumed, "lost", lost, "file", size)
sys.exit(not (consumed == written <= size and sum(l or 0 for l in lost) == 0))
PY
}

try "a CPU goes and comes while snapshots are taken" while_snapshots_run
try "a CPU goes and comes while full mode is recorded" while_recording
tried
