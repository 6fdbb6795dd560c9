#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# aux_speed.sh - what recording AUX areas in full mode costs, beside stock perf record, and how long
# events stand while their areas are copied, in virtual machines (tests/vm).
#
# MB drained to a file in memory per second of CPU of the whole process while it records, its start and end
# left out.  Beside them what memcpy and write() of as many touched bytes take (bench_copy); both have no
# interrupts to pay for, which the other figures have: the module writes in them.
#
# First with qemu's -icount, where a second of CPU is so many instructions however busy the host is, then
# as it comes.  Figures, no test: run it in the build tree.
. "$(dirname "$0")/../vm/lib.sh"
need_vm_work ptloop
in_machine || cp "${BENCH_COPY:-tests/bench/bench_copy}" "${AUXJUDGE:-tests/live/auxjudge.test}" "$vm_work/" || exit 1
export VM_ALL=${VM_ALL-1}
vm_machine "-k 6.12 -t 600 -m 3000 -i 1" "-k 6.12 -t 600 -m 3000 -i 1 -c max,vendor=GenuineIntel,-erms,-fsrm" \
	"-k 6.12 -t 600 -m 3000"

seconds=${SPEED_SECONDS:-3}
area=4m

# cpu_ns PID: what all its threads have had
cpu_ns() {
	cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# drain NAME COMMAND...: MB and CPU seconds while it records, from when its areas have gone round twice
drain() {
	local name=$1 pid cpu bytes

	shift
	rm -f /tmp/data*
	# perf knows few names; under this one the module writes numbered blocks.
	softpt name=intel_bts rate="$rate" || return 1
	"$@" >/tmp/said 2>&1 &
	pid=$!
	wait_until 200 softpt_is bytes -gt $((8 << 20)) || {
		tail -n 3 /tmp/said | cut -c 1-500
		kill $pid
		return 1
	}
	cpu=$(cpu_ns $pid) bytes=$(softpt_stat all bytes)
	sleep $seconds # how long is measured
	echo "$bytes $(softpt_stat all bytes) $cpu $(cpu_ns $pid) $(softpt_stat all truncated)" |
		awk '{ printf "%.1f %.3f %d %.1f\n", ($2 - $1) / 1e6, ($4 - $3) / 1e9, $5, ($2 - $1) / 1e6 / (($4 - $3) / 1e9) }' \
		>"/tmp/figure.$name"
	kill -INT $pid
	wait $pid
	[ -s "/tmp/figure.$name" ]
}

beside_perf() { # KB/s
	sh -c 'while :; do :; done' &
	busy=$! # perf takes intel_bts of threads alone
	for rate; do
		drain perf perf record -q --per-thread -p $busy -m,${area^^} -e intel_bts// -o /tmp/data || return 1
		drain ringtop "$RINGTOP" --per-thread -p $busy -A intel_bts// --aux-mode full --aux-size $area \
			--json -w /tmp/data || return 1
		paste -d' ' /tmp/figure.perf /tmp/figure.ringtop | awk -v rate="$rate" '{
			printf "%6d KB/s: perf %s MB, %s s, %d truncated: %s MB/s; ", rate, $1, $2, $3, $4
			printf "ringtop %s MB, %s s, %d truncated: %s MB/s; ratio %.2f\n", $5, $6, $7, $8, $8 / $4 }'
	done
	kill $busy
}

stand() { # how many snapshots
	for rate in 1000 20000; do
		softpt name=softaux rate=$rate || return 1
		"$WORK_DIR/auxjudge.test" snap softaux// $area "$1" || return 1
	done
}

command -v perf >/dev/null || unable "no perf"
try "copying and writing 4 MB" "$WORK_DIR/bench_copy" 4 /tmp/copied
# shellcheck disable=SC2086 # words
try "recording beside perf record" beside_perf ${SPEED_RATES:-4000 20000}
try "snapshots of 4 MB: us that the events stand" stand 30
tried
