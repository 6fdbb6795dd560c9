#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The man pages format without a warning, have every section, and know every key of the screen.  (That
# OPTIONS is the table's own text is for tests/unit/test_options.c.)
set -u
cd "${RINGTOP_SRCDIR:-$(dirname "$0")/..}" || exit 1

bad=0
complain() {
	echo "$1"
	bad=1
}

for section in NAME SYNOPSIS DESCRIPTION OPTIONS KEYS GAUGES 'LOSS AND ACCOUNTING' FILTERS \
	'EXIT STATUS' PRIVILEGES FILES EXAMPLES 'SEE ALSO'; do
	grep -qx "\.SH $section" man/ringtop.1 || complain "ringtop.1 has no $section"
done

# Plain keys of the table in ui/action.c: 'x' between braces, but not INPUT_CTRL('x').
keys=$(sed -n '/^\.SH KEYS/,/^\.SH GAUGES/p' man/ringtop.1 | grep '^\.B' | tr -d '",' | tr ' ' '\n')
while read -r key; do
	case $key in
	*"' '"*) key=Space ;;
	"'='") continue ;; # + without Shift
	"'-'") key='\-' ;;
	*) key=${key//\'/} ;;
	esac
	grep -qxF -e "$key" <<<"$keys" || complain "ringtop.1 does not know the key $key"
done < <(grep -oE '^	\{"[a-z-]+", \{[^}]*\}' ui/action.c | grep -oE "(INPUT_CTRL\()?'.'" |
	grep -v INPUT_CTRL)

# Every cause of loss, with the names the reports use.
while read -r cause; do
	grep -qx "\.B $cause" man/ringtop.1 || complain "ringtop.1 does not explain lost: $cause"
	grep -q "\b$cause\b" man/ringtop-json.5 || complain "ringtop-json.5 does not know $cause"
done < <(sed -n 's/^	LOST_\([A-Z]*\), .*/\L\1/p' src/slice/slice.h)

# Every key of the report.
keys=$(grep -E '^\.(BR?|SS) ' man/ringtop-json.5 | tr -d '",' | tr ' ' '\n')
while read -r key; do
	grep -qxF -e "$key" <<<"$keys" || complain "ringtop-json.5 does not know the key $key"
done < <(grep -oE '\\"[a-z_]+\\":' src/front/json.c | tr -d '\\":' | sort -u)

if command -v groff >/dev/null; then
	for page in man/*.[15]; do
		warnings=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
		[ -z "$warnings" ] || complain "$warnings"
	done
fi
exit $bad
