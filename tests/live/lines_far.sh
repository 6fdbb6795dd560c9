#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rows by line over -H and of a saved time line are those of a local run: a program that touches new pages in known
# lines has as many page faults in each, and as many in the lines that call them.  The host is this machine; instead of
# ssh there is a shell.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
need_perf
command -v python3 >/dev/null || skip "no python3"
cc=$(command -v cc) || skip "no compiler"

cat >"$tmp/faults.c" <<-'END'
	#define _GNU_SOURCE
	#include <stdlib.h>
	#include <sys/mman.h>
	#include <unistd.h>
	static inline __attribute__((always_inline)) void poke(char *p)
	{
		((volatile char *)p)[1] = 2; /* line inlined */
	}
	__attribute__((noinline)) void touch(char *p, long n)
	{
		for (long i = 0; i < n; i++)
			if (i % 3)
				*(volatile char *)(p + i * 4096) = 1; /* line plain */
			else
				poke(p + i * 4096); /* line call of inlined */
	}
	int main(int n, char **v)
	{
		long pages = atol(v[n - 1]);
		char *p = mmap(NULL, pages * 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || madvise(p, pages * 8192, MADV_NOHUGEPAGE))
			return 1;
		for (int round = 0; round < 20; round++) { /* long enough for lines to be read */
			touch(p, pages); /* line first */
			touch(p + pages * 4096, pages); /* line second */
			madvise(p, pages * 8192, MADV_DONTNEED);
			usleep(75000);
		}
	}
END
"$cc" -g -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/faults" "$tmp/faults.c" || skip "it does not compile"
far_shell
pages=150
run=(-e page-faults:u -c 1 -g -d 0.3 --json --group line)

# lines FILE: the rows of the named lines of faults.c, with what they have themselves and below, one a line.  What other
# lines call in libc may find its page mapped or not.
lines() {
	python3 - "$1" "$tmp/faults.c" <<'END'
import json, sys
named = ["faults.c:%d" % n for n, text in enumerate(open(sys.argv[2]), 1) if "/* line" in text]
rows = [json.loads(l) for l in open(sys.argv[1])][-1]
assert rows["type"] == "total", rows["type"]
all = rows["events"][0]["attributed"]
for r in sorted(rows["groups"], key=lambda r: r["name"]):
    if r["name"] in named:
        print(r["name"], r["function"], r["samples"], round(r["total_share"] * all))
END
}

rt "${run[@]}" -- "$tmp/faults" $pages
expect_status 0 "local"
lines "$out" >"$tmp/local"
for want in "plain:$((20 * 2 * pages / 3 * 2))" "inlined:$((20 * pages / 3 * 2))"; do
	line=$(grep -n "line ${want%:*}" "$tmp/faults.c" | head -1 | cut -d: -f1)
	has=$(awk -v name="faults.c:$line" '$1 == name { print $3 }' "$tmp/local")
	[ "$has" = "${want#*:}" ] || fail "local: line ${want%:*} has ${has:-no} samples, not ${want#*:}: $(tr '\n' ';' <"$tmp/local")"
done
pass "local: $(tr '\n' ';' <"$tmp/local")"

rt -H far --ssh "$far_shell" "${run[@]}" -- "$tmp/faults" $pages
expect_status 0 "remote"
check_report
lines "$out" >"$tmp/far.lines"
cmp -s "$tmp/local" "$tmp/far.lines" || fail "over -H lines are others: $(diff "$tmp/local" "$tmp/far.lines")"
pass "over -H: the same lines, with the same counts"

rt --save "$tmp/saved" "${run[@]}" -- "$tmp/faults" $pages
expect_status 0 "saving"
rt -i "$tmp/saved" --json --group line
expect_status 0 "saved"
check_report
lines "$out" >"$tmp/saved.lines"
cmp -s "$tmp/local" "$tmp/saved.lines" || fail "a saved time line has other lines: $(diff "$tmp/local" "$tmp/saved.lines")"
pass "saved: the same lines, with the same counts"

rt -H far --ssh "$far_shell" --save "$tmp/saved.far" "${run[@]}" -- "$tmp/faults" $pages
expect_status 0 "saving what comes over -H"
rt -i "$tmp/saved.far" --json --group line
expect_status 0 "saved of -H"
lines "$out" >"$tmp/saved.lines"
cmp -s "$tmp/local" "$tmp/saved.lines" || fail "what was saved of -H has other lines: $(diff "$tmp/local" "$tmp/saved.lines")"
pass "saved of -H: the same lines, with the same counts"

# By function as ever where nobody asked for lines: none are paid for.
rt -H far --ssh "$far_shell" -e page-faults:u -c 1 -g -d 0.3 --json --save "$tmp/functions" -- "$tmp/faults" $pages
expect_status 0 "by function"
rt -i "$tmp/functions" --json --group line
expect_status 0 "saved by function"
[ -z "$(lines "$out")" ] || fail "lines were saved without being asked for: $(lines "$out")"
[ "$(json 'total.groups[function=touch].name')" = '[no line]' ] || fail "touch is $(json 'total.groups[function=touch].name')"
pass "without --group line functions are sent and saved"
