#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A function with several names at its address is said to have them, as many as nm counts: live, in a
# recording, in a saved time line and over -H.  One with one name is not said to have more.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
command -v nm >/dev/null || skip "no nm"
command -v python3 >/dev/null || skip "no python3"
cc=$(command -v cc) || skip "no compiler"

cat >"$tmp/a.c" <<-'END'
	#define PAGES 500
	#define ALSO __attribute__((alias("touch_a")))
	static volatile char all[3 * PAGES * 4096];
	__attribute__((noinline)) void touch_a(long n)
	{
		for (long i = 0; i < PAGES; i++)
			all[(n * PAGES + i) * 4096] = 1;
	}
	void touch_b(long) ALSO;
	void touch_c(long) ALSO;
	void touch_d(long) ALSO;
	void __touch_e(long) ALSO;
	__attribute__((noinline)) void alone(void)
	{
		for (long i = 0; i < PAGES; i++)
			all[(2 * PAGES + i) * 4096] = 1;
	}
	int main(void)
	{
		touch_a(0);
		touch_b(1);
		alone();
	}
END
"$cc" -O1 -o "$tmp/several" "$tmp/a.c" || skip "it does not compile"
at=$(nm "$tmp/several" | sed -n 's/^\([0-9a-f]*\) . touch_a$/\1/p')
nm "$tmp/several" | sed -n "s/^$at . //p" | sort >"$tmp/names"
[ "$(wc -l <"$tmp/names")" = 5 ] || skip "the aliases are not at one address"

# said WHERE: what the report says of the two
said() {
	python3 - "$out" "$tmp/names" <<-'EOS' || fail "$1: the names are not told"
	import json, sys
	total = [json.loads(l) for l in open(sys.argv[1])][-1]
	rows = [f for f in total["functions"] if (f["object"] or "").endswith("/several")]
	names = open(sys.argv[2]).read().split()
	touch = [f for f in rows if f["function"] in names]
	alone = [f for f in rows if f["function"] == "alone"]
	keys = ("function", "names_at_address", "other_names")
	print("  ", [{k: f.get(k) for k in keys} for f in touch + alone])
	assert len(touch) == 1 and len(alone) == 1
	assert touch[0]["names_at_address"] == len(names)
	other = touch[0]["other_names"]
	assert len(other) == 3 == len(set(other))
	assert set(other) < set(names) - {touch[0]["function"]}
	assert "names_at_address" not in alone[0] and "other_names" not in alone[0]
	EOS
	pass "$1"
}

run=(-e page-faults:u -c 1 --json -d 0.2)
rt "${run[@]}" --save "$tmp/saved" --record "$tmp/data" -- "$tmp/several"
expect_status 0 "live"
check_report
said "live"
rt -i "$tmp/saved" --json
expect_status 0 "-i of what was saved"
check_report
said "a saved time line"
rt -i "$tmp/data" --json
expect_status 0 "-i of what was recorded"
check_report
said "a recording"
far_shell
rt -H far --ssh "$far_shell" "${run[@]}" -- "$tmp/several"
expect_status 0 "-H"
check_report
said "over -H"
