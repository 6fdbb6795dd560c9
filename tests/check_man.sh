#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The man pages format without a warning, have every section, and know every key of the screen.  (That
# OPTIONS is the table's own text is the build's work.)
set -u
cd "${RINGTOP_SRCDIR:-$(dirname "$0")/..}" || exit 1

bad=0
complain() {
	echo "$1"
	bad=1
}

page=man/ringtop.1 # made by the build
[ -f "$page" ] || page=${RINGTOP_BUILDDIR:-.}/$page
for section in NAME SYNOPSIS DESCRIPTION OPTIONS KEYS FILTERS 'EXIT STATUS' PRIVILEGES FILES EXAMPLES 'SEE ALSO'; do
	grep -qx "\.SH $section" "$page" || complain "ringtop.1 has no $section"
done
for section in GAUGES 'LOSS AND ACCOUNTING' COMPARING; do
	grep -qx "\.SH $section" man/ringtop-trust.7 || complain "ringtop-trust.7 has no $section"
done
for other in man/ringtop-*.[57]; do
	sed -n '/^\.SH SEE ALSO/,$p' "$page" | grep -qF "$(basename "${other%.*}" | sed 's/-/\\-/')" ||
		complain "ringtop.1 does not lead to $other"
done

# The keys of the tables in ui/app/action.c and ui/app/view.h as the man page has them, one a line.
table_keys() {
	grep -ohE "^	(\{\"[a-z-]+\", \{[^}]*\}|ROW\([A-Z]+, [a-z]+, '.')" ui/app/action.c ui/app/view.h | grep -oE "INPUT_[A-Z_]+(\([^)]*\))?|'[^\\]'|'\\\\\\\\'|'\\\\''" |
		sed -E "s/INPUT_CTRL\('(.)'\)/Ctrl-\U\1/; s/INPUT_F\((.*)\)/F\1/; s/' '/Space/; s/^'(.)'$/\1/; s/^'\\\\\\\\'$/\\\\e/
			s/^'\\\\''$/\\\\(aq/
			s/INPUT_BACKTAB/Shift-Tab/; s/INPUT_PAGE_UP/Page-Up/; s/INPUT_PAGE_DOWN/Page-Down/
			s/INPUT_(.)([A-Z]*)/\1\L\2/" |
		grep -vx = # + without Shift
}

# The keys that the man page has: what stands in bold between KEYS and FILTERS, but names of sections and options.
man_keys() {
	sed -n '/^\.SH KEYS/,/^\.SH FILTERS/p' "$page" | grep '^\.BR\? ' | grep -v -e '^\.BR [A-Z(].* \?\.$' -e '^\.BR ringtop' |
		sed -E 's/^\.BR? //; s/" , "/,/g; s/ ?", " ?/\n/g; s/"//g; s/\\-/-/g' |
		sed -E 's/^Page (Up|Down)$/Page-\1/' | grep -vE '^--.|.%$'
}

while read -r key; do
	grep -qxF -e "$key" <<<"$(man_keys)" || complain "ringtop.1 does not know the key $key"
done < <(table_keys)
while read -r key; do
	grep -qxF -e "$key" <<<"$(table_keys)" || complain "ringtop.1 has a key that neither ui/app/action.c nor view.h has: $key"
done < <(man_keys)

# Options that texts speak of are there, unless they are other programs'.
others=' --agent --itrace --no-buildid --perf-prof --perf-basic-prof --without-ncurses --system --icf '
while read -r option; do
	[[ $others == *" $option "* ]] || grep -q "\"${option#--}\"" src/app/options.c ||
		complain "README or a man page has an option that is not there: $option"
done < <(sed -E 's/\\-/-/g; s/\\f[A-Z]/ /g' README "$page" man/ringtop-{events,trust,remote,json}.[57] | grep -oE -- '(^|[^a-z-])--[a-z][a-z-]+' |
	grep -oE -- '--.*' | sort -u)

# Every cause of loss, with the names the reports use.
while read -r cause; do
	grep -qx "\.B $cause" man/ringtop-trust.7 || complain "ringtop-trust.7 does not explain lost: $cause"
	grep -q "\b$cause\b" man/ringtop-json.5 || complain "ringtop-json.5 does not know $cause"
done < <(sed -n 's/^	LOST_\([A-Z]*\), .*/\L\1/p' src/core/slice/slice.h)

# Every key of the report: the columns of its tables, and members that are written alone.
report_keys() {
	awk '/^(static )?const struct column /{ json = !/_(csv|html)\[/ } json' src/report/section*.c \
		src/report/changes.c src/report/explained.c | grep -oE '\{"[a-z_0-9]+", COLUMN_' | cut -d'"' -f2
	grep -ohE 'jsonout_[a-z]+\(o, "[a-z_]+"' src/report/*.c | cut -d'"' -f2
	grep -ohE '\.name = "[a-z_]+"' src/report/section*.c | cut -d'"' -f2
	grep -ohE '\\"[a-z_]+\\":' src/report/jsonreport.c src/report/changes.c src/report/explained.c | tr -d '\\":'
}
keys=$(grep -E '^\.(BR?|RB|SS) ' man/ringtop-json.5 | tr -d '",()' | tr ' ' '\n')
[ "$(report_keys | sort -u | wc -l)" -ge 200 ] || complain "the keys of the report are not found"
while read -r key; do
	grep -qxF -e "$key" <<<"$keys" || complain "ringtop-json.5 does not know the key $key"
done < <(report_keys | sort -u)

if command -v groff >/dev/null; then
	for other in "$page" man/ringtop-*.[57]; do
		warnings=$(groff -man -Tutf8 -ww -z "$other" 2>&1)
		[ -z "$warnings" ] || complain "$warnings"
	done
	lines=$(groff -man -Tutf8 -rcR=1 -rLL=78n "$page" | wc -l)
	[ "$lines" -le 900 ] || complain "ringtop.1 has $lines lines, more than 900: move details to the pages of section 7"
fi
exit $bad
