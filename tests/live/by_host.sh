#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two hosts compared (--by host): the known difference of what runs there is named, in words and as JSON, where the same
# runs on both none is; a host that is not there is no change; what cannot be compared is said.  The hosts are this
# machine, by two names; instead of ssh there is a program that goes there.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
. "$(dirname "$0")/changes.sh"
need_root
need_perf
need_work spin_shares
far_named

# there SHARES_OF_WEB2 [OPTION...]: the same program on both, 50 30 15 5 on web1
there() {
	local shares=$1

	shift
	rt "$@" -H web1,web2 --ssh "$far_go" -e cpu-clock -F 999 -d 99 --by host -- sh -c \
		"test \$(uname -n) = web1 || set -- $shares; exec $work/spin_shares -n 8000 \"\$@\"" sh
}

there '35 30 15 20' --json --fail-on-change
expect_status 4 "another mix there"
check_report
tail -n 1 "$out" | grep -q '"baseline":{"file":null,"host":"web1"' || fail "web1 is not the baseline"
tail -n 1 "$out" | grep -q '"now":{"file":null,"host":"web2"' || fail "web2 is not what is compared"
changes_known
pass "what differs between two hosts is named"

# of a hundred such one may be named, not two in turn
there '50 30 15 5' --json --fail-on-change
[ "$rt_status" != 4 ] || there '50 30 15 5' --json --fail-on-change
expect_status 0 "the same on both"
check_report
pass "of two hosts that do the same nothing is named"

there '35 30 15 20' --text
expect_status 0 "in words"
grep -q '^  baseline  web1, ' "$out" && grep -q '^  against   web2, ' "$out" || fail "the hosts are not named"
changes_in_words
pass "in words"

: >"$hosts/refuse-web2"
there '35 30 15 20' --json --fail-on-change
expect_status 1 "a host that is not there"
grep -q 'no data was received from web2' "$err" || fail "nobody says why nothing is compared: $(cat "$err")"
check_report
tail -n 1 "$out" | grep -q '"error":"no data was received"' || fail "the report does not say it"
[ "$(grep '^{"type":"changes"' "$out" | grep -c '"function":.*"share":')" = 0 ] || fail "a host that is not there differs"
pass "of a host that is not there nothing is compared, and that is said"

rt --by host --text
expect_status 2 "no hosts"
grep -q -- '--by host needs -H A,B' "$err" || fail "no hosts: $(cat "$err")"
rt -H a,b,c --by host --text
expect_status 2 "three hosts"
grep -q -- '-H names 3: choose two' "$err" || fail "three hosts: $(cat "$err")"
pass "what cannot be compared is said"
