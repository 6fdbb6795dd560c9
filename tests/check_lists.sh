#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every source, header, script and data file is named in Makefile.am, and everything named exists.
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
words=$(sed 's/#.*//; s/\\$//' Makefile.am | tr -s '[:blank:]' '\n')

# A program of the tests stands there as its name with .test, of the benchmarks bare.
while read -r file; do
	file=${file#./}
	stem=${file%.c}
	grep -qxF -e "$file" -e "$stem.test" -e "$stem" <<<"$words" ||
		complain "$file is in no list of Makefile.am"
done < <(find src ui tests -name '*.[ch]' -o -path 'tests/*' -name '*.sh' -o -path 'tests/corpus/*' -type f -o -path 'tests/golden/*' -type f | sort -u)

while read -r word; do
	case $word in
	tests/*.test) [ -f "${word%.test}.c" ] || complain "Makefile.am names $word without a source" ;;
	src/*.[ch] | ui/*.[ch] | tests/*.[ch] | tests/*.sh)
		[ -f "$word" ] || complain "Makefile.am names $word, which is not there"
		;;
	esac
done <<<"$words"

twice=$(grep -E '^(src|ui|tests)/.*\.[ch]$' <<<"$words" | sort | uniq -d)
[ -z "$twice" ] || complain "named twice in Makefile.am: $twice"
exit $bad
