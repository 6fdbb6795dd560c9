#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lists.am names the files that are there, Makefile.am names only such, and every script of tests/live and
# tests/vm that is a test of its own stands in a list.
set -u
cd "${RINGTOP_SRCDIR:-$(dirname "$0")/..}" || exit 1

bad=0
complain() {
	echo "$1"
	bad=1
}

[ -f Makefile.am ] || {
	echo "SKIP: no Makefile.am here"
	exit 77
}
diff lists.am <(bash tests/lists.sh --print) ||
	complain "lists.am is out of date: run tests/lists.sh, then make"

words=$(sed 's/#.*//; s/\\$//' Makefile.am | tr -s '[:blank:]' '\n')
while read -r word; do
	case $word in
	tests/*.test) [ -f "${word%.test}.c" ] || complain "Makefile.am names $word without a source" ;;
	src/*.[ch] | ui/*.[ch] | tests/*.[ch] | tests/*.sh)
		[ -f "$word" ] || complain "Makefile.am names $word, which is not there"
		;;
	esac
done <<<"$words"

# What is sourced by other scripts, and so is no test, begins without an interpreter.
for script in tests/live/*.sh tests/vm/*.sh; do
	[ "$script" != tests/vm/kernel.sh ] || continue # run by tests/vm/run
	[[ $(head -c 2 "$script") != "#!" ]] || grep -qxF -e "$script" <<<"$words" ||
		complain "$script is in no list of Makefile.am"
done
exit $bad
