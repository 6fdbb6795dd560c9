# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# far.sh - what tests of -H share, after lib.sh and, but for far_shell and far_named, sshd.sh: hosts to measure, and whether anything
# of what ran there is left.

# far_shell: every host is this machine, by a shell in place of ssh: --ssh "$far_shell"
far_shell() {
	far_shell=$tmp/far/ssh
	mkdir -p "$tmp/far/bin"
	ln -s "$RINGTOP" "$tmp/far/bin/ringtop"
	cat >"$far_shell" <<'SH'
#!/bin/bash
while [ "$1" != -- ]; do shift; done
shift 2
PATH=${0%/*}/bin:$PATH exec sh -c "$*"
SH
	chmod +x "$far_shell"
}

# far_named: every host is this machine by a name and with a network of its own, by a program in place of ssh: --ssh "$far_go".  With
# a file refuse-HOST in $hosts there is no way to it.  The agent has the pid in pid-HOST.
far_named() {
	unshare -u -n true 2>"$tmp/unshare" || skip "no namespaces: $(cat "$tmp/unshare")"
	hosts=$tmp/hosts
	far_go=$hosts/go
	mkdir -p "$hosts/bin"
	ln -s "$RINGTOP" "$hosts/bin/ringtop"
	cat >"$far_go" <<'GO'
#!/bin/bash
while [ "$1" != -- ]; do shift; done
host=$2 at=${0%/*}
shift 2
[ ! -e "$at/refuse-$host" ] || { echo "go: $host: Connection refused" >&2; exit 255; }
export PATH=$at/bin:$PATH
echo $$ >>"$at/pid-$host"
exec unshare -u -n sh -c "hostname $host; $*"
GO
	chmod +x "$far_go"
}

# far_start HOST...: after need_sshd, hosts with this ringtop; $far leads to the first
far_start() {
	local host

	for host; do
		mkdir -p "$hosts/bin-$host"
		cp "$RINGTOP" "$hosts/bin-$host/ringtop"
		sshd_start "$host" "$private_places"
		# keys are agreed on once; a relay finds the port here
		$ssh -n -- "$host" true || fail "cannot log in to $host: $(cat "$hosts/$host.log")"
	done
	far_by
}

# far_by [HOST,...]: $far leads to them
far_by() {
	far=(-H "${1:-far}" --ssh "$ssh")
}

# far_relay OPTIONS: $far leads through a line like that (tests/work/relay.c)
far_relay() {
	far=(-H far --ssh "$ssh -o ProxyCommand='$work/relay $* 127.0.0.1 %p'")
}

# far_agent [HOST]: its pid; empty where there is none
far_agent() {
	local pid

	for pid in $(sshd_processes "${1:-far}"); do
		{ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qE '^[^ ]+ --agent' && echo "$pid" && break
	done
}

far_has_agent() {
	[ -n "$(far_agent "${1:-far}")" ]
}

far_is_quiet() {
	[ -z "$(sshd_processes "$1")" ]
}

# far_left NAME [HOST]: nothing there any more, within a minute
far_left() {
	local host=${2:-far}

	wait_until 60 far_is_quiet "$host" ||
		fail "$1: still there: $(ps -o pid=,args= -p "$(sshd_processes "$host" | paste -sd,)")"
	[ -z "$(sshd_left "$host")" ] || fail "$1: files stay there: $(sshd_left "$host" | tr '\n' ' ')"
}

# identity NAME: counted = attributed + lost + pending
identity() {
	local counted attributed lost pending

	read -r -d '' counted attributed lost pending < <(json 'total.events[0].counted' \
		'total.events[0].attributed' 'total.events[0].lost' 'total.events[0].pending'; printf '\0')
	[ "$counted" = $((attributed + lost + pending)) ] ||
		fail "$1: counted $counted is not $attributed + $lost + $pending"
}
