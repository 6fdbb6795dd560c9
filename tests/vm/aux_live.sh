#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ringtop -A itself on softpt: what its reports say of the areas, by CPU, thread and command, through
# overruns and while a CPU goes offline and comes back; and where it must say no.
. "$(dirname "$0")/lib.sh"
need_vm_work spin_shares
vm_machine "-k 6.12" "-k 6.1" "-k 7"

out=/tmp/out

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

# total EXPRESSION: python over the total's `aux` as a, the last interval's as i
total() {
	python3 - "$1" <<'PY'
import json, sys
lines = [json.loads(l) for l in open('/tmp/out')]
t, i = lines[-1]['aux'], [l for l in lines if l['type'] == 'interval'][-1]['aux']
rings = [r for r in lines[-1]['rings'] if r['kind'] == 'aux']
samples = sum(e['samples'] for e in lines[-1]['events'])
log = ' '.join(m['text'] for l in lines[1:] for m in l['log'])
for a in t:
    print({k: a[k] for k in a if a[k]})
ok = eval("(" + sys.argv[1] + ")")
print(sys.argv[1], '->', ok)
sys.exit(not ok)
PY
}

full_counts_all() {
	softpt name=softaux rate=1000 || return 1
	run -A softaux// --aux-mode full --duration 2 || return 1
	echo "module: $(softpt_stat all bytes) bytes, $(softpt_stat all lost) lost"
	total "len(t) == len(rings) == 2 and sum(a['bytes'] for a in t) == $(softpt_stat all bytes)
		and all(a['lost_bytes'] == 0 and not a['gap'] and a['starts'] for a in t)
		and all(a['rate'] and 300e3 < a['rate'] < 1500e3 for a in i)
		and all(a['rate_why'] is None and a['consumed'] == 0 for a in t) and samples > 100"
}

overruns_told() {
	softpt name=softaux rate=20000 || return 1
	run -A softaux// --aux-mode full --aux-size 64k --duration 2 || return 1
	echo "module: $(softpt_stat all bytes) bytes, $(softpt_stat all truncated) truncated"
	total "sum(a['bytes'] for a in t) == $(softpt_stat all bytes)
		and all(a['truncated'] and a['restarts'] and a['lost_bytes'] is None for a in t)
		and sum(a['truncated'] for a in t) == $(softpt_stat all truncated)
		and all(a['bytes'] > 2e6 for a in t)"
}

snapshot_mode_is_honest() {
	softpt name=softaux rate=2000 || return 1
	run -A softaux// --duration 2 || return 1
	total "all(a['bytes'] is None and a['rate'] is None and a['rate_why'] for a in i + t)
		and all(r['fill'] is None and r['fill_max'] is None for r in rings)"
}

measured_on_request() {
	softpt name=softaux rate=4000 || return 1
	run -A softaux// --aux-measure --duration 3 || return 1
	# Emulated processors stand still for milliseconds; what matters is the size of it.
	total "all(a['rate_measured'] and 400e3 < a['rate'] < 16e6 and a['held_ns'] for a in i)"
}

hotplug() {
	local pid

	softpt name=softaux rate=1000 || return 1
	"$RINGTOP" --json -A softaux// --aux-mode full >$out 2>/tmp/err &
	pid=$!
	wait_until 20 softpt_is bytes -gt 0 1 || return 1
	echo 0 >/sys/devices/system/cpu/cpu1/online || return 1
	wait_until 20 grep -q '"state":"offline"' $out || return 1
	local before
	before=$(softpt_stat 1 bytes)
	echo 1 >/sys/devices/system/cpu/cpu1/online || return 1
	wait_until 20 softpt_is bytes -gt "$before" 1 || {
		echo "cpu 1 writes no more: $before bytes"
		kill $pid
		return 1
	}
	kill -INT $pid
	wait $pid || return 1
	echo "module: $(softpt_stat all bytes) bytes"
	total "'cpu 1 went offline' in log and 'cpu 1 went online' in log
		and all(a['state'] == 'live' for a in t)
		and sum(a['bytes'] for a in t) == $(softpt_stat all bytes)"
}

of_a_command() {
	softpt name=softaux rate=1000 || return 1
	run -A softaux// --aux-mode full "$@" -- "$WORK_DIR/spin_shares" 2 || return 1
	echo "module: $(softpt_stat all bytes) bytes"
	total "sum(a['bytes'] for a in t) == $(softpt_stat all bytes) > 100000"
}

in_use() {
	softpt name=softaux rate=1000 || return 1
	"$RINGTOP" --json -A softaux// >/tmp/other 2>&1 &
	local pid=$!
	wait_until 20 softpt_is bytes -gt 0 || return 1
	refused 'in use by another tool' -A softaux//
	local status=$?
	kill $pid
	wait $pid
	return $status
}

members_refused() {
	softpt name=softaux rate=1000 bare=1 || return 1
	refused 'cannot take AUX data' -A softaux// -e cpu-clock --aux-sample-size 4k &&
		refused 'cannot pause or resume' -A softaux// -e cs/aux-action=pause/ &&
		refused 'cannot start paused' -A softaux/aux-action=start-paused/
}

# as_user PARANOID OPTION...: like run, without any privilege
as_user() {
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$RINGTOP" --json "$@" >$out 2>/tmp/err
	local status=$?
	echo 1 >/proc/sys/kernel/perf_event_paranoid
	cat /tmp/err
	return $status
}

user_own_program() {
	command -v setpriv >/dev/null || unable "no setpriv"
	softpt name=softaux rate=1000 || return 1
	as_user 2 -A softaux// --aux-mode full -- "$WORK_DIR/spin_shares" 2 || return 1
	total "sum(a['bytes'] for a in t) == $(softpt_stat all bytes) > 100000
		and all(a['size'] == 131072 for a in t)"
}

user_refused() {
	command -v setpriv >/dev/null || unable "no setpriv"
	softpt name=softaux rate=1000 || return 1
	as_user 3 -A softaux// -- "$WORK_DIR/spin_shares" 1
	[ $? = 3 ] && grep -q 'perf_event_paranoid' /tmp/err || return 1
	as_user 2 -a -A softaux//
	[ $? = 3 ] || return 1
	as_user 2 -A softaux// --aux-size 64m -- "$WORK_DIR/spin_shares" 1
	[ $? = 3 ] && grep -q 'aux-size' /tmp/err
}

try "full mode counts every byte that was written" full_counts_all
try "overruns: told, and gone on after" overruns_told
try "snapshot mode: no rate rather than a wrong one" snapshot_mode_is_honest
try "--aux-measure: a rate" measured_on_request
try "a CPU goes offline and comes back" hotplug
try "a command, on its CPUs" of_a_command
try "a command, its thread" of_a_command --per-thread
try "perf_event_paranoid 2: an ordinary user's own program" user_own_program
try "perf_event_paranoid 2 and 3: what an ordinary user may not" user_refused
try "an event that another tool has" in_use
try "no such PMU: those there are" refused 'PMUs here: .*softaux' -A intel_pt//
try "AUX samples and pauses, which the PMU cannot" members_refused
try "a PMU without an area" refused 'not an AUX-capable PMU' -A msr/tsc/
tried
