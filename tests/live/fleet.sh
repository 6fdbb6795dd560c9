#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several hosts as one session: one that dies or was never there does not stop the others, what was counted stays
# whole, and twenty cost little.  The hosts are this machine, each with a name and a network of its own; instead of
# ssh there is a program that goes there.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
command -v python3 >/dev/null || skip "no python3"
far_named

kill_agents() {
	cat "$hosts"/pid-* 2>/dev/null | xargs -r kill -KILL 2>/dev/null
}
on_exit kill_agents

# of the newest login
agent() {
	tail -n 1 "$hosts/pid-$1"
}

far() {
	echo -H "$1" --ssh "$far_go" -e cpu-clock -F 99
}

agents_gone() {
	local pid

	for pid in $(cat "$hosts"/pid-*); do
		[ ! -e "/proc/$pid" ] || return 1
	done
}

nothing_left() {
	wait_until 10 agents_gone || fail "$1: agents live on"
	rm -f "$hosts"/pid-* "$hosts"/refuse-*
}

# story HOST: its states, once each, as the reports tell them; and what must hold of all reports
story() {
	python3 - "$out" "$1" <<'PY'
import json, sys
states = []
for line in open(sys.argv[1]):
    v = json.loads(line)
    if v["type"] == "header":
        continue
    e = v["events"][0]
    if e["counted"] != e["attributed"] + sum(e["lost"].values()) + e["pending"]:
        sys.exit(f"{v['type']} {v.get('time')}: counted is not attributed, lost and pending")
    if v["type"] == "interval" and v["seconds"] > 3 * 0.5:
        sys.exit(f"{v['time']}: an interval took {v['seconds']} s")
    h = [h for h in v["hosts"] if h["name"] == sys.argv[2]][0]
    if h["state"] != "connecting" and (not states or states[-1] != h["state"]):
        states.append(h["state"])
print(*states)
PY
}

# counted HOST: seconds of its CPUs in the total
counted() {
	awk "BEGIN { print $(json "sum:total.events[0].cpus[host=$1].counted") / 1e9 }"
}

# states_of HOST: by the last report that is there as a whole
states_of() {
	json "last.hosts[name=$1].state"
}

has_state() {
	[ "$(states_of "$1")" = "$2" ]
}

case_dies() {
	local cpus seconds

	rt_start $(far web1,web2) -d 0.5
	wait_until 10 has_state web2 up || fail "web2 is not up: $(states_of web2)"
	kill -KILL "$(agent web2)"
	wait_until 10 has_state web2 cut || fail "nobody says that web2 is cut off"
	wait_until 20 has_state web2 up || fail "web2 does not come back"
	has_text "$hosts/pid-web2" "$(agent web2)" && [ "$(wc -l <"$hosts/pid-web2")" = 2 ] ||
		fail "web2 was not logged in to twice"
	wait_until 5 has_lines "$out" $(($(wc -l <"$out") + 2))
	: >"$hosts/refuse-web2"
	kill -KILL "$(agent web2)"
	wait_until 10 has_state web2 cut || fail "nobody says that web2 is cut off again"
	wait_until 5 has_lines "$out" $(($(wc -l <"$out") + 2))
	rt_stop
	expect_status 0 "two hosts of which one dies"
	check_report
	[ "$(story web1)" = "up ended" ] || fail "web1: $(story web1)"
	[ "$(story web2)" = "up cut up cut failed" ] || fail "web2: $(story web2)"
	cpus=$(getconf _NPROCESSORS_ONLN) seconds=$(json total.seconds)
	holds "$(counted web1) > 0.85 * $cpus * $seconds" || fail "web1: $(counted web1) s of $cpus CPUs in $seconds s"
	holds "$(counted web2) > 0.5 && $(counted web2) < $(counted web1)" || fail "web2: $(counted web2) s"
	nothing_left "one dies"
	pass "one died, came back and died: web1 $(counted web1) s, web2 $(counted web2) s of CPUs in $seconds s"
}

case_not_there() {
	: >"$hosts/refuse-web2"
	rt $(far web1,web2,web3) --json -d 0.5 -n 4
	expect_status 0 "one that is not there"
	check_report
	[ "$(story web2)" = failed ] || fail "web2: $(story web2)"
	tail -n 1 "$out" | grep -q 'web2: Connection refused' || fail "nobody says why web2 is not there"
	holds "$(counted web1) > 0 && $(counted web3) > 0" || fail "web1 and web3 were not measured"
	nothing_left "one that is not there"
	: >"$hosts/refuse-web1"
	: >"$hosts/refuse-web2"
	rt $(far web1,web2) --json -d 0.5 -n 4
	[ "$rt_status" != 0 ] && grep -q 'Connection refused' "$err" || fail "none is there: status $rt_status"
	rm "$hosts"/refuse-*
	pass "one that is not there, and none"
}

# ticks and kB of the program, not of who carries its bytes
cost() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

resident() {
	awk '/^VmHWM/ { print $2 }' "/proc/$1/status"
}

shown() {
	has_text "$tmp/screen" "no screen" || grep -aqE "[0-9]k?(/s| samples/s)" "$tmp/screen"
}

case_twenty() {
	local names pid before begun percent

	command -v script >/dev/null || { echo "no script(1) for a terminal"; return 0; }
	names=$(seq -s, -f web%02g 20)
	mkfifo "$tmp/keys"
	exec 7<>"$tmp/keys"
	TERM=xterm-256color script -q -c "stty rows 40 cols 160; exec '$RINGTOP' $(far "$names")" /dev/null \
		<"$tmp/keys" >"$tmp/screen" 2>&1 9>&- &
	started+=($!)
	wait_until 60 shown || fail "no screen of 20 hosts: $(tail -c 2000 "$tmp/screen" | cat -v)"
	! has_text "$tmp/screen" "no screen" || { echo "this build has no screen"; return 0; }
	pid=$(pgrep -P "${started[-1]}" -f -- "-H $names")
	before=$(cost "$pid") begun=$(date +%s%N)
	sleep 5 # is what is measured
	percent=$(awk "BEGIN { print ($(cost "$pid") - $before) / $(getconf CLK_TCK) / ($(date +%s%N) - $begun) * 1e11 }")
	holds "$percent <= 5" || fail "20 hosts: $percent % of a CPU"
	holds "$(resident "$pid") <= 128 * 1024" || fail "20 hosts: $(resident "$pid") kB"
	pass "20 hosts on the screen: $percent % of a CPU, $(resident "$pid") kB"
	printf q >&7
	wait_until 10 gone "$pid" || fail "20 hosts: it does not end"
	nothing_left "20 hosts"
}

case_dies
case_not_there
case_twenty
