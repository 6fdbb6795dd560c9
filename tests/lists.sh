#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write lists.am, the part of Makefile.am that names the files of each folder.  configure.ac runs it, so
# autoreconf takes up files that have come or gone; it touches nothing where the lists are as they were.
#
#   tests/lists.sh            write lists.am
#   tests/lists.sh --print    print it
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C

# Print a variable of the words on standard input.
list() { # NAME
	printf '\n%s =' "$1"
	sort | while read -r file; do
		printf ' \\\n\t%s' "$file"
	done
	echo
}

files() { # FOLDER FIND-EXPRESSION...
	find "$1" \( -name '.deps' -o -name built \) -prune -o -type f \( "${@:2}" \) -print
}

programs() { # FOLDER PATTERN
	files "$1" -name "$2" | sed 's/\.c$/.test/'
}

lists() {
	echo '# Written by tests/lists.sh.'
	# without the programs' main files, and what only the agent is linked with
	files src -name '*.[ch]' ! -path 'src/app/main*.c' ! -name 'eusearch.*' | list src_files
	files ui -name '*.[ch]' | list ui_files
	files tests/unit -name 'test_*.c' | grep -v '^tests/unit/ui/' | sed 's/\.c$/.test/' | list unit_tests
	programs tests/unit/ui 'test_*.c' | list ui_tests
	programs tests/torture 'torture_*.c' | list torture_tests
	programs tests/live 'test_*.c' | list live_tests
	programs tests/tty 'test_*.c' | list tty_tests
	programs tests/fuzz 'fuzz_*.c' | list fuzz_tests
	files tests -name '*.h' ! -path 'tests/vm/*' ! -path 'tests/work/*' | list test_headers
	{ files src -name README; files ui -name README; } | list readmes
	files tests -name '*.sh' -o -name '*.py' -o -name '*.js' -o -path 'tests/work/*' ! -name '*.o' \
		-o -path 'tests/vm/*' ! -name '*.o' | list test_files
}

if [ "${1:-}" = --print ]; then
	lists
	exit
fi
lists >lists.am-new
if cmp -s lists.am-new lists.am; then
	rm lists.am-new
else
	mv lists.am-new lists.am
fi
