# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# changes.sh - what a report of changes in $out says of spin_shares, whose shares were 50 30 15 5 and are 35 30 15 20;
# after lib.sh.

# what FUNCTION: its "significant", delta and baseline's samples
what() {
	grep '^{"type":"changes"' "$out" | grep -o "\"function\":\"$1\",[^}]*" |
		sed 's/.*"delta":\([-0-9.]*\).*"baseline_samples":\([0-9]*\).*"significant":\([a-z]*\).*/\3 \1 \2/'
}

# changes_known: both changes of 15 points are named, and as large as they are; the comparison is the last
changes_known() {
	local function sure delta samples

	[ "$(tail -n 1 "$out" | cut -c1-17)" = '{"type":"changes"' ] || fail "the comparison is not the last"
	for function in share_05:1 share_50:-1; do
		read -r sure delta samples < <(what "${function%:*}")
		[ "$sure" = true ] || fail "${function%:*} differs by 15 points, and is not named: $(what "${function%:*}")"
		awk -v d="$delta" -v sign="${function#*:}" 'BEGIN { d *= sign; exit !(d > 0.10 && d < 0.20) }' ||
			fail "${function%:*}: $delta"
		[ "$samples" -gt 0 ] || fail "${function%:*}: the baseline has no sample"
	done
}

# changes_in_words: a line of the text has a share that grew
changes_in_words() {
	grep -Eq '^ +\+[0-9.]+ +[0-9.]+ .* share_05 +spin_shares' "$out" || fail "no line of share_05: $(tail -n 20 "$out")"
}
