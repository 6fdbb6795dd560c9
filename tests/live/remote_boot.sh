#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An agent gets to run on a host by ssh, whatever its login shell prints and is, wherever files may be run, installed,
# kept or sent; with sudo; and nothing stays there.  The agents are scripts: what they do is not the matter here.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sshd.sh"
need_sshd
command -v script >/dev/null || skip "no script(1)"
bootrun=${RINGTOP_BUILDDIR:-$PWD}/tests/live/bootrun.test
[ -x "$bootrun" ] || skip "$bootrun is not there"
machine=$(uname -m)
export RINGTOP_AGENT_DIR=$hosts/agents

# make_agent FILE WIRE [BYTES]: it says who it is and ends with its pipe
make_agent() {
	mkdir -p "$(dirname "$1")"
	{
		printf '#!/bin/sh\ncase $* in *--wire*) echo ringtop-wire %s; exit;; esac\n' "$2"
		# shellcheck disable=SC2016 # expands there
		printf 'echo "hello $(id -u) $*"; cat >/dev/null; exit\n'
		head -c "${3:-1}" /dev/urandom
	} >"$1"
	chmod 755 "$1"
}

# boot USER HOST WORDS...: until it runs, or does not; it goes on until `leave`
boot() {
	local user=$1 host=$2

	shift 2
	rm -f "$tmp/stay"
	mkfifo "$tmp/stay"
	exec 7<>"$tmp/stay"
	: >"$out"
	"$bootrun" "$user@$host" "$ssh" "$@" <"$tmp/stay" >"$out" 2>"$err" 7>&- 9>&- &
	boot_pid=$!
	started+=($boot_pid)
	wait_until 30 booted || fail "neither runs nor ends: $user@$host $*"
}

booted() {
	has_text "$out" "^ms:" || gone $boot_pid
}

leave() {
	echo >&7
	wait_until 10 gone $boot_pid || fail "does not end"
	wait $boot_pid
	boot_status=$?
}

runs_nothing() {
	[ -z "$(sshd_processes "$1")" ]
}

nothing_left() { # host, what
	wait_until 10 runs_nothing "$1" || fail "$2: still runs: $(ps -o pid,args -p "$(sshd_processes "$1" | paste -sd,)")"
	[ -z "$(sshd_left "$1")" ] || fail "$2: left there: $(sshd_left "$1")"
}

# runs USER HOST UID NOTE WORDS...: the agent runs there as UID, and nothing of it is in a directory meanwhile
runs() {
	local user=$1 host=$2 uid=$3 note=$4

	shift 4
	boot "$user" "$host" "$@"
	has_text "$out" "^hello $uid --agent" || fail "$user@$host $*: $(cat "$out" "$err")"
	has_text "$out" "^note: $note" || fail "$user@$host $*: not '$note': $(cat "$out")"
	[[ " $* " == *" keep "* ]] || [ -z "$(sshd_left "$host")" ] || fail "lies there while it runs: $(sshd_left "$host")"
	leave
	[ $boot_status = 0 ] || fail "$user@$host $*: ended with $boot_status"
	[[ " $* " == *" keep "* ]] || nothing_left "$host" "$user@$host $*"
}

# refused USER HOST STATUS WORDS-OF-ERROR WORDS...
refused() {
	local user=$1 host=$2 status=$3 words=$4

	shift 4
	boot "$user" "$host" "$@"
	leave
	[ $boot_status = "$status" ] || fail "$user@$host $*: ended with $boot_status"
	has_text "$err" "$words" || fail "$user@$host $*: not '$words'"
	nothing_left "$host" "$user@$host $*"
}

# typed USER HOST TEXT WORDS...: the same at a terminal, where TEXT is typed for each prompt ($prompt)
prompt="wants your password: "
typed() {
	local user=$1 host=$2 text=$3 prompts=0

	shift 3
	rm -f "$tmp/stay"
	mkfifo "$tmp/stay"
	exec 7<>"$tmp/stay"
	: >"$tmp/screen"
	script -qfec "'$bootrun' '$user@$host' '$ssh' $* 2>'$err'" "$tmp/screen" <"$tmp/stay" >/dev/null 2>&1 7>&- 9>&- &
	boot_pid=$!
	started+=($boot_pid)
	while :; do
		wait_until 30 asks_or_done $((prompts + 1)) || fail "no prompt: $(cat "$tmp/screen")"
		[ "$(prompts)" -gt $prompts ] || break
		prompts=$((prompts + 1))
		printf '%s\n' "$text" >&7
	done
}

# at_terminal [NAME]: what runs there
at_terminal() {
	pgrep -s "$(ps -o sid= -p "$(pgrep -P $boot_pid)" | tr -d ' ')" "$@"
}

prompts() {
	grep -o "$prompt" "$tmp/screen" | wc -l
}

asks_or_done() {
	[ "$(prompts)" -ge "$1" ] || has_text "$tmp/screen" "^ms:" || gone $boot_pid
}

says_twice() {
	[ "$(grep -c "^hello 0 --agent" "$tmp/screen")" = 2 ]
}

make_agent "$RINGTOP_AGENT_DIR/$machine/ringtop-agent" 1.0
sshd_user ann /bin/bash geheim
sshd_user bea /bin/bash anderes # has one, and may not use it
sed -i '/^sudo:/s/,*bea//' "$hosts/group"
sshd_user dan /bin/bash
sshd_user eve /bin/bash
cp /etc/sudoers.d/* "$hosts/sudoers.d"
cat >"$hosts/sudoers.d/test" <<'END'
Defaults lecture=always
dan ALL=(ALL) NOPASSWD: ALL
eve ALL=(root) NOPASSWD: /mnt/bin-one/ringtop
END
shells=(bash)
for shell in dash fish tcsh; do
	sshd_user "u$shell" "$(command -v $shell)" && shells+=($shell)
done
sshd_user ubash /bin/bash
for user in "$hosts"/home/*; do
	mkdir -p "$user/.config/fish"
	echo 'echo "Welcome; } to this host"; printf "no end of line"' | tee "$user/.bashrc" "$user/.config/fish/config.fish" >"$user/.cshrc"
	chmod -R a+rX "$user"
done
noexec='mount -o remount,noexec'
sshd_start one "$private_places"
sshd_start two "$private_places; $noexec /tmp; $no_shm"
sshd_start three "$private_places; for d in /tmp /var/tmp /dev/shm; do $noexec \$d; done
	mount --bind /mnt/home /mnt/home; mount -o remount,bind,noexec /mnt/home"

for shell in "${shells[@]}"; do
	uid=$(awk -F: -v u="u$shell" '$1 == u { print $3 }' "$hosts/passwd")
	[ "$($ssh -- "u$shell@one" true </dev/null)" = "$(printf 'Welcome; } to this host\nno end of line')" ] ||
		[ "$shell" = dash ] || fail "the login of u$shell does not print"
	runs "u$shell" one "$uid" "sent .* by way of /dev/shm"
	runs "u$shell" two "$uid" "sent .* by way of /var/tmp"
done
runs root one 0 "sent .* by way of /dev/shm"
pass "sent to ${shells[*]}, to noexec /tmp, without /dev/shm; root"

# A shell and tools that are all busybox, by another way than ssh.
if command -v busybox >/dev/null && busybox --list | grep -qx ash; then
	mkdir -p "$hosts/box/bin" "$hosts/box/proc" "$hosts/box/tmp" "$hosts/box/dev"
	cp "$(command -v busybox)" "$hosts/box/bin"
	for tool in $(busybox --list); do
		[ "$tool" = busybox ] || ln -s busybox "$hosts/box/bin/$tool"
	done
	plain=$ssh
	ssh="unshare -m sh -c 'mount -t proc proc $hosts/box/proc; mount --bind /dev $hosts/box/dev
		mount -t tmpfs tmpfs $hosts/box/dev/shm; exec chroot $hosts/box /bin/sh' %h"
	boot root box
	has_text "$out" "^hello 0 --agent" || fail "busybox: $(cat "$out" "$err")"
	has_text "$out" "^note: sent .* by way of /dev/shm$" || fail "busybox: $(cat "$out")"
	leave
	ssh=$plain
	pass "sent to busybox"
fi

refused ann three 3 "no directory for ringtop's agent: /dev/shm does not allow execution (noexec); /tmp does not allow execution (noexec); \
/var/tmp does not allow execution (noexec); /mnt/home/ann does not allow execution (noexec) | "
pass "nowhere a place: $(cat "$err")"

for host in one three; do
	make_agent "$hosts/bin-$host/ringtop" 1.3
	runs ann $host 20001 "$"
done
make_agent "$hosts/bin-one/ringtop" 0.9
runs ann one 20001 "sent "
make_agent "$hosts/bin-one/ringtop" 2.0
runs ann one 20001 "sent "
printf '#!/bin/sh\necho "unknown option --agent" >&2; exit 2\n' >"$hosts/bin-one/ringtop"
runs ann one 20001 "sent "
rm "$hosts/bin-one/ringtop"
pass "installed; of another wire; of a time before it"

runs ann one 20001 "sent " keep
[ "$(sshd_left one | sed 's/agent-[0-9a-f]\{64\}$/HASH/')" = "/mnt/home/ann/.cache/ringtop
/mnt/home/ann/.cache/ringtop/HASH" ] || fail "kept: $(sshd_left one)"
runs ann one 20001 "$" keep
rm -r "$hosts/home/ann/.cache"
pass "kept in the cache"

mv "$RINGTOP_AGENT_DIR/$machine" "$RINGTOP_AGENT_DIR/other"
refused ann one 1 "no agent for $machine to send: $RINGTOP_AGENT_DIR/$machine/ringtop-agent does not exist"
pass "architecture missing: $(cat "$err")"
mv "$RINGTOP_AGENT_DIR/other" "$RINGTOP_AGENT_DIR/$machine"
# shellcheck disable=SC2016 # expands there
printf '#!/bin/sh\n/bin/gzip "$@"\n[ $# = 0 ] || echo more\n' >"$hosts/bin-one/gzip"
chmod 755 "$hosts/bin-one/gzip"
refused ann one 1 "the agent was changed in transfer"
rm "$hosts/bin-one/gzip"
pass "checksum wrong: $(cat "$err")"

# Cut while it is sent, by a ringtop that goes, and by SIGKILL of the shell there.
make_agent "$RINGTOP_AGENT_DIR/$machine/ringtop-agent" 1.0 8000000
for _ in 1 2 3; do
	"$bootrun" ann@one "$ssh" cut >"$out" 2>"$err" </dev/null || fail "cut: no transfer"
	nothing_left one "cut while it is sent"
done
mkfifo "$hosts/block"
chmod 666 "$hosts/block"
printf '#!/bin/sh\n[ $# = 1 ] || exec /bin/gzip\n[ $1 != -dc ] || exec cat /mnt/block\n' >"$hosts/bin-one/gzip"
chmod 755 "$hosts/bin-one/gzip"
boot_blocked() {
	"$bootrun" ann@one "$ssh" >"$out" 2>"$err" </dev/null 9>&- &
	boot_pid=$!
	started+=($boot_pid)
	wait_until 10 lies_there || fail "nothing there to be cut"
}
lies_there() {
	[ -n "$(sshd_left one)" ]
}
boot_blocked
shell=$(sshd_left one | sed -n 's/.*-\([0-9]*\)-[0-9a-f]\{32\}$/\1/p')
kill -KILL "$shell" || fail "no shell $shell: $(sshd_left one)"
# shellcheck disable=SC2046 # process ids
kill -KILL $(sshd_processes one) 2>/dev/null
wait_until 10 gone $boot_pid || fail "does not end with its shell"
lies_there || fail "a shell that was killed cleans up?"
rm "$hosts/bin-one/gzip"
make_agent "$RINGTOP_AGENT_DIR/$machine/ringtop-agent" 1.0
runs ann one 20001 "sent "
pass "cut while it is sent; what a killed shell left goes the next time"

# A connection that is shared: its master is the user's and stays.
plain=$ssh
short=$(mktemp -d /tmp/cm.XXXX) # a socket's name is
on_exit "rm -rf $short"
ssh="$ssh -o ControlMaster=auto -o ControlPersist=60 -o ControlPath=$short/%n"
boot ann one
has_text "$out" "^hello 20001" || fail "no agent with ControlMaster: $(cat "$err")"
leave
boot ann one
has_text "$out" "^hello 20001" || fail "no agent by the master: $(cat "$err")"
leave
[ $boot_status = 0 ] || fail "by the master: ended with $boot_status"
$ssh -O exit -- ann@one 2>/dev/null || fail "the master has gone"
ssh=$plain
nothing_left one ControlMaster
pass "ControlMaster"

# ssh's own questions are asked on the terminal, and Ctrl-C there does not end it before us.
ssh-keygen -q -t ed25519 -N sesam -f "$hosts/locked" || fail "no key"
cat "$hosts/locked.pub" >>"$hosts/key.pub"
sed "s,IdentityFile .*,IdentityFile $hosts/locked," "$hosts/config" >"$hosts/config.locked"
ssh="ssh -F $hosts/config.locked"
refused ann one 3 "Permission denied (publickey" batch
prompt="Enter passphrase for key"
typed ann one sesam
has_text "$tmp/screen" "^hello 20001" || fail "no agent after ssh's question: $(cat "$tmp/screen" "$err")"
[ "$(prompts)" = 1 ] || fail "ssh asked $(prompts) times"
pid=$(at_terminal ssh)
ignored=$(sed -n 's/^SigIgn:[[:space:]]*/0x/p' "/proc/$pid/status")
((ignored & 2 && ignored & 4)) || fail "ssh ends at Ctrl-C: it ignores $ignored"
leave
[ $boot_status = 0 ] || fail "ssh's question: ended with $boot_status: $(cat "$err")"
nothing_left one "ssh's question"
prompt="wants your password: "
ssh=$plain
pass "ssh's own questions; ssh stays at Ctrl-C"

command -v sudo >/dev/null || skip "no sudo"
runs root one 0 "sent " sudo
runs dan one 0 "sent " sudo
runs dan one 0 "sent " sudo batch
refused eve one 3 "sudo wants a password, and there is no terminal" sudo batch # may not run what is sent
make_agent "$hosts/bin-one/ringtop" 1.0
runs eve one 0 "$" sudo batch
refused ann one 3 "sudo wants a password, and there is no terminal" sudo batch
setsid -w "$bootrun" ann@one "$ssh" sudo >"$out" 2>"$err" </dev/null
[ $? = 3 ] || fail "no terminal to ask at"
has_text "$err" "sudo wants a password, and there is no terminal" || fail "no terminal to ask at"
typed ann one geheim sudo twice
[ "$(prompts)" = 1 ] || fail "asked $(prompts) times: $(cat "$tmp/screen")"
has_text "$tmp/screen" "^hello 0 --agent" || fail "no agent by sudo's password: $(cat "$tmp/screen" "$err")"
for pid in $(sshd_processes one) $(at_terminal); do
	! cat "/proc/$pid/cmdline" "/proc/$pid/environ" 2>/dev/null | grep -aq geheim || [ "$pid" = "$$" ] ||
		fail "the password is seen: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
done
echo >&7
wait_until 10 says_twice || fail "the second time: $(cat "$tmp/screen" "$err")"
leave
nothing_left one "sudo's password"
[ "$(prompts)" = 1 ] || fail "asked $(prompts) times: $(cat "$tmp/screen")"
! grep -q geheim "$tmp/screen" "$err" "$hosts/one.log" || fail "the password is on the screen"
rm "$hosts/bin-one/ringtop"
typed ann one geheim sudo
has_text "$tmp/screen" "^hello 0 --agent" || fail "no agent that was sent, by sudo's password: $(cat "$tmp/screen" "$err")"
[ -z "$(sshd_left one)" ] || fail "lies there while it runs: $(sshd_left one)"
leave
nothing_left one "sudo's password, sent"
typed ann one falsch sudo
leave
[ $boot_status = 3 ] || fail "wrong password: ended with $boot_status"
has_text "$err" "3 incorrect password attempts" || fail "wrong password"
nothing_left one "wrong password"
typed bea one anderes sudo
leave
[ $boot_status = 3 ] || fail "not in the sudoers file: ended with $boot_status"
has_text "$err" "bea is not in the sudoers file" || fail "not in the sudoers file"
nothing_left one "not in the sudoers file"
pass "sudo: free, by a narrow rule, by a password asked for once; $(cat "$err")"
