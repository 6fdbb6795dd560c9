#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# AUX samples, block by block; pause and resume of an AUX event by others; and where
# ringtop must refuse either.
. "$(dirname "$0")/lib.sh"
need_vm_work ptloop spin_shares
want_newer_perf
vm_machine "-k 6.12" "-k 7" "-k 6.1"

out=/tmp/out data=/tmp/data

# Kernels from 6.13 on, and some before: the module was built for this one and knows.
can_pause() {
	[ "$(cat /sys/module/softpt/parameters/can_pause)" = Y ]
}

# run OPTION...: ringtop's JSON into $out
run() {
	"$RINGTOP" --json "$@" >$out 2>/tmp/err || {
		echo "ended with $?"
		cat /tmp/err
		return 1
	}
	"$JSONCHECK" $out >/tmp/checked || {
		tail -n 3 /tmp/checked
		return 1
	}
}

# Every sample of a recording: the bytes of trace are so many, numbered blocks of its CPU without a
# gap, up to its own time.  Blocks and samples have two clocks: there must be one distance between these for
# which all samples end behind the blocks they have and before the ones that come next.
judge_samples() { # file, bytes of each, how many of them
	python3 - "$@" <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
size, wanted = int(sys.argv[2]), int(sys.argv[3])
at, end = struct.unpack_from('<QQ', data, 40)
end += at
samples, plain = {}, 0
while at < end:
    kind, _, n = struct.unpack_from('<IHH', data, at)
    r = data[at:at + n]
    at += n
    if kind == 71:
        at += struct.unpack_from('<Q', r, 8)[0]
    if kind != 9:
        continue
    # IDENTIFIER IP TID TIME CPU, then AUX: the only events here are of that form.
    time, cpu = struct.unpack_from('<Q', r, 32)[0], struct.unpack_from('<I', r, 40)[0]
    n = struct.unpack_from('<Q', r, 48)[0]
    assert n == size and len(r) == 56 + n, (n, len(r))
    samples.setdefault(cpu, []).append((time, r[56:]))
nr = sum(map(len, samples.values()))
assert nr == wanted, (nr, wanted)
low, high, zeros, times = -1 << 62, 1 << 62, 0, {}
ends = []
for cpu, all in samples.items():
    last = -1
    for time, trace in sorted(all):
        assert len(trace) % 64 == 0
        seqs = []
        for i in range(0, len(trace), 64):
            magic, who, seq, made = struct.unpack_from('<IIQQ', trace, i)
            if not magic:
                assert not seqs, 'zeros in the midst'
                zeros += 1
                continue
            assert who == cpu, (who, cpu)
            assert not seqs or seq == seqs[-1] + 1, (seqs[-1], seq)
            seqs.append(seq)
            times[cpu, seq] = made
        if seqs:
            assert seqs[-1] >= last, 'older than the sample before'
            last = seqs[-1]
            ends.append((time, cpu, last))
for time, cpu, seq in ends:
    low = max(low, times[cpu, seq] - time)
    if (cpu, seq + 1) in times:
        high = min(high, times[cpu, seq + 1] - time)
print(nr, 'samples,', len(times), 'blocks,', zeros, 'not yet written; the clocks are', low, 'to', high, 'apart')
assert len(times) > 100 and low <= high + 50000
PY
}

samples_end_where_they_were_taken() {
	softpt name=softaux rate=1000 || return 1
	run -a -A softaux// --aux-size 256k -e cpu-clock -F 200 --aux-sample-size 4k -w $data --duration 3 ||
		return 1
	echo "module: $(softpt_stat all samples) samples"
	python3 -c '
import json, sys
lines = [json.loads(l) for l in open("/tmp/out")]
aux, event = lines[-1]["aux"], lines[-1]["events"][0]
n, b = sum(a["samples"] for a in aux), sum(a["sample_bytes"] for a in aux)
print(n, "samples with", b, "bytes of", event["samples"], event["lost"])
sys.exit(n != event["samples"] or b != 4096 * n or n != int(sys.argv[1]) or n < 100)
' "$(softpt_stat all samples)" || return 1
	judge_samples $data 4096 "$(softpt_stat all samples)" || return 1
	"$RINGTOP" -i $data --json >/tmp/again || return 1
	tail -n 1 /tmp/again | grep -o '"samples":[0-9]*' | head -n 1
	[ "$(tail -n 1 /tmp/again | grep -o '"samples":[0-9]*' | head -n 1)" = "\"samples\":$(softpt_stat all samples)" ]
}

samples_of() { # name, ringtop's option
	local pid

	# shellcheck disable=SC2046 # parameters are words
	softpt name=intel_pt rate=1000 $("$vm_work/ptloop" print) || return 1
	rm -f $data
	"$RINGTOP" --json "${@:2}" -A intel_pt//u -e cpu-clock:u -F 50 --aux-sample-size 4k -w $data \
		-- "$vm_work/ptloop" -s 300 >$out 2>/tmp/err &
	pid=$!
	wait_until 120 softpt_is samples -ge 25 || {
		echo "only $(softpt_stat all samples) samples"
		cat /tmp/err
		kill $pid
		return 1
	}
	kill -INT $pid
	wait $pid || return 1
	keep "$1" $data
}

# What a PERF says of the file: branches, and that nothing is an error.
decode() { # perf, name
	"$1" script -i "$kept/$2" --itrace=be -F event,ip >"$kept/script" 2>"$kept/script.err"
	grep -c 'branches' "$kept/script"
	grep 'trace error' "$kept/script" | head -n 5 >&2
	cat "$kept/script.err" >&2
}

samples_decode() { # name
	local branches other

	[ -n "$NEWER_PERF" ] || unable "no newer perf"
	branches=$(decode "$NEWER_PERF" "$1" 2>"$kept/complaints")
	other=$(decode perf "$1" 2>>"$kept/complaints")
	echo "$branches branches, by this Debian's perf $other"
	# Each of the program's samples holds three whole frames of 1602; a frame can be in several of them.
	[ "$branches" -gt $((20 * 1602)) ] && [ "$branches" = "$other" ] && ! perf_complains "$kept/complaints"
}

# The stream goes on at a sync() and stands at a sethostname() of its CPU.
pauses() {
	softpt name=softaux rate=2000 || return 1
	can_pause || unable "AUX pause and resume need kernel 6.13, this is $(uname -r)"
	cat >/tmp/pauses.py <<-'PY'
		import os, socket, sys, time
		def bytes_of(cpu):
		    lines = [l.split() for l in open('/sys/kernel/debug/softpt/stats')]
		    return int(lines[1 + cpu][lines[0].index('bytes')])
		os.sched_setaffinity(0, [0])
		time.sleep(.2)
		assert bytes_of(0) == bytes_of(1) == 0, 'not paused at the start'
		for i in range(5):
		    os.sync()
		    before = bytes_of(0)
		    end = time.time() + 60
		    while bytes_of(0) < before + 65536:
		        assert time.time() < end, 'does not go on'
		    socket.sethostname('vm')
		    stood = bytes_of(0)
		    time.sleep(.2)
		    assert bytes_of(0) == stood, 'goes on while it is paused'
		assert bytes_of(1) == 0
	PY
	run -a -A softaux/aux-action=start-paused/ --aux-mode full \
		-e syscalls:sys_enter_sync/aux-action=resume/ -e syscalls:sys_enter_sethostname/aux-action=pause/ \
		-- "$VM_PYTHON" -I -S /tmp/pauses.py || return 1
	cat $softpt_stats
	python3 -c '
import json, sys
total = [json.loads(l) for l in open("/tmp/out")][-1]
print([(e["name"], e["samples"]) for e in total["events"]], [a["bytes"] for a in total["aux"]])
sys.exit([e["samples"] for e in total["events"]] != [5, 5] or
	 sum(a["bytes"] for a in total["aux"]) != int(sys.argv[1]) or
	 any(a["lost_bytes"] or a["restarts"] for a in total["aux"]))
' "$(softpt_stat all bytes)" || return 1
	[ "$(softpt_stat all pauses) $(softpt_stat all resumes)" = "5 5" ]
}

refused_pauses() {
	softpt name=softaux || return 1
	! can_pause || unable "kernel $(uname -r) can"
	refused 'needs kernel 6.13' -A softaux// -e cs/aux-action=pause/ &&
		refused 'needs kernel 6.13' -A softaux/aux-action=start-paused/
}

refused_samples() {
	softpt name=softaux || return 1
	refused 'needs --aux-mode snapshot' -A softaux// --aux-mode full --aux-sample-size 4k &&
		refused 'goes with an event of -e' -A softaux/aux-sample-size=4096/
}

try "AUX samples: as long as asked for, up to the sample's own time" samples_end_where_they_were_taken
try "AUX samples of whole CPUs" samples_of cpus -a
try "AUX samples of a program" samples_of program
try "AUX samples of a thread" samples_of thread --per-thread
for name in cpus program thread; do
	try_kept "AUX samples in a recording, decoded by two perfs: $name" samples_decode $name
done
try "paused from the start, going on and standing as told" pauses
try "no pause where the kernel has none" refused_pauses
try "AUX samples where they cannot be" refused_samples
tried
