#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs of a user are read by a helper: it has no rights, names come back after it was killed, the session
# ends while it is stopped, and nothing stays when ringtop is killed; where the system does not allow to take a
# right from it, that is said and the others are taken; a thousand objects at once have their names.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
command -v setpriv >/dev/null || skip "no setpriv"
command -v pgrep >/dev/null || skip "no pgrep"
need_work spin_hot many_objects

user=1000
home=$tmp/user
mkdir "$home" "$home/many" && cp "$work"/{spin_hot,many_objects,many_objects.so} "$home" ||
	fail "no directory for the user"
cp "$RINGTOP" "$home/ringtop"
for n in 1 2 3; do
	cp "$work/spin_hot" "$home/spin_$n"
done
chown -R $user:$user "$home"
as_user=(setpriv "--reuid=$user" "--regid=$user" --clear-groups --inh-caps=-all)

# spin N: start copy N, an object of its own; sets pid
spin() {
	"${as_user[@]}" "$home/spin_$1" -s 60 >/dev/null 9>&- &
	pid=$!
	started+=("$pid")
	wait_until 5 has_text "/proc/$pid/comm" "spin_$1" || fail "spin_$1 does not start"
}

# The helper for names, sets helper.
has_helper() {
	helper=$(pgrep -P "$rt_pid" -x ringtop-names)
}

named() { # N: the report so far has its function's name
	grep -q "\"function\":\"spin_hot\",\"object\":\"$home/spin_$1\"" "$out"
}

# status KEY VALUE
status() {
	grep -qE "^$1:[[:space:]]*$2[[:space:]]*\$" "/proc/$helper/status" ||
		fail "$what: not $1 $2: $(grep "^$1:" "/proc/$helper/status")"
}

is_closed() {
	status NoNewPrivs 1
	status Seccomp 2
	status CapEff 0+
	status CapPrm 0+
}

# --- what it is, and how it may end ---

what="a user's program"
spin 1
rt_start -a -e cpu-clock -d 0.1 --top 1000
wait_until 10 named 1 || fail "no name of spin_1"
has_helper || fail "no helper"
is_closed
status Uid "65534[[:space:]]+65534[[:space:]]+65534[[:space:]]+65534"
status Groups ""
[ "$(find "/proc/$helper/fd" -mindepth 1 | wc -l)" = 4 ] || fail "it has $(ls -l "/proc/$helper/fd")"

first=$helper
kill -KILL "$helper"
spin 2
wait_until 10 named 2 || fail "no name of spin_2 after the helper was killed"
has_helper || fail "no helper after it was killed"
[ "$helper" != "$first" ] || fail "it is still the same one"

# Asked while it is stopped: the session goes on, and ends.
kill -STOP "$helper"
spin 3
lines=$(($(wc -l <"$out") + 20))
wait_until 20 has_lines "$out" "$lines" || fail "no intervals while the helper is stopped"
named 3 && fail "spin_3 has a name by a helper that is stopped"
kill -INT "$rt_pid"
wait_until 5 gone "$rt_pid" || fail "it does not end while the helper is stopped"
rt_stop
expect_status 0 "a stopped helper"
wait_until 5 gone "$helper" || fail "the stopped helper stays"
check_report
[ "$(json 'total.self.helpers[name=names].ends')" = 1 ] || fail "the loss is not said: $(json total.self.helpers)"
[ "$(json 'total.self.helpers[name=names].uid')" = 65534 ] || fail "its uid is not said"
tail -n 1 "$out" | grep -qE "\"pid\":($rt_pid|$first|$helper),\"tid\"" && fail "ringtop and its helpers are not hidden"
kill "${started[@]}" 2>/dev/null
pass "rights, kill and stop"

what="ringtop is killed"
spin 1
rt_start -p "$pid" -e cpu-clock -d 0.1
wait_until 10 has_helper || fail "no helper"
disown "$rt_pid"
kill -KILL "$rt_pid"
wait_until 5 gone "$helper" || fail "it stays when ringtop is killed"
pass "it goes with ringtop"

# --- where a right cannot be taken from it ---

keeps() { # NAME RIGHTS COMMAND...: run until the helper has answered; what it keeps is said as RIGHTS
	local rights=$2

	what=$1
	shift 2
	: >"$out"
	"$@" --json -e cpu-clock -F 499 -d 0.1 -p "$pid" --self-stats >"$out" 2>"$err" 9>&- &
	rt_pid=$!
	started+=("$rt_pid")
	wait_until 20 named 1 || fail "$what: no name"
	has_helper || fail "$what: no helper"
	status NoNewPrivs 1
	status CapEff 0+
	grep -q "^Max address space *[0-9]" "/proc/$helper/limits" || fail "$what: its memory is not bounded"
	kill -TERM "$rt_pid"
	wait "$rt_pid"
	grep -q "its helper for names, .*$rights" "$err" || fail "$what: not said: $rights"
	pass "$what: $(grep -o 'uid [0-9]*: \|; .*' "$err" | tr -d '\n')"
}

keeps "no setuid" "it could not drop its privileges: .*setresuid: Operation not permitted" \
	setpriv --bounding-set=-setuid,-setgid --inh-caps=-all "$RINGTOP"
keeps "no new privileges" "1 start$" setpriv --no-new-privs "$RINGTOP"
hidden=
if sees_processes "${as_user[@]}"; then
	keeps "an ordinary user" "uid $user: .*1 start$" "${as_user[@]}" "$home/ringtop"
else
	hidden="an ordinary user's session: /proc hides others' processes, its helper among them (hidepid)"
fi
if command -v python3 >/dev/null; then
	# prctl(PR_SET_SECCOMP) says EINVAL, as a kernel without filters does
	cat >"$tmp/closed.py" <<-'END'
		import ctypes, os, struct, sys
		nr = {"x86_64": 157, "aarch64": 167}[os.uname().machine]
		code = [(0x20, 0, 0, 0), (0x15, 0, 3, nr), (0x20, 0, 0, 16), (0x15, 0, 1, 22),
		        (0x06, 0, 0, 0x50000 | 22), (0x06, 0, 0, 0x7fff0000)]
		text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
		program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(text))
		libc = ctypes.CDLL(None, use_errno=True)
		if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
		    sys.exit("no filter: %d" % ctypes.get_errno())
		os.execv(sys.argv[1], sys.argv[1:])
	END
	keeps "no seccomp" "it could not drop its privileges: seccomp: Invalid argument" python3 "$tmp/closed.py" "$RINGTOP"
fi

# In a namespace of its own only a file can be read: its objects are found there, and are the user's.
what="a namespace"
rt -p "$pid" -e cpu-clock --json -d 0.3 -n 1 -w "$tmp/data"
unshare -r true 2>/dev/null && {
	unshare -r "$RINGTOP" --json -i "$tmp/data" --self-stats >"$out" 2>"$err" || fail "$what: status $?"
	named 1 || fail "$what: no name"
	grep -q "it could not drop its privileges: setgroups: .*setresuid: Invalid" "$err" || fail "$what: rights are not said"
	pass "$what"
}
kill "$pid"

# --- many at once ---

what="a thousand objects"
rt_start -e page-faults:u -c 1 -d 1 --top 4000 -- "${as_user[@]}" "$home/many_objects" "$home/many_objects.so" \
	"$home/many" 1000
wait_until 40 has_text "$err" faulted || fail "$what: they are not there"
seen=$(wc -l <"$out")
names_are_read() { # in intervals that began after the last fault, and none between; the end waits only half a second
	local calls

	calls=$(tail -n "+$((seen + 2))" "$out" | grep '"loading":0,"queued":0' | grep -o '"name":"names"[^}]*' |
		grep -o '"calls":[0-9]*' | tail -n 2)
	[ "$(wc -l <<<"$calls")" = 2 ] && [ "$(uniq <<<"$calls" | wc -l)" = 1 ]
}
wait_until 200 names_are_read || fail "$what: their names are still being read"
rt_stop
check_report
holds "$(json 'total.self.helpers[name=names].peak_bytes') < 128 * 1048576" ||
	fail "$what: the helper took $(json 'total.self.helpers[name=names].peak_bytes')"
all=$(tail -n 1 "$out" | grep -o '"function":"object_[0-9]*"' | sort -u | wc -l)
[ "$all" = 1000 ] || fail "$what: $all have a name"
[ "$(json 'total.self.helpers[name=names].ends')" = 0 ] || fail "$what: $(json 'total.self.helpers[name=names].why')"
pass "$what: $(json 'total.self.helpers[name=names].calls') questions, the helper took" \
	"$(json 'total.self.helpers[name=names].peak_bytes') bytes, all $(json total.self.rss_bytes)"
[ -z "$hidden" ] || skip "the rest passed; $hidden"
