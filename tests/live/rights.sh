#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An ordinary user gets an exit status of 3 and advice for what is not allowed, and a view of the
# own processes where the kernel allows that.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_work spin_hot
command -v setpriv >/dev/null || skip "no setpriv"
paranoid=/proc/sys/kernel/perf_event_paranoid

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

# Where the program lies may be closed to others.
cp "$RINGTOP" "$tmp/ringtop"
cp "$work/spin_hot" "$tmp/spin_hot"
chmod 755 "$tmp/ringtop" "$tmp/spin_hot"
as_nobody "$tmp/ringtop" --version >/dev/null 2>"$err" || skip "nobody cannot run the program"

sees_processes as_nobody || skip "/proc hides others' processes from users (hidepid)"

before=$(cat $paranoid)
on_exit "echo $before >$paranoid"
echo 2 >$paranoid 2>/dev/null || skip "cannot change $paranoid"

refused() {
	local name=$1

	shift
	as_nobody timeout 10 "$tmp/ringtop" --json -n 1 -d 0.2 "$@" >"$out" 2>"$err" </dev/null
	rt_status=$?
	expect_status 3 "$name"
	[ -s "$err" ] || fail "$name: no advice"
	[ ! -s "$out" ] || fail "$name: stdout is not empty"
}

refused "whole machine" -a -e cpu-clock
grep -q perf_event_paranoid "$err" || fail "the advice does not name perf_event_paranoid"
refused "root's process" -e cpu-clock -p 1
refused "a CPU" -e cpu-clock -C 0
pass "refused with advice: $(head -n 1 "$err")"

# Its own processes, chosen or not.
for target in command process none; do
	case $target in
	command) set -- -- "$tmp/spin_hot" -s 0.6 ;;
	process | none)
		work_start setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/spin_hot" -s 60
		wait_until 5 has_text "/proc/$work_pid/comm" spin_hot
		set -- -n 2
		[ $target = none ] || set -- -n 2 -p "$work_pid"
		;;
	esac
	as_nobody timeout 10 "$tmp/ringtop" --json -d 0.3 -e cpu-clock -F 499 "$@" \
		>"$out" 2>"$err" </dev/null
	rt_status=$?
	[ $target = command ] || kill "$work_pid"
	expect_status 0 "own processes: $target"
	check_report
	holds "$(json 'sum:total.functions[function=spin_hot].samples') > 0" ||
		fail "own processes: $target: spin_hot was not seen"
	pass "own processes: $target"
done

# Above 2 it depends on the kernel (Debian's forbids all, others nothing more): without a target as with one.
echo 4 >$paranoid
work_start setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/spin_hot" -s 60
own_status() {
	as_nobody timeout 10 "$tmp/ringtop" --json -d 0.3 -n 1 -e cpu-clock "$@" >"$out" 2>"$err" </dev/null
	echo $?
}
named=$(own_status -p "$work_pid")
unnamed=$(own_status)
kill "$work_pid"
echo 2 >$paranoid
[ "$named" = "$unnamed" ] || fail "paranoid 4: status $named with -p, $unnamed without a target: $(cat "$err")"
pass "paranoid 4: status $named with -p, and without a target"

# Rings as large as locked memory allows leave no room for a second set beside them: key R opens them
# anew all the same, and back.
limit_case() {
	local own=$tmp/own

	command -v script >/dev/null && command -v prlimit >/dev/null || {
		pass "no script(1) or prlimit(1): key R at the limit of locked memory is not tried"
		return
	}
	work_start setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/spin_hot" -s 60
	wait_until 5 has_text "/proc/$work_pid/comm" spin_hot
	mkdir "$own"
	chown 65534 "$own"
	chmod 711 "$tmp"
	mkfifo "$tmp/keys"
	exec 7<>"$tmp/keys"
	TERM=xterm script -qfec "stty rows 30 cols 120; exec prlimit --memlock=65536:65536 setpriv \
--reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
'$tmp/ringtop' -e cpu-clock -p $work_pid" "$tmp/screen" <"$tmp/keys" >/dev/null 2>&1 9>&- &
	rt_pid=$!
	started+=("$rt_pid")
	wait_until 20 has_text "$tmp/screen" spin_hot || fail "no screen"
	grep -q "no screen" "$tmp/screen" && return
	has_text "$tmp/screen" "mlock limit" || {
		pass "locked memory is not short here: key R at its limit is not tried"
		return
	}
	printf R >&7
	wait_until 10 has_text "$tmp/screen" "record to" || fail "R does not ask"
	printf '\025%s\r' "$own/file" >&7
	wait_until 20 recorded_some || fail "nothing is recorded: $(grep -ao 'cannot record[ -~]*' "$tmp/screen")"
	printf R >&7
	wait_until 20 test -e "$own/file" || fail "the recording does not end"
	printf 'D' >&7
	wait_until 20 has_text "$tmp/screen" "snapshot 1" || fail "no snapshot afterwards"
	printf q >&7
	wait_until 15 gone "$rt_pid" || fail "q does not end it"
	rt -i "$own/file" --json
	expect_status 0 "what was recorded at the limit"
	holds "$(json 'sum:total.functions[function=spin_hot].samples') > 20" || fail "spin_hot was not recorded"
	pass "key R at the limit of locked memory"
}

recorded_some() {
	[ -n "$(find "$tmp/own" -name 'file.*.part' -size +20k)" ]
}

limit_case

# In a user namespace capabilities count for nothing, and what any user may do goes on.
echo 2 >$paranoid
if unshare -Ur true 2>/dev/null; then
	timeout 20 unshare -Ur "$RINGTOP" --json -e cpu-clock -F 499 -d 0.3 -- "$work/spin_hot" -s 0.6 >"$out" 2>"$err" </dev/null
	rt_status=$?
	expect_status 0 "COMMAND in a user namespace"
	holds "$(json 'sum:total.functions[function=spin_hot].samples') > 0" || fail "a user namespace: spin_hot was not measured"
	timeout 20 unshare -Ur "$RINGTOP" --json -a -n 1 -d 0.2 >"$out" 2>"$err" </dev/null
	rt_status=$?
	expect_status 3 "the whole machine in a user namespace"
	has_text "$err" "capabilities of a user namespace do not count" || fail "a user namespace: it says $(cat "$err")"
	pass "in a user namespace: $(head -n 1 "$err")"
fi

# A container's ringtop says of which samples it cannot see the processes.
if unshare -p -f --mount-proc true 2>/dev/null; then
	work_start "$work/spin_hot" -s 60
	wait_until 5 has_text "/proc/$work_pid/comm" spin_hot
	timeout 30 unshare -p -f --mount-proc "$RINGTOP" --json -a -e cpu-clock -n 1 -d 1 >"$out" 2>"$err" </dev/null
	rt_status=$?
	kill "$work_pid"
	expect_status 0 "the whole machine in a PID namespace"
	holds "$(json 'sum:total.functions[function=[unseen processes]].samples') > 0" || fail "a PID namespace: nothing is unseen"
	holds "$(json 'sum:total.functions[function=spin_hot].samples') == 0" || fail "a PID namespace: it sees through it"
	has_text "$out" "in a PID namespace: processes outside" || fail "a PID namespace: there is no note of it"
	pass "in a PID namespace: $(json 'sum:total.functions[function=[unseen processes]].samples') samples of processes that are not seen"
fi

# A container's filter may say ENOSYS of a system call that the kernel has.
command -v python3 >/dev/null || exit 0
cat >"$tmp/filtered.py" <<'E2'
import ctypes, os, platform, struct, sys
nr = {"x86_64": 298, "aarch64": 241}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, nr), (6, 0, 0, 0x50000 | 38), (6, 0, 0, 0x7fff0000)]
filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(filter)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
E2
for how in "-a" "-e cpu-clock -p $$" ""; do
	# shellcheck disable=SC2086 # words
	timeout 20 python3 "$tmp/filtered.py" "$RINGTOP" --json -n 1 -d 0.2 $how >"$out" 2>"$err" </dev/null
	rt_status=$?
	[ $rt_status != 77 ] || exit 0
	expect_status 3 "behind a filter that says ENOSYS, '$how'"
	has_text "$err" "seccomp" || fail "behind a filter that says ENOSYS, '$how', it says $(cat "$err")"
done
pass "behind a filter: $(head -n 1 "$err")"
