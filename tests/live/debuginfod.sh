#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A stripped program's debug file on a server: names and lines come while it runs, and to a file that is
# replayed; a server that does not answer holds nobody up.
. "$(dirname "$0")/lib.sh"
need_root
command -v python3 >/dev/null || skip "no python3 to serve files"
"$RINGTOP" --debuginfod --text -n 1 2>&1 | grep -q 'built without' && skip "built without libdebuginfod"
export HOME=$tmp DEBUGINFOD_CACHE_PATH=$tmp/cache DEBUGINFOD_URLS=

cat >"$tmp/program.c" <<'EOF'
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void only_in_its_lines(void)
{
	for (int i = 0; i < 1000000; i++)
		sink += i;
}
static __attribute__((noinline)) void only_in_debug_file(void)
{
	only_in_its_lines();
}
int main(void)
{
	for (;;)
		only_in_debug_file();
}
EOF
gcc -O2 -g -Wl,--build-id "$tmp/program.c" -o "$tmp/program" || fail "the program does not build"
id=$(readelf -n "$tmp/program" | sed -n 's/.*Build ID: //p')
mkdir -p "$tmp/served/buildid/$id"
objcopy --only-keep-debug "$tmp/program" "$tmp/served/buildid/$id/debuginfo"
strip -s "$tmp/program"
"$tmp/program" &
program=$!
started+=("$program")

"$RINGTOP" --debuginfod --text -n 1 -p "$program" >"$out" 2>"$err"
[ $? = 2 ] && grep -q 'DEBUGINFOD_URLS names no server' "$err" || fail "no server is named, and it goes on"
"$RINGTOP" --json --duration 1 -p "$program" -w "$tmp/recorded" >"$out" 2>"$err" || fail "cannot record"
grep -q only_in_debug_file "$out" && fail "it has the name without the file"

# One that takes the question and never answers.  The exit does not wait for it.
python3 -u -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(9); print(s.getsockname()[1])
held = [s.accept() for i in range(99)]' >"$tmp/mute" 2>/dev/null &
started+=($!)
wait_until 20 test -s "$tmp/mute" || fail "no server"
DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$tmp/mute") timeout 30 \
	"$RINGTOP" --debuginfod --json --duration 1 -p "$program" >"$out" 2>"$err" ||
	fail "held up by a server that does not answer: status $?"
pass "a mute server holds nobody up"

(cd "$tmp/served" && exec python3 -u -m http.server 0 --bind 127.0.0.1) >"$tmp/serving" 2>/dev/null &
started+=($!)
wait_until 20 grep -q 'port [0-9]' "$tmp/serving" || fail "no server"
port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$tmp/serving")
export DEBUGINFOD_URLS=http://127.0.0.1:$port

"$RINGTOP" --debuginfod --json --duration 60 -p "$program" >"$out" 2>"$err" &
rt_pid=$!
wait_until 20 grep -q only_in_debug_file "$out" || fail "the name did not come"
wait_until 20 grep -q only_in_its_lines "$out" || fail "the lines did not come"
kill -INT $rt_pid
wait $rt_pid
tail -n 1 "$out" | python3 -c 'import json, sys
sys.exit(not any(f["function"] == "only_in_debug_file" and f["self"] > 0.9
	for f in json.load(sys.stdin)["functions"]))' || fail "it has not all that was its from the first sample on"
pass "names came while it ran, for what was before, too"

# Whatever a server sends.
rm -rf "$tmp/cache"
cp "$tmp/served/buildid/$id/debuginfo" "$tmp/small"
truncate -s 20M "$tmp/served/buildid/$id/debuginfo"
"$RINGTOP" -i "$tmp/recorded" --debuginfod --max-memory 16M --json >"$out" 2>"$err" ||
	fail "a file that is too large ends the replay"
grep -q "program: the debug file that debuginfod has is larger than --max-memory 16M" "$out" "$err" ||
	fail "no word of a file that is too large"
grep -q only_in_debug_file "$out" && fail "a file that is too large is read"
mv "$tmp/small" "$tmp/served/buildid/$id/debuginfo"
pass "a file that is too large is refused"

rm -rf "$tmp/cache"
"$RINGTOP" -i "$tmp/recorded" --debuginfod --json >"$out" 2>"$err" || fail "the file cannot be replayed"
grep -q only_in_debug_file "$out" || fail "a replay does not wait for its names"
"$RINGTOP" -i "$tmp/recorded" --json >"$out" 2>"$err"
grep -q only_in_debug_file "$out" || fail "the cache is not looked into"
pass "names of a replay"
