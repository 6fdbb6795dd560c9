#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Wrong usage ends with 2 and one helpful line on stderr, and what was written with a caret, where that helps; --help and --version with 0 on stdout.
. "$(dirname "$0")/lib.sh"

wrong() {
	rt "$@" </dev/null
	[ "$rt_status" = 2 ] || fail "exit status $rt_status, not 2: ringtop $*"
	[ "$(grep -vc '^  ' "$err")" = 1 ] || fail "not one line on stderr: ringtop $*"
	[ ! -s "$out" ] || fail "stdout is not empty: ringtop $*"
}

wrong --no-such-option
wrong -F
wrong -F abc --json
wrong -F -1 --json
wrong -c 0 --json
wrong -c 12x --json
wrong -p notapid --json
wrong -p 1,,2 --json
wrong -t 0 --json
wrong -u no-such-user-here --json
wrong -C 1-0 --json
wrong -C 99999999 --json
wrong -e no-such-event --json
wrong -e no_such:tracepoint --json
wrong -d -1 --json
wrong -d 0x --json
wrong -n none --json
wrong --duration never --json
wrong -m 0 --json
wrong -m 3Q --json
wrong --json --text
wrong --jsno
has_text "$err" json || fail "a misspelt option does not bring the nearest one: $(cat "$err")"

# A ring that the kernel has no room for: how large it is, and how large it may be.
for size in 8G 100G; do
	rt -m $size --text -n 1
	grep -q "Operation not permitted\|perf_event_mlock_kb" "$err" && continue # bounded by rights before that
	expect_status 1 -m $size
	has_text "$err" 'a ring ' || fail "-m $size: $(cat "$err")"
	has_text "$err" 'the machine' || fail "-m $size does not say what there is: $(cat "$err")"
done

for option in --help --version; do
	rt $option
	expect_status 0 $option
	[ -s "$out" ] || fail "$option says nothing"
	[ ! -s "$err" ] || fail "$option writes to stderr"
done
pass "usage"
