#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The file of settings: what it says holds, the command line wins, what is wrong is said and goes no further, and
# root takes nobody else's.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_paths

export XDG_CONFIG_HOME=$tmp/config
config=$XDG_CONFIG_HOME/ringtop/config
mkdir -p "${config%/*}"
run() {
	rt "$@" --duration 0.3 -- "$work/spin_paths" -s 0.2
}

printf '# mine\nfreq = 77\nevent = cpu-clock\njson = yes\n' >"$config"
before=$(cksum <"$config")
run
expect_status 0 "with settings"
check_report
[ "$(json header.events[0].frequency)" = 77 ] || fail "freq is not 77"
has_text "$err" "ringtop:" && fail "something is said of a good file"
run -F 99
[ "$(json header.events[0].frequency)" = 99 ] || fail "the command line does not win"
run -c 2000000
[ "$(json header.events[0].period)" = 2000000 ] || fail "a setting is in the command line's way"
run --no-config --json -e cpu-clock
[ "$(json header.events[0].frequency)" != 77 ] || fail "--no-config is not heard"
run --text
has_text "$out" "total of" || fail "--text does not win over json"
pass "settings hold, the command line wins"

printf 'frek = 1\nfreq = soon\npid = 1\nmono\nhistory = 32M\n' >"$config"
run --json
expect_status 0 "a file with mistakes"
check_report
for says in "config:1: unknown setting frek" "config:2: freq: 'soon'" "config:3: pid is valid on the command line" \
	"config:4: not a line"; do
	has_text "$err" "$says" || fail "not said: $says"
done
pass "mistakes are said with file and line"

printf '\nevent = no-such-event\nfreq = 77\n' >"$config"
run --json
expect_status 0 "an event that there is not"
check_report
has_text "$err" "$config:2: event: .*no-such-event.*; ignored" || fail "nothing says that the event is not there"
[ "$(json header.events[0].frequency)" = 77 ] || fail "one bad setting takes another along"
pass "an event that there is not is left out"
printf 'history = 64M\ncgroup = x\nfreq = 4000000000\n' >"$config"
run --json -e cycles:zz
expect_status 2 "the command line's own mistake"
has_text "$err" "settings from $config apply too; --no-config" || fail "nothing says that settings count"

printf '\033[31m = 1\nfreq = \033[31m\n' >"$config"
run --json
LC_ALL=C grep -q $'\033' "$err" && fail "the file's bytes reach the terminal"
pass "hostile bytes are escaped"

if [ "$(id -u)" = 0 ]; then
	printf 'json = yes\n' >"$config"
	chmod 666 "$config"
	run
	has_text "$err" "$config: not read: other users may write to it" || fail "what others may write is taken"
	has_text "$out" "total of" || fail "and counts"
	chmod 644 "$config"
	chown 65534 "$config"
	run
	has_text "$err" "$config: not read: it belongs to user 65534" || fail "another user's file is taken"
	has_text "$out" "total of" || fail "and counts"
	pass "root takes its own file alone"
	chown 0 "$config"
fi
printf '# mine\nfreq = 77\nevent = cpu-clock\njson = yes\n' >"$config"
run
[ "$(cksum <"$config")" = "$before" ] || fail "the file was written"
[ "$(ls "${config%/*}")" = config ] || fail "something was written beside it"
