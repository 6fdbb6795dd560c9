#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# INT and TERM end it within a second while it waits for a file that says nothing yet: a pipe without
# data, a FIFO that nobody writes, half a header, a log that nobody reads; and while it reads a small
# file that claims millions of ids.
. "$(dirname "$0")/lib.sh"

# SIGINT (bit 1) is held back from just before the input is opened.
holds_signals() {
	local mask

	mask=$(sed -n 's/^SigBlk:\t//p' "/proc/$rt_pid/status" 2>/dev/null)
	[ -n "$mask" ] && [ $((0x$mask & 2)) != 0 ]
}

# ends NAME SIGNAL: asked now, it is gone a second later
ends() {
	local since till

	wait_until 10 holds_signals || fail "$1: it does not begin"
	since=$(date +%s%N)
	kill -"$2" "$rt_pid"
	wait_until 10 gone "$rt_pid" || fail "$1: SIG$2 does not end it"
	till=$(date +%s%N)
	wait "$rt_pid"
	rt_status=$?
	[ $((till - since)) -lt 1000000000 ] || fail "$1: SIG$2: $(((till - since) / 1000000)) ms"
	pass "$1: SIG$2, status $rt_status"
}

# begin INPUT ARGS...
begin() {
	local input=$1

	shift
	env --default-signal=INT "$RINGTOP" --text "$@" <"$input" >"$out" 2>"$err" 9>&- &
	rt_pid=$!
	started+=("$rt_pid")
}

mkfifo "$tmp/silent" "$tmp/absent" "$tmp/half"
exec 7<>"$tmp/silent" 8<>"$tmp/half"
for signal in INT TERM; do
	begin "$tmp/silent" -i -
	ends "-i - without data" $signal
	grep -q "stopped before" "$err" || fail "-i -: no word of it"
	begin /dev/null -i "$tmp/absent"
	ends "-i FIFO that nobody writes" $signal
	printf 'PERFILEOF' >&8
	begin /dev/null -i "$tmp/half"
	ends "-i FIFO with half a header" $signal
done

# 4096 events whose ids are all in one section of 32 MB, most of it a hole.
command -v python3 >/dev/null || skip "no python3 to make a file"
python3 - "$tmp/ids" <<'EOF' || fail "the file cannot be made"
import struct, sys
events, each = 4096, 144
ids = 104 + events * each
out = open(sys.argv[1], "wb")
out.write(struct.pack("<QQQQQQQQQ", 0x32454c4946524550, 104, each, 104, events * each, ids, 8, 0, 0))
out.write(bytes(104 - out.tell()))
for i in range(events):
    attr = struct.pack("<IIQQQ", 1, 128, 0, 1000, 0).ljust(128, b"\0")
    out.write(attr + struct.pack("<QQ", ids, 32 << 20))
out.truncate(ids + (32 << 20))
EOF
[ "$(du -k "$tmp/ids" | cut -f 1)" -lt 1024 ] || skip "this file system keeps no holes"
since=$(date +%s%N)
timeout 20 "$RINGTOP" --text -i "$tmp/ids" >"$out" 2>"$err" && fail "4096 x 32 MB of ids: taken as good"
till=$(date +%s%N)
[ $((till - since)) -lt 5000000000 ] || fail "4096 x 32 MB of ids: $(((till - since) / 1000000)) ms"
grep -q "more than 1048576 ids" "$err" || fail "4096 x 32 MB of ids: no word why"
pass "4096 x 32 MB of ids: $(((till - since) / 1000000)) ms"

# A log that is full: nothing of it is waited for.
mkfifo "$tmp/log"
exec 6<>"$tmp/log"
dd if=/dev/zero bs=4096 count=1024 oflag=nonblock status=none >&6 2>/dev/null
for signal in INT TERM; do
	begin "$tmp/silent" -i - --log "$tmp/log"
	ends "--log FIFO that is full" $signal
done
