#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program that spends all its time in a function that is inlined into one that is inlined: live and
# replayed, its paths, its TOTAL and its lines say so; with --no-lines nothing does.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
cc=$(command -v cc) || skip "no compiler"

cat >"$tmp/a.c" <<-'END'
	#include <stdlib.h>
	#define INLINE static inline __attribute__((always_inline))
	INLINE unsigned mix(unsigned x)
	{
		return (x ^ x >> 7) * 2654435761u;
	}
	INLINE unsigned churn(unsigned x)
	{
		for (int i = 0; i < 1000; i++)
			x = mix(x);
		return x;
	}
	__attribute__((noinline)) unsigned work(unsigned n)
	{
		unsigned x = n;
		for (unsigned i = 0; i < n; i++)
			x = churn(x);
		return x;
	}
	int main(int n, char **v)
	{
		return work((unsigned)atoi(v[n - 1])) == 1;
	}
END
"$cc" -g -O2 -fno-omit-frame-pointer -o "$tmp/inlined" "$tmp/a.c" || skip "it does not compile"

# The share of what was sampled in the program whose path ends in this pattern.
share_of() {
	awk -v want="$1" '
		{ n = $NF; sub(/ [0-9]+$/, "") }
		/;work/ { all += n; if ($0 ~ want) sum += n }
		END { printf "%d", all ? 100 * sum / all : 0 }' "$tmp/folded"
}

rt -g -F 2000 --json --export "folded:$tmp/folded" --export "pprof:$tmp/pprof" -- "$tmp/inlined" 300000
expect_status 0 "live"
check_report
inside=$(share_of ';work;churn [(]inlined[)](;mix [(]inlined[)])?$')
[ "$inside" -ge 90 ] || fail "live: only $inside % of work in what is inlined"
[ "$(json 'sum:total.functions[function=churn].self')" = 0 ] || fail "SELF of an inlined function"
holds "$(json 'sum:total.functions[function=churn].total') >= 0.9 * $(json 'sum:total.functions[function=work].total')" ||
	fail "TOTAL of churn is not that of work"
if type -P go >/dev/null; then
	env HOME="$tmp" go tool pprof -lines -top "$tmp/pprof" >"$tmp/top" 2>&1
	grep -q 'a\.c:[0-9]* (inline)' "$tmp/top" || { cat "$tmp/top"; fail "pprof knows no inlined lines"; }
fi
echo "ok: live, $inside % in inlined functions"

rt -g -F 2000 --no-lines --json --export "folded:$tmp/folded" -- "$tmp/inlined" 100000
expect_status 0 "--no-lines"
[ "$(share_of ';work$')" -ge 90 ] || fail "--no-lines: work is not itself"
grep -q '(inlined)' "$tmp/folded" && fail "--no-lines: something is inlined"

command -v perf >/dev/null || exit 0
perf record -q -e cpu-clock -F 2000 -g -o "$tmp/data" -- "$tmp/inlined" 300000 >"$tmp/log" 2>&1 || exit 0
rt -i "$tmp/data" --json --export "folded:$tmp/folded"
expect_status 0 "replay"
inside=$(share_of ';work;churn [(]inlined[)](;mix [(]inlined[)])?$')
[ "$inside" -ge 90 ] || fail "replay: only $inside % of work in what is inlined"
echo "ok: replay, $inside % in inlined functions"
