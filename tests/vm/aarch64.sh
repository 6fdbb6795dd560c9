#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ringtop-agent for aarch64: built by Debian's cross compiler (cross.sh) and run by qemu's user emulation, with a
# ringtop of this machine at the other end, and some unit tests too.  That emulation has no perf_event_open, so a session
# ends with that answer.
set -u

. "$(dirname "$0")/cross.sh"
unit='decode/test_record elf/test_gopclntab table/test_combine unwind/test_cfi unwind/test_archs wire/test_slicecode'

programs=
for name in $unit; do
	programs="$programs tests/unit/$name.test"
done
# shellcheck disable=SC2086 # words
make -s src/ringtop-agent $programs >>"$log" 2>&1 || fail "it does not compile"
[ "$(od -An -tu2 -j18 -N2 src/ringtop-agent)" -eq 183 ] || fail "that is no program for aarch64"
! readelf -lW src/ringtop-agent | grep -q INTERP || fail "it is not static"
size=$(stat -c %s src/ringtop-agent)
[ "$size" -lt 4000000 ] || fail "$size bytes are too much to send"
echo "ok: $size bytes, built in $((SECONDS - from)) s"

[ "$($emulate src/ringtop-agent --version)" = "$("$RINGTOP" --version | sed 's/ringtop/ringtop-agent/')" ] ||
	fail "--version"
[ "$($emulate src/ringtop-agent --agent --wire)" = "$("$RINGTOP" --agent --wire)" ] || fail "--agent --wire"
echo "ok: runs, and speaks our wire"

# Rows of whole objects, with libdw as the judge.
export RINGTOP_OBJECTS="$(find "$system/" -name libc.so.6 -o -name 'ld-linux-*.so.1' -o -name libdw.so.1 | tr '\n' ' ')"
[ -n "$RINGTOP_OBJECTS" ] || fail "no objects to judge rows of"
for name in $unit; do
	$emulate tests/unit/"$name".test >"$log" 2>&1
	case $? in
	0) ;;
	77) echo "skipped: $name: $(tail -n 1 "$log")" ;;
	*) fail "$name" ;;
	esac
done
echo "ok: unit tests $unit"

# The host has the agent as its ringtop; ssh is a shell here.
far=$cache/aarch64-far
mkdir -p "$far"
printf '#!/bin/sh\nexec %s %s/src/ringtop-agent "$@"\n' "$emulate" "$build" >"$far/ringtop"
printf '#!/bin/sh\nPATH=%s:/usr/bin:/bin exec /bin/sh\n' "$far" >"$far/ssh"
chmod 755 "$far/ringtop" "$far/ssh"
timeout 60 "$RINGTOP" -H arm --ssh "$far/ssh" --json -n 1 -p $$ >"$log" 2>&1 </dev/null
status=$?
# ENOSYS, by a kernel that has them as /proc says: that looks as a seccomp filter does.
want=1 why='this kernel has no perf events'
[ ! -e /proc/sys/kernel/perf_event_paranoid ] || want=3 why='not permitted to measure .* although the kernel has perf events'
[ $status = $want ] && grep -q "^ringtop: arm: $why" "$log" ||
	fail "a session there ends with $status, not with why there is none"
echo "ok: $(cat "$log")"
