#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Snapshots of ringtop's and of stock perf record -S, of the same module and the same program: perf
# reads the same packets and the same branches in both.
#
# The streams differ in their time stamps alone, so a snapshot is told by its frames: all whole frames
# of a file must be the frame that the module makes, packet by packet.
. "$(dirname "$0")/lib.sh"
need_vm_work ptloop
vm_machine "-k 6.12" "-k 6.1" "-k 7"

dir=/tmp/snapshots
area=65536
frame=$((32 + 7 + 200 * 5 + 3 + 1)) # bytes of one, see softpt/stream.c

# The packets of each whole frame without offsets, bytes and times; how often each frame occurs.
frames_of() { # file
	perf report -D -i "$kept/$1" 2>/dev/null | awk '
		/Intel Processor Trace data/ { on = 1; text = ""; next }
		!/^\.  [0-9a-f]+: / { if (!/^$/) on = 0; next }
		on {
			sub(/^\.  [0-9a-f]+:  ([0-9a-f][0-9a-f] )+ */, "")
			sub(/TSC 0x[0-9a-f]+/, "TSC")
			if ($1 == "PSB")
				text = ""
			text = text $0 ";"
			if ($1 == "TIP.PGD") {
				if (text ~ /^PSB/)
					count[text]++
				text = ""
			}
		}
		END { for (t in count) print count[t], t }'
}

traces() { # units written since
	[ $(($(softpt_stat all written) - $1)) -gt $((3 * area / frame)) ]
}

start_module() {
	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=1000 $("$vm_work/ptloop" print) || return 1
	rm -rf $dir && mkdir $dir
	"$vm_work/ptloop" -s 100 >/dev/null &
	loop=$!
}

written() {
	[ -n "$(find $dir -name '*-1.data')" ]
}

by_ringtop() { # name
	"$RINGTOP" --json -a -d 0.5 -e cpu-clock -A intel_pt//u --aux-size $((area / 1024))k \
		--snapshot-dir $dir >/tmp/report 2>/tmp/err &
	local rt=$!

	wait_until 60 traces 0 || return 1
	kill -USR2 $rt
	wait_until 60 written || return 1
	kill -INT $rt
	wait $rt
	keep "$1" $dir/*-1.data
}

perf_saved() {
	[ "$(stat -c %s /tmp/perf.data)" -gt $area ]
}

by_perf() {
	local before

	before=$(softpt_stat all written)
	perf record -q -a -S -m,$((area / 4096)) -e intel_pt//u -o /tmp/perf.data 2>/tmp/err &
	local perf=$!

	wait_until 60 traces "$before" || return 1
	kill -USR2 $perf
	wait_until 60 perf_saved || return 1
	kill -INT $perf
	wait $perf # of a signal
	keep perf /tmp/perf.data
}

judge() { # file
	local errors branches whole kinds

	frames_of "$1" >"$kept/frames.$1"
	kinds=$(wc -l <"$kept/frames.$1")
	whole=$(awk '{ n += $1 } END { print n + 0 }' "$kept/frames.$1")
	perf script -i "$kept/$1" --itrace=be -F ip >"$kept/script" 2>"$kept/err"
	errors=$(grep -c error "$kept/script")
	branches=$(($(wc -l <"$kept/script") - errors))
	echo "$1: $whole whole frames of $kinds kinds, $branches branches, $errors errors"
	perf_complains "$kept/err"
	# an area holds so many; the first may be cut
	[ "$kinds" = 1 ] && [ "$whole" -ge $((area / frame - 1)) ] && [ "$errors" = 0 ] &&
		[ "$branches" -ge $((whole * 1602)) ] && [ "$branches" -lt $(((whole + 2) * 1602)) ]
}

# Every stretch of trace has its AUX record, of just these bytes, and these flags where there are any.
records_fit() { # file, flags
	perf report -D -i "$kept/$1" 2>"$kept/err" | sed -n -E \
		-e 's/.*PERF_RECORD_AUXTRACE size: (0x[0-9a-f]+) +offset: (0x[0-9a-f]+|0) .*cpu: ([0-9]+).*/trace \3 \2 \1/p' \
		-e 's/^([0-9]+) .*PERF_RECORD_AUX offset: (0x[0-9a-f]+|0) size: (0x[0-9a-f]+) flags: (0x[0-9a-f]+|0).*/aux \1 \2 \3 \4/p' \
		>"$kept/stretches"
	python3 - "$2" "$kept/stretches" <<-'PY'
		import sys
		lines = [l.split() for l in open(sys.argv[2])]
		trace = {l[1]: (int(l[2], 0) + int(l[3], 0), int(l[3], 0)) for l in lines if l[0] == 'trace'}
		aux = {l[1]: (int(l[2], 0), int(l[3], 0), int(l[4], 0)) for l in lines if l[0] == 'aux'}
		print('trace', trace, 'records', aux)
		# perf counts the padding to 8 bytes.
		ok = trace and trace.keys() == aux.keys() and sum(l[0] == 'aux' for l in lines) == len(aux)
		sys.exit(not ok or any(not 0 <= trace[c][0] - aux[c][0] < 8 or aux[c][1] > trace[c][1] for c in trace) or
			 sum(a[2] == int(sys.argv[1], 0) for a in aux.values()) == 0)
	PY
}

flagged() {
	start_module || return 1
	softpt_set partial_every 3
	by_ringtop flagged || return 1
	kill $loop
	echo "module: $(softpt_stat all partial) partial"
	[ "$(softpt_stat all partial)" -gt 0 ]
}

flags_told() {
	command -v perf >/dev/null || unable "no perf"
	records_fit flagged 0x6 || return 1 # OVERWRITE and PARTIAL
	cat "$kept/err"
	grep -q 'AUX data had gaps in it' "$kept/err"
}

both() {
	command -v perf >/dev/null || unable "no perf"
	start_module || return 1
	by_ringtop ringtop || {
		cat /tmp/err
		tail -n 1 /tmp/report | cut -c 1-600
		return 1
	}
	by_perf || {
		cat /tmp/err
		ls -l /tmp/perf.data*
		return 1
	}
	kill $loop
}

same_content() {
	command -v perf >/dev/null || unable "no perf"
	judge ringtop && records_fit ringtop 0x2 && judge perf || return 1
	cmp <(cut -d' ' -f2- "$kept/frames.ringtop") <(cut -d' ' -f2- "$kept/frames.perf")
}

try "a snapshot, and one by perf record -S" both
try_kept "a snapshot has what perf record -S keeps, and decodes alike" same_content
try "a snapshot of flagged bytes" flagged
try_kept "a snapshot says what the driver said of its bytes" flags_told
tried
