# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# orders.sh - orders for a ringtop that rt_launch has started with --control "$orders_control", each answered; after lib.sh.

orders_control=fifo:$tmp/ctl,$tmp/ack

orders_there() {
	[ -p "$tmp/ctl" ] && [ -p "$tmp/ack" ]
}

# orders_open SECONDS: the FIFOs are there by then, and open: orders on descriptor 5, answers on 6.
orders_open() {
	wait_until "$1" orders_there || fail "the FIFOs are not made: $(cat "$err")"
	exec 5<>"$tmp/ctl" 6<>"$tmp/ack"
}

# An order, and its answer.
order() {
	printf '%s\n' "$1" >&5
	read -r -t 10 answer <&6 || fail "'$1' is not answered"
	[ "$answer" = ack ] || fail "'$1' is answered: $answer"
}

# reports N: so many intervals have been told
reports() {
	[ "$(grep -c '"type":"interval"' "$out")" -ge "$1" ]
}
