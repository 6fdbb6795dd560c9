#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# src/ringtop-agent as a file that is sent to other hosts: static, small, quick to start; it says what it is,
# and its helpers are shut in as ringtop's own are (the unit tests that ask helpers, once more with this one).  Sent
# and unlinked, it finds a user without name services, and starts helpers of itself.
. "$(dirname "$0")/lib.sh"

agent=$(dirname "$RINGTOP")/ringtop-agent
[ -x "$agent" ] || skip "configure left out ringtop-agent (no static libraries, or sanitizers)"

readelf -lW "$agent" >"$out" || fail "readelf"
! grep -E 'INTERP|DYNAMIC' "$out" || fail "it is not static"
! grep -q nsswitch.conf "$agent" || fail "name services are in it, which want libraries of the host"
pass "static, without name services"

size=$(stat -c %s "$agent")
packed=$(gzip -9c "$agent" | wc -c)
[ "$size" -lt 4000000 ] && [ "$packed" -lt 1600000 ] || fail "$size bytes, $packed packed: more than 4 and 1.6 MB"
pass "$size bytes, $packed packed by gzip"

# The quickest of ten: the machine may be busy.
best=1000000000
for _ in {1..10}; do
	from=$(date +%s%N)
	version=$("$agent" --version)
	took=$(($(date +%s%N) - from))
	[ "$took" -ge "$best" ] || best=$took
done
[ "$version" = "ringtop-agent ${version##* }" ] && [ "${version##* }" = "$("$RINGTOP" --version | sed 's/.* //')" ] ||
	fail "--version says '$version'"
[ "$best" -lt 50000000 ] || fail "it takes $((best / 1000)) us to start"
pass "starts in $((best / 1000)) us"

"$agent" >"$out" 2>"$err"
[ $? = 2 ] && [ ! -s "$out" ] && grep -q 'ringtop -H' "$err" || fail "run by hand it does not say what it is"
pass "says what it is"

top=${RINGTOP_BUILDDIR:-$(dirname "$(dirname "$RINGTOP")")}
for name in sandbox/test_sandbox elf/test_image elf/test_linecache jit/test_jitdump jit/test_perfmap unwind/test_unwind; do
	test=$top/tests/unit/$name.test
	[ -x "$test" ] || skip "$test is not built"
	RINGTOP_BUILDDIR=$top RINGTOP_HELPER=ringtop-agent "$test" >"$out" 2>"$err" || {
		cat "$out"
		fail "$name, with helpers of ringtop-agent"
	}
done
pass "its helpers answer, and are refused what they should be"

need_root
need_perf
getent passwd nobody >/dev/null || skip "no user nobody"
need_work spin_hot
cp "$work/spin_hot" "$tmp/spin_user"
chown nobody "$tmp/spin_user" # not root's own: a helper reads it
chmod 755 "$tmp/spin_user"
work_start setpriv --reuid=nobody --regid=65534 --clear-groups "$tmp/spin_user" -s 60
wait_until 5 has_text "/proc/$work_pid/comm" spin_user || fail "spin_user does not start"
printf '#!/bin/sh\nPATH=/usr/bin:/bin exec /bin/sh\n' >"$tmp/ssh"
chmod 755 "$tmp/ssh"
rt_start -H here --ssh "$tmp/ssh" -d 0.3 -e cpu-clock -F 999 -u nobody
far=$(pgrep -P "$rt_pid" -f -- --agent) || fail "no process with --agent"
case $(readlink "/proc/$far/exe") in
*' (deleted)') ;;
*) fail "the agent runs from $(readlink "/proc/$far/exe")" ;;
esac
has_helpers() {
	pgrep -P "$far" -x ringtop-names >"$tmp/helpers"
}
wait_until 10 has_helpers || fail "no helper of an agent whose file is gone"
[ "$(ps -o comm=,args= -p "$far" | tr -s ' ')" = "ringtop-agent ringtop-agent --agent" ] ||
	fail "in lists of processes the agent is called $(ps -o comm=,args= -p "$far")"
helper=$(cat "$tmp/helpers")
[ "$(readlink "/proc/$helper/exe")" = "$(readlink "/proc/$far/exe")" ] || fail "the helper is another program"
rt_stop
expect_status 0 "a session by the agent"
check_report
holds "$(json 'sum:total.functions[function=spin_hot].samples') > 0" || fail "no function of a file that a helper reads"
wait_until 5 gone "$far" && wait_until 5 gone "$helper" || fail "the agent or its helper stays"
pass "unlinked, it names what its helpers read, for -u nobody, and nothing stays"
