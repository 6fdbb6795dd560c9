#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# -H is the local run on another machine: the same report, the same identity, the same targets and files; what ran
# there is gone with the connection.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sshd.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
need_work storm_exact spin_hot spin_paths
command -v python3 >/dev/null || skip "no python3"

# keys FILE: every path of names in the report, of all its lines
keys() {
	python3 - "$1" <<'PY'
import json, sys
seen = set()
def walk(value, at):
    if isinstance(value, dict):
        for key, below in value.items():
            seen.add(at + "." + key)
            walk(below, at + "." + key)
    elif isinstance(value, list):
        for below in value:
            walk(below, at + "[]")
for line in open(sys.argv[1]):
    value = json.loads(line)
    walk(value, value["type"])
print("\n".join(sorted(seen)))
PY
}

case_same() {
	local line=(--json -d 0.5 -n 3 -e cpu-clock -F 999 -C 0) host missing

	rt "${line[@]}"
	expect_status 0 "local"
	keys "$out" >"$tmp/keys.local"
	host=$(json header.host)
	rt "${far[@]}" "${line[@]}"
	expect_status 0 "remote"
	check_report
	identity "remote"
	keys "$out" >"$tmp/keys.remote"
	# What is still being read has a mark, here or there.
	missing=$(comm -23 "$tmp/keys.local" "$tmp/keys.remote" | grep -Ev '\.(loading|nameless)$')
	[ -z "$missing" ] || fail "keys that -H has not: $missing"
	[ "$(json header.host)" = "$host" ] || fail "the header has host $(json header.host), not $host"
	[ "$(json header.live)" = true ] || fail "not live"
	far_left "a report"
	pass "the local run's keys, and: $(comm -13 "$tmp/keys.local" "$tmp/keys.remote" | tr '\n' ' ')"
}

case_exact() {
	local calls=300000 counted attributed lost

	need_tracepoint raw_syscalls sys_enter
	rt "${far[@]}" --json -d 0.2 -e raw_syscalls:sys_enter -c 1 --propagate -- /mnt/storm_exact $calls
	expect_status 0 "a COMMAND"
	check_report
	identity "a COMMAND"
	read -r -d '' counted attributed lost < <(json total.events[0].{counted,attributed,lost}; printf '\0')
	[ "$counted" = $calls ] || fail "counted $counted of $calls"
	holds "$attributed >= 0.9999 * $calls" || fail "attributed $attributed of $calls"
	[ "$(json 'sum:total.functions.weight')" = "$attributed" ] || fail "the functions do not add up"
	pass "a storm there: counted $counted = attributed $attributed + lost $lost"
	rt "${far[@]}" --json -d 0.2 -e cpu-clock --propagate -- sh -c 'echo to nobody; exit 7'
	expect_status 7 "--propagate"
	grep -q '^to nobody' "$err" || fail "what COMMAND prints is not on standard error"
	pass "--propagate, and COMMAND's output"
}

case_targets() {
	work_start "$work/spin_hot" -s 60
	wait_until 5 has_text "/proc/$work_pid/comm" spin_hot
	rt "${far[@]}" --json -d 0.3 -n 2 -e cpu-clock -p "$work_pid"
	expect_status 0 "-p"
	check_report
	[ -z "$(json all:total.tasks.pid | grep -vx "$work_pid")" ] || fail "-p: tasks of others"
	holds "$(json 'sum:total.functions[function=spin_hot].samples') > 0" || fail "-p: no spin_hot"
	rt "${far[@]}" --json -d 0.3 -n 2 -e cpu-clock -u root -F 499
	expect_status 0 "-u"
	check_report
	holds "$(json 'sum:total.tasks[comm=spin_hot].samples') > 0" || fail "-u: root's spin_hot was not seen"
	kill "$work_pid"
	rt "${far[@]}" --json -d 0.3 -e cpu-clock -p 999999999
	[ "$rt_status" != 0 ] || fail "a process that is not there"
	grep -q 999999999 "$err" || fail "it is not named"
	rt "${far[@]}" --json -d 0.3 -e no-such-event
	expect_status 2 "an event that is not there"
	grep -q no-such-event "$err" || fail "the event is not named"
	pass "-p, -u, and what is wrong there"
}

case_paths() {
	rt "${far[@]}" --json --paths -d 0.5 -g -e cpu-clock -F 999 -- /mnt/spin_paths -s 2
	expect_status 0 "-g"
	check_report
	identity "-g"
	grep -q 'spin_paths' "$out" || fail "-g: no path of spin_paths"
	rt "${far[@]}" --text -d 0.5 -n 2 -e cpu-clock
	expect_status 0 "--text"
	grep -q 'cpu-clock' "$out" || fail "--text: no report"
	rt "${far[@]}" --json -d 0.5 -n 2 -e cpu-clock --export "pprof:$tmp/p.pb.gz" --export "folded:$tmp/folded"
	expect_status 0 "--export"
	[ -s "$tmp/folded" ] || fail "--export folded: nothing"
	gunzip -c "$tmp/p.pb.gz" | grep -qaF "$(json header.host)" || fail "--export pprof: no host"
	pass "-g, --text, exports"
}

# Over there they are in /mnt, which is $hosts here.
case_files() {
	local file there=$hosts/files

	mkdir -p "$there"
	rt "${far[@]}" --json -d 0.3 -n 3 -e cpu-clock -w /mnt/files/data
	expect_status 0 "-w"
	perf report -i "$there/data" --stdio >"$tmp/report" 2>&1 ||
		fail "-w: perf does not read it: $(tail -n 1 "$tmp/report")"
	grep -q 'of event .cpu-clock' "$tmp/report" || fail "-w: nothing in it"
	rt "${far[@]}" --json -d 0.3 -n 4 -e cpu-clock --snapshot-dir /mnt/files --snapshot-on 'samples/s>1'
	expect_status 0 "--snapshot-on"
	for file in "$there"/ringtop*; do
		[ -s "$file" ] || fail "--snapshot-on: no snapshot there"
	done
	rm -r "$there"
	far_left "recordings and snapshots"
	pass "a recording and a snapshot there"
}

case_user() {
	rt -H user@far --ssh "$ssh" --json -a -d 0.2 -n 1
	expect_status 3 "-a without rights there"
	grep -qE 'perf_event_paranoid|CAP_PERFMON' "$err" || fail "no advice: $(cat "$err")"
	[ ! -s "$out" ] || fail "a report without rights"
	far_left "without rights"
	pass "refused there with advice: $(head -n 1 "$err")"
	rt -H nobody-there@far --ssh "$ssh" --json -d 0.2 -n 1
	[ "$rt_status" != 0 ] || fail "measures without a key"
	grep -qi 'permission denied' "$err" || fail "ssh's own words are missing: $(cat "$err")"
	pass "refused by ssh: status $rt_status, $(head -n 1 "$err")"
}

# Where no ringtop is there ours is sent, and nothing of it is seen.
case_sent() {
	local agent

	agent=$(dirname "$RINGTOP")/ringtop-agent
	[ -x "$agent" ] || { echo "no ringtop-agent in this build"; return 0; }
	mv "$hosts/bin-far/ringtop" "$hosts/ringtop.away"
	rt "${far[@]}" --json -d 0.3 -n 2 -e cpu-clock
	mv "$hosts/ringtop.away" "$hosts/bin-far/ringtop"
	expect_status 0 "sent"
	check_report
	identity "sent"
	far_left "sent"
	pass "ringtop-agent sent, $(stat -c %s "$agent") bytes"
}

case_seen() {
	rt_start "${far[@]}" -d 0.2 -e cpu-clock
	far_has_agent || fail "nothing has --agent in its command line"
	[ -z "$(sshd_left far)" ] || fail "while it runs there are files: $(sshd_left far)"
	rt_stop
	expect_status 0 "Ctrl-C"
	check_report
	far_left "Ctrl-C"
	rt_start "${far[@]}" -d 0.2 -e cpu-clock
	rt_signal TERM
	expect_status 0 "SIGTERM"
	check_report
	far_left "SIGTERM"
	pass "--agent is seen, and gone after Ctrl-C and SIGTERM"
}

need_sshd
cp "$work"/{storm_exact,spin_paths} "$hosts" || exit 1 # the hosts do not see $work below /tmp
sshd_user user /bin/sh || skip "no /bin/sh"
far_start far
for name in ${REMOTE_CASES:-same exact targets paths files user sent seen}; do
	"case_$name"
done
