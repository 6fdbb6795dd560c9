#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What test_auxinfo leaves of trace units that no machine here has: perf finds the words of AUXTRACE_INFO
# where it looks for them, and dumps the bytes.  NEWER_PERF names another perf to be asked (tests/vm/newer
# perf gets one): this one alone knows CoreSight.
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || skip "no perf on this machine"
perf --version >/dev/null 2>&1 || skip "perf does not run here"

AUXINFO_FILES=$tmp tests/unit/aux/test_auxinfo.test >"$tmp/made" 2>&1 || {
	cat "$tmp/made"
	fail "no files"
}

# dumped PERF PMU DECODER WORD...: words as perf prints them, in this order
dumped() {
	local program=$1 pmu=$2 decoder=$3

	shift 3
	"$program" report -D -i "$tmp/$pmu.data" >"$tmp/dump" 2>"$tmp/complaint" || {
		cat "$tmp/complaint"
		fail "$program: $pmu: cannot be read"
	}
	grep -q "$decoder data: size" "$tmp/dump" || fail "$program: $pmu: no '$decoder data'"
	# The values, with their names' blanks and colons taken out.
	sed -n '/PERF_RECORD_AUXTRACE_INFO/,/^$/p' "$tmp/dump" | sed -n 's/^[ \t].*[ \t:]\([^ \t]*\)$/\1/p' |
		tr '\n' ' ' >"$tmp/words"
	[ "$(cat "$tmp/words")" = "$* " ] ||
		fail "$program: $pmu: words $(cat "$tmp/words") rather than $*"
}

for program in perf ${NEWER_PERF:-}; do
	dumped "$program" intel_bts 'Intel BTS' 6 3 5 7 1 1
	dumped "$program" hisi_ptt0_2 'HISI PTT' 11
done
# The one of kernel 6.1 prints only the first of Arm SPE's.
if grep -q 'Per CPU' <(perf report -D -i "$tmp/arm_spe_0.data" 2>/dev/null); then
	dumped perf arm_spe_0 'ARM SPE' 10 1
else
	dumped perf arm_spe_0 'ARM SPE' 10
fi
pass "BTS, SPE and PTT"
[ -n "${NEWER_PERF:-}" ] || exit 0
dumped "$NEWER_PERF" arm_spe_0 'ARM SPE' 10 1
dumped "$NEWER_PERF" cs_etm 'CoreSight ETE Trace' 2 800000002 1 \
	4040404040404040 0 8 840 90 28000ea1 4100f403 488 0 cc 1 \
	5050505050505050 3 9 840 96 28000ea1 4100fff3 d0001088 0 cc 47705a13 -1
pass "CoreSight"
