#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Short-lived programs by the thousand keep their names, root's and those of a user, whose files a helper reads: at
# most 0.5 % of the samples of the storm stay without one, its functions are found in both kinds of programs, and
# nothing is unaccounted for.
. "$(dirname "$0")/lib.sh"
need_perf
need_work storm_fork tiny

# storm NAME DIRECTORY [COMMAND...]: the programs there, started by the command
storm() {
	local all nameless function samples

	rt --json -d 0.5 -e cpu-clock -F 4999 -- "${@:3}" "$2/storm_fork" -s 2 -r 1500 -- "$2/tiny_static,$2/tiny_pie" 200000
	expect_status 0 "$1"
	check_report
	all=$(json 'total.events[0].samples')
	nameless=$(($(json 'sum:total.functions[function~[0x].samples') + $(json 'sum:total.functions[function~+0x].samples')))
	holds "$all > 1000" || differs "$1: only $all samples"
	holds "$nameless <= 0.005 * $all" || differs "$1: $nameless of $all samples have no name"
	for function in tiny_static_work tiny_pie_work; do
		samples=$(json "sum:total.functions[function=$function].samples")
		holds "$samples > 0.05 * $all" || differs "$1: $function has only $samples of $all samples"
	done
	echo "$1: $nameless of $all samples without a name, $(json 'total.self.helpers[name=names].calls') questions"
}

agrees storm "a storm" "$work"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir "$tmp/user" && cp "$work"/{storm_fork,tiny_static,tiny_pie} "$tmp/user" && chown -R 1000:1000 "$tmp/user" ||
		fail "no directory for the user"
	agrees storm "a storm of a user's" "$tmp/user" setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all
fi
pass "every storm keeps its names"
