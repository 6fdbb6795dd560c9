#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The screen over -H: rows, keys, a key's work there, a line that is cut while it is on and comes back, q.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sshd.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
need_work relay spin_hot
need_sshd
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o "$tmp/ptyrun" "$tests_dir/bench/ptyrun.c" -lvterm -lutil 2>"$err" ||
	skip "ptyrun needs libvterm"
far_start far
mkdir "$hosts/dumps"

# screen NAME [OPTION...]: the script on stdin
screen() {
	local name=$1

	shift
	timeout -k 5 120 "$tmp/ptyrun" -r 40 -c 140 -- "$RINGTOP" "${far[@]}" -e cpu-clock "$@" >"$tmp/pty" 2>&1 || {
		cat "$tmp/pty" >&2
		fail "$name"
	}
	far_left "$name"
	pass "$name"
}

work_start "$work/spin_hot" -s 120
wait_until 5 has_text "/proc/$work_pid/comm" spin_hot

screen "rows, views, code, a dump there" --snapshot-dir /mnt/dumps <<-END
	expect 20 spin_hot
	key 6
	expect 5 cpu0
	key 1
	expect 5 spin_hot
	key \e[H
	key \n
	pump 1
	key 1
	key D
	run i=0; until ls $hosts/dumps/*.data >/dev/null 2>&1 || [ \$((i += 1)) -gt 500 ]; do sleep 0.02; done
	key q
	exit 10
END
ls "$hosts/dumps/"*.data >/dev/null 2>&1 || fail "key D: nothing there"

far_relay "-d 5 -p $tmp/relay.pid -x $tmp/down"
screen "cut and back" <<-END
	expect 20 spin_hot
	run touch $tmp/down; kill -USR1 \$(cat $tmp/relay.pid)
	expect 20 CUT
	gone 15 CUT 0
	key 2
	expect 5 spin_hot
	key 1
	run rm $tmp/down
	gone 40 CUT
	expect 10 LIVE
	key q
	exit 10
END

screen "q while it is cut" <<-END
	expect 20 spin_hot
	run touch $tmp/down; kill -USR1 \$(cat $tmp/relay.pid)
	expect 20 CUT
	key q
	exit 10
END
rm -f "$tmp/down"
kill "$work_pid"
