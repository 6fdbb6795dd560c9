#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An ordinary user at each level of kernel.perf_event_paranoid, 3 being Debian's own: what is refused
# ends with status 3 and says what to change, what is allowed is measured.
. "$(dirname "$0")/lib.sh"
need_vm_work spin_hot
vm_machine "-k 6.1" "-k 6.12" "-k 7"

as_user() {
	setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

paranoid() {
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = "$1" ] || fail "no level $1 here"
}

run_as_user() {
	as_user timeout 30 "$RINGTOP" --json -n 2 -d 0.3 -e cpu-clock -F 199 "$@" \
		>"$out" 2>"$err" </dev/null
	rt_status=$?
}

refused() { # name, arguments
	local name=$1 advice

	shift
	run_as_user "$@"
	expect_status 3 "$name"
	[ ! -s "$out" ] || fail "$name: stdout is not empty"
	advice=$(<"$err")
	[[ $advice =~ "perf_event_paranoid is "[23]|"another user" ]] || fail "$name: the advice does not name the level"
	[[ $advice =~ sysctl|setcap ]] || fail "$name: no advice"
	pass "$name: ${advice%%$'\n'*}"
}

measured() { # name, arguments
	local name=$1 samples

	shift
	run_as_user "$@"
	expect_status 0 "$name"
	check_report
	samples=$(json 'sum:total.functions[function=spin_hot].samples')
	[ "${samples:-0}" -gt 0 ] || fail "$name: spin_hot was not seen"
	pass "$name: $samples samples of spin_hot"
}

start_own() { # PROGRAM ARG...
	work_start setpriv --reuid=1000 --regid=1000 --clear-groups "$@"
	wait_until 10 has_text "/proc/$work_pid/comm" "${1##*/}"
}

# What is refused needs no work, which takes half of the one CPU that emulates all.
level_3() {
	paranoid 3
	start_own sleep 600
	refused "the whole machine" -a
	refused "one's own process" -p "$work_pid"
	refused "no target"
	refused "a command" -- "$work/spin_hot" -s 0.2
}

level_2() {
	paranoid 2
	refused "the whole machine" -a
	refused "a CPU" -C 0
	refused "root's process" -p 1
	start_own "$work/spin_hot" -s 60
	measured "one's own process" -p "$work_pid"
	measured "one's own command" -- "$work/spin_hot" -s 0.6
	measured "no target"
}

# At 0 whole CPUs are anybody's, the kernel's own addresses too.
level_0() {
	paranoid 0
	start_own "$work/spin_hot" -s 60
	measured "the whole machine" -a
	measured "no target"
}

# What the advice says is what helps; an instance of ftrace is root's all the same.
tracefs() {
	local advice

	paranoid -1
	run_as_user -e raw_syscalls:sys_enter
	expect_status 3 "a tracepoint"
	advice=$(sed -n 's/.*let root: \(mount [^)]*\)).*/\1/p' "$err")
	[ -n "$advice" ] || fail "a tracepoint: no advice: $(cat "$err")"
	$advice || fail "'$advice' does not go"
	run_as_user -e raw_syscalls:sys_enter
	expect_status 0 "a tracepoint after '$advice'"
	run_as_user --ftrace raw_syscalls:sys_enter
	expect_status 3 "--ftrace after it"
	grep -q -e "--ftrace: .*instances: Permission denied (run as root: " "$err" || fail "--ftrace: $(cat "$err")"
	pass "'$advice' lets the user's group at tracepoints"
}

vm_case
chmod 755 /tmp/work /tmp/work/spin_hot /tmp/ringtop
try_case "perf_event_paranoid 3" level_3
try_case "perf_event_paranoid 2" level_2
try_case "perf_event_paranoid 0" level_0
try_case "tracefs of the user's group" tracefs
tried
