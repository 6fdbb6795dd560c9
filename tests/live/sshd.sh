# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sshd.sh - hosts to log in to: real sshds on loopback; sourced behind lib.sh.
#
# Each host is an sshd with a port and a mount namespace of its own, keys made for the test, and users that are
# nobody else's: /etc/passwd, shadow, group and sudoers.d are the test's over there, the machine's own stay as they are.
# So is /run: an sshd whose /run/sshd another test takes away resets every connection.
#
#   need_sshd                              or SKIP
#   sshd_user NAME SHELL [PASSWORD]        an account on the hosts to come (root is there), in group sudo with a password
#   sshd_start HOST [COMMANDS]             COMMANDS run in its namespace first: mounts
#   sshd_stop HOST                         no more logins
#   sshd_kill HOST                         it dies, with all that runs there
#   $ssh -- HOST COMMAND                   logs in; --ssh "$ssh" does
#   sshd_in HOST COMMAND...                run in its namespace
#   sshd_processes HOST                    what runs there, without the sshd that listens
#   sshd_left HOST                         what lies in its temporary places and homes, by name
#
# $hosts, here, is /mnt over there: /mnt/bin-HOST is first in PATH, /mnt/home/USER is a home.  private_places, among
# the COMMANDS, gives it empty ones of /tmp, /var/tmp, /dev/shm and /run/user; no_shm takes /dev/shm away.

# Logins take their time on a busy machine.
WAIT_FACTOR=$((${WAIT_FACTOR:-1} * 3))

hosts=$tmp/hosts
ssh="ssh -F $hosts/config"
declare -A sshd_pids=() sshd_spaces=()

private_places='for d in /tmp /var/tmp /dev/shm /run/user; do mount -t tmpfs -o mode=1777 tmpfs $d; done'
no_shm='mkdir -p /mnt/dev; mount -t tmpfs tmpfs /mnt/dev
	for n in null zero full random urandom tty; do : >/mnt/dev/$n; mount --bind /dev/$n /mnt/dev/$n; done
	mkdir /mnt/dev/pts; mount --rbind /dev/pts /mnt/dev/pts; ln -s pts/ptmx /mnt/dev/ptmx
	ln -s /proc/self/fd /mnt/dev/fd; mount --rbind /mnt/dev /dev'

need_sshd() {
	local program

	need_root
	for program in sshd ssh ssh-keygen unshare nsenter perl; do
		PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip "no $program"
	done
	unshare -m true 2>"$tmp/unshare" || skip "no mount namespaces: $(cat "$tmp/unshare")"
	mkdir -p "$hosts/home/root" "$hosts/sudoers.d"
	chmod 755 "$hosts" "$hosts/home"
	ssh-keygen -q -t ed25519 -N '' -f "$hosts/hostkey" && ssh-keygen -q -t ed25519 -N '' -f "$hosts/key" ||
		fail "no keys"
	chmod 644 "$hosts/key.pub"
	cp /etc/passwd /etc/group "$hosts"
	sed 's/^root:[^:]*/root:*/' /etc/shadow >"$hosts/shadow"
	sed -i 's,^root:.*,root:x:0:0:root:/mnt/home/root:/bin/bash,' "$hosts/passwd"
	sshd_uid=20000
}

sshd_user() {
	local hash='*'

	[ -x "$2" ] || return 1
	[ $# -lt 3 ] || {
		hash=$(perl -e 'print crypt($ARGV[0], "\$6\$ringtop")' "$3")
		sed -i "s/^sudo:.*/&,$1/; s/:,/:/" "$hosts/group"
	}
	sshd_uid=$((sshd_uid + 1))
	echo "$1:x:$sshd_uid:65534::/mnt/home/$1:$2" >>"$hosts/passwd"
	echo "$1:$hash:19000:0:99999:7:::" >>"$hosts/shadow"
	mkdir "$hosts/home/$1"
	chown $sshd_uid:65534 "$hosts/home/$1"
}

sshd_config() { # host, port
	cat <<-END
	Port $2
	ListenAddress 127.0.0.1
	HostKey /mnt/hostkey
	AuthorizedKeysFile /mnt/key.pub
	PidFile none
	UsePAM no
	PasswordAuthentication no
	StrictModes no
	PermitRootLogin yes
	MaxStartups 100
	PrintMotd no
	SetEnv PATH=/mnt/bin-$1:/usr/local/bin:/usr/bin:/bin
	END
}

sshd_listens() { # host
	has_text "$hosts/$1.log" "listening on" || gone "${sshd_pids[$1]}"
}

# A port that nobody has is found by trying.
sshd_start() {
	local port tries

	mkdir -p "$hosts/bin-$1" "$hosts/run-$1/sshd" "$hosts/run-$1/user"
	for tries in 1 2 3 4 5 6 7 8; do
		port=$((20000 + RANDOM))
		sshd_config "$1" $port >"$hosts/$1.conf"
		unshare -m bash -c 'mount --bind "$1" /mnt && mount --bind "$1/run-$2" /run && for f in passwd shadow group sudoers.d; do
				[ ! -e /etc/$f ] || mount --bind /mnt/$f /etc/$f || exit; done; eval "$3"
			exec $(PATH=$PATH:/usr/sbin command -v sshd) -D -e -f "/mnt/$2.conf"' sh "$hosts" "$1" "${2:-}" \
			</dev/null >"$hosts/$1.log" 2>&1 9>&- &
		sshd_pids[$1]=$!
		started+=($!)
		wait_until 10 sshd_listens "$1" || fail "no sshd: $(cat "$hosts/$1.log")"
		gone "${sshd_pids[$1]}" || break
	done
	gone "${sshd_pids[$1]}" && fail "no sshd after $tries ports: $(cat "$hosts/$1.log")"
	sshd_spaces[$1]=$(readlink "/proc/${sshd_pids[$1]}/ns/mnt")
	on_exit "sshd_kill $1"
	cat >>"$hosts/config" <<-END
	Host $1
		HostName 127.0.0.1
		Port $port
		HostKeyAlias ringtop-test
		IdentityFile $hosts/key
		IdentitiesOnly yes
		UserKnownHostsFile $hosts/known_hosts
		StrictHostKeyChecking accept-new
		LogLevel ERROR
	END
}

sshd_in() {
	local host=$1

	shift
	nsenter -m -t "${sshd_pids[$host]}" -- "$@"
}

sshd_stop() {
	kill "${sshd_pids[$1]}"
	wait "${sshd_pids[$1]}" 2>/dev/null
}

sshd_processes() {
	local space

	for space in /proc/[0-9]*/ns/mnt; do
		[ "$(readlink "$space" 2>/dev/null)" = "${sshd_spaces[$1]}" ] || continue
		space=${space#/proc/}
		[ "${space%%/*}" = "${sshd_pids[$1]}" ] || echo "${space%%/*}"
	done
}

sshd_kill() {
	# shellcheck disable=SC2046 # process ids
	kill -KILL "${sshd_pids[$1]}" $(sshd_processes "$1") 2>/dev/null
}

sshd_left() {
	sshd_in "$1" find /tmp /var/tmp /dev/shm /run/user /mnt/home -mindepth 1 \
		\( -name '*ringtop*' -o -name '.boot-*' -o -path '*/ringtop/*' \) 2>/dev/null
}
