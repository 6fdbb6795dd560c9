#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --group line: a program of known lines has its samples in these, live; of perf's file each line has what perf report
# --sort srcline says, to the sample; rows come to what functions come to, and the filter's field line to the same.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
cc=$(command -v cc) || skip "no compiler"

cat >"$tmp/loops.c" <<-'END'
	#include <stdlib.h>
	static volatile unsigned long sink;
	static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
	{
		return (x ^ x >> 7) * 0x9E3779B97F4A7C15ul % 1000003; /* line mix */
	}
	__attribute__((noinline)) void busy(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i++)
			sink = mix(i);
		for (unsigned long i = 0; i < 3 * n; i++)
			sink += i % 7; /* line div */
	}
	int main(int n, char **v)
	{
		for (long i = atol(v[n - 1]); i > 0; i--)
			busy(100000);
	}
END
"$cc" -g -O2 -o "$tmp/loops" "$tmp/loops.c" || skip "it does not compile"
mix=$(grep -n 'line mix' "$tmp/loops.c" | cut -d: -f1)
div=$(grep -n 'line div' "$tmp/loops.c" | cut -d: -f1)

# of LINE FIELD: what the line of our program has
of() {
	json "sum:total.groups[name=loops.c:$1].$2"
}

check_lines() {
	check_report
	[ "$(json 'sum:total.groups.samples')" = "$(json 'sum:total.functions.samples')" ] ||
		fail "$1: lines come to $(json 'sum:total.groups.samples') samples, functions to $(json 'sum:total.functions.samples')"
	holds "$(of "$mix" samples) > 0 && $(of "$div" samples) > 0" || fail "$1: no samples of one of the lines"
	[ "$(json "total.groups[name=loops.c:$mix].function")" = mix ] || fail "$1: line $mix is not mix's"
	[ "$(json "total.groups[name=loops.c:$div].function")" = busy ] || fail "$1: line $div is not busy's"
}

rt --json --group line -e cpu-clock -F 2000 -- "$tmp/loops" 400
expect_status 0 "live"
check_lines "live"
all=$(json "sum:total.groups[file=$tmp/loops.c].samples")
own=$(json 'sum:total.functions[object='"$tmp/loops"'].samples')
holds "$all >= 0.95 * $own && $all <= $own" || fail "live: lines of loops.c have $all of its program's $own samples"
pass "live: mix $(of "$mix" share), div $(of "$div" share)"

rt --json --group line --only "line:/loops\\.c:$div\$" -e cpu-clock -F 2000 -- "$tmp/loops" 100
expect_status 0 "filtered"
[ "$(json 'sum:total.groups.samples')" = "$(of "$div" samples)" ] || fail "the filter leaves other lines"
[ "$(json 'sum:total.functions.samples')" = "$(of "$div" samples)" ] || fail "the filter leaves other functions' samples"
pass "the filter line: leaves $(of "$div" samples) samples of one line"

rt --json --group line --no-lines -e cpu-clock -F 2000 -- "$tmp/loops" 50
expect_status 0 "--no-lines"
check_report
[ "$(json 'sum:total.groups.samples')" = "$(json 'sum:total.functions.samples')" ] || fail "--no-lines: not all of it"
[ "$(json 'total.groups[function=busy].name')" = '[no line]' ] || fail "--no-lines: busy is $(json 'total.groups[function=busy].name')"

command -v perf >/dev/null || exit 0
perf record -q -e cpu-clock -F 2000 -o "$tmp/data" -- "$tmp/loops" 400 >"$tmp/log" 2>&1 || exit 0
rt -i "$tmp/data" --json --group line
expect_status 0 "replay"
check_lines "replay"
perf report -i "$tmp/data" --stdio --sort srcline -n -q 2>/dev/null >"$tmp/perf" || skip "perf report cannot sort by srcline"
grep -q 'loops\.c:' "$tmp/perf" || skip "perf finds no lines"
for line in $(awk '/loops\.c:[0-9]/ { sub(/.*:/, "", $3); print $3 }' "$tmp/perf"); do
	perfs=$(awk -v want="loops.c:$line" '$3 == want { n += $2 } END { print n + 0 }' "$tmp/perf")
	[ "$perfs" = "$(of "$line" samples)" ] || fail "line $line: perf has $perfs samples, ringtop $(of "$line" samples)"
	pass "line $line: $perfs samples, as perf report --sort srcline"
done
