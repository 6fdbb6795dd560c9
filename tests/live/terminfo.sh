#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With capabilities from its file ringtop takes no terminal description from whoever starts it:
# neither TERMINFO nor TERMINFO_DIRS nor ~/.terminfo.  Without them it does.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "only root can give a file capabilities"
for tool in script setcap setpriv tic; do
	command -v $tool >/dev/null || skip "no $tool"
done

mkdir -p "$tmp/home/.terminfo"
echo 'ringtop-own|of the user,am,cols#80,lines#24,cup=\E[%i%p1%d;%p2%dH,clear=\E[H\E[2J,' >"$tmp/own.ti"
tic -x -o "$tmp/home/.terminfo" "$tmp/own.ti" || skip "tic makes no description"
chmod -R a+rX "$tmp"

# start PROGRAM [NAME=VALUE...]: as an ordinary user, on a terminal of its own
start() {
	local program=$1
	shift
	env -i PATH="$PATH" LC_ALL=C.UTF-8 TERM=ringtop-own "$@" \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		script -qec "$program --duration 0.2 -e cpu-clock" /dev/null </dev/null >"$out" 2>&1
}

ways=("HOME=$tmp/home" "TERMINFO=$tmp/home/.terminfo" "TERMINFO_DIRS=$tmp/home/.terminfo")

cp "$RINGTOP" "$tmp/plain"
cp "$RINGTOP" "$tmp/capable"
# One that does no harm is enough: the kernel marks the start as a secure one.
setcap cap_wake_alarm+ep "$tmp/capable" 2>/dev/null || skip "no file capabilities under $tmp"
for way in "${ways[@]}"; do
	start "$tmp/plain" "$way"
	has_text "$out" "not in the terminfo database" && skip "the user's own terminfo is not read: $way"
	start "$tmp/capable" "$way"
	has_text "$out" "not in the terminfo database" ||
		fail "with capabilities it reads the user's terminfo: $way: $(cat "$out")"
done
pass "terminfo"
