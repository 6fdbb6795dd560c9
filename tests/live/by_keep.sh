#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sessions one after the other in one directory (--keep-for), summed up by other fields and with other pairs: what the older
# one has is never told under the newer one's names; its samples are there, to the event.
. "$(dirname "$0")/lib.sh"
need_perf
need_tracepoint raw_syscalls sys_enter
need_work storm_exact

# keep OPTION...: a session of 50000 system calls into the directory
keep() {
	rt --text --keep-for 1h "$tmp/kept" -m 32M -e raw_syscalls:sys_enter "$@" -- "$work/storm_exact" 50000
	expect_status 0 "$*"
}

# told: keys and counts, then pairs, of the directory
told() {
	rt -i "$tmp/kept" --json
	expect_status 0 "-i of the directory"
	check_report
	{
		json 'total.fields[event~raw_syscalls:sys_enter]{key=,count}' | sed 's/=/:/; s/^-/rest/; s/\t/=/' | sort
		json 'total.latencies{count}' | sed 's/^/pairs=/'
	} | paste -sd' '
}

keep --by id --between syscalls
keep --by id --between syscalls
is=$(told)
[ "$is" = "id:110=99998 id:231=2 pairs=99998" ] || fail "the same fields: $is"
pass "the same fields are one list: $is"

rm -rf "$tmp/kept"
keep --by id --between syscalls
keep --by comm --between raw_syscalls:sys_enter,raw_syscalls:sys_exit:id
is=$(told)
[ "$is" = "comm:storm_exact=50000 rest=50000 pairs=49999" ] || fail "other fields: $is"
pass "other fields are the rest: $is"
