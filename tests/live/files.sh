#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names out of recordings without build-ids: of the very file, of a copy (as perf report has them, but in
# doubt), and none, with a reason, of one that was changed or is another; --symfs.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
need_stock_perf

dir=$tmp/programs
program=$dir/program
mkdir "$dir" || exit 1

# build NAME EXTRA_CODE: a program without a build-id, an hour old
build() {
	"${CC:-gcc}" -O1 -Wl,--build-id=none -o "$dir/$1" -x c - 2>"$tmp/build" <<-EOF || skip "no compiler: $(cat "$tmp/build")"
		#include <time.h>
		volatile unsigned long x;
		__attribute__((noinline)) void first(void) { for (int i = 0; i < 300000; i++) x += i; }
		__attribute__((noinline)) void second(void) { for (int i = 0; i < 100000; i++) x ^= i; }
		$2
		int main(void)
		{
			for (clock_t end = clock() + CLOCKS_PER_SEC; clock() < end; second())
				first();
			return 0;
		}
	EOF
	touch -d '1 hour ago' "$dir/$1"
}

record() {
	perf record -q -o "$tmp/$1" -e cpu-clock -F 1000 "${@:2}" -- "$program" >"$tmp/record" 2>&1 9>&- || {
		cat "$tmp/record" >&2
		fail "$1: perf does not record"
	}
	perf report --stdio -i "$tmp/$1" -F overhead,sym -t '|' 2>/dev/null |
		sed -n 's/^ *\([0-9.]*\)% *|\[.\] \(first\|second\) *$/\2 \1/p' >"$tmp/$1.theirs"
	[ "$(wc -l <"$tmp/$1.theirs")" = 2 ] || fail "$1: perf has no names"
}

# names WHAT FILE [OPTION...]: as perf had them when the file was there; says in $doubt what of them is
names() {
	local name share

	rt -i "$tmp/$2" --json "${@:3}"
	expect_status 0 "$1"
	check_report
	while read -r name share; do
		holds "$(json "total.functions[function=$name].self") * 100 - $share < 0.011" &&
			holds "$share - $(json "total.functions[function=$name].self") * 100 < 0.011" ||
			fail "$1: $name has another share than perf reports, $share"
	done <"$tmp/$2.theirs"
	doubt=$(json 'total.functions[function=first].doubt')
}

# nameless WHAT WHY FILE [OPTION...]
nameless() {
	rt -i "$tmp/$3" --json "${@:4}"
	expect_status 0 "$1"
	check_report
	[ "$(json 'total.functions[function=first].self')" = - ] || fail "$1: it has names"
	json 'total.functions.nameless' | grep -q -- "$2" || fail "$1: does not say '$2'"
	json 'total.log.text' | grep -q -- "no names: .*$2.*--symfs" || fail "$1: the log does not"
	json 'total.advice' | grep -q "in objects without names: program; try --symfs DIR" ||
		fail "$1: no advice"
	pass "$1: no names, and why"
}

build program ""
build longer "static char gap[] __attribute__((section(\".text.x\"), used)) = {[65536] = 1};"
record zipped -z
record unsaid -B -N
mkdir -p "$tmp/symfs$dir"
cp -p "$program" "$tmp/symfs$program"
for file in zipped unsaid; do
	names "$file, the very file" $file
	[ "$doubt" = - ] || fail "$file: the very file is in doubt: $doubt"
done
pass "the very file has names"

cp -p "$program" "$dir/copy" && mv "$dir/copy" "$program"
for file in zipped unsaid; do
	names "$file, a copy" $file
	[[ $doubt == *inode* ]] || fail "$file: a copy is not in doubt"
	json 'total.log.text' | grep -q "names of $program may be wrong: .*inode" || fail "$file: no log"
done
rt -i "$tmp/zipped" --text
grep -q '^ .* first  *? program ' "$out" || fail "no mark in the report"
pass "a copy has the names that perf reports, in doubt"

names "a copy, asked for" zipped --symfs "$tmp/symfs"
[ "$doubt" = - ] || fail "what was asked for is in doubt: $doubt"
touch "$program"
nameless "changed" "was changed after the recording" zipped
names "changed, but asked for" zipped --symfs "$tmp/symfs"
mv "$dir/longer" "$program"
nameless "another" "its code differs in address or size" zipped
rm "$program"
nameless "gone" "is not here" zipped
names "gone, but asked for" zipped --symfs "$tmp/symfs"
printf 'no program' >"$tmp/symfs$program"
nameless "wrong below --symfs" "$tmp/symfs$program is not the file that was recorded" zipped --symfs "$tmp/symfs"
rt -i "$tmp/zipped" --json --symfs "$tmp/nowhere"
expect_status 1 "no such directory"
grep -q "symfs $tmp/nowhere: No such file" "$err" || fail "no such directory: not said"
pass "--symfs"

# --- the kernel ---

# kernel_rows FILE [OPTION...]: its functions, and what they have
kernel_rows() {
	rt -i "$tmp/$1" --json "${@:2}"
	expect_status 0 "kernel ${*:2}"
	check_report
	paste <(json 'all:total.functions[object=[kernel]].function') \
		<(json 'all:total.functions[object=[kernel]].weight') | sort
}

perf record -q -o "$tmp/kernel" -e cpu-clock -F 1000 -- dd if=/dev/zero of=/dev/null bs=1 count=300000 \
	>"$tmp/record" 2>&1 9>&- || fail "perf does not record"
kernel_rows kernel >"$tmp/ours"
[ "$(grep -cv '^\[0x' "$tmp/ours")" -ge 5 ] || fail "the kernel has no names"
cp /proc/kallsyms "$tmp/kallsyms"
kernel_rows kernel --kallsyms "$tmp/kallsyms" >"$tmp/theirs"
diff "$tmp/ours" "$tmp/theirs" || fail "other names by a copy of kallsyms"

# As another boot would have it, and as none could.
moved() {
	python3 -c '
import sys
for line in sys.stdin:
    addr, rest = line.rstrip("\n").split(" ", 1)
    if "\t" not in rest and addr.startswith("ffffffff"):
        print("%016x %s" % (int(addr, 16) + int(sys.argv[1]), rest))' "$1" <"$tmp/kallsyms" >"$tmp/moved"
}
if command -v python3 >/dev/null; then
	moved 33554432
	kernel_rows kernel --kallsyms "$tmp/moved" >"$tmp/theirs"
	diff "$tmp/ours" "$tmp/theirs" || fail "other names by another boot's kallsyms"
	moved 4096
	kernel_rows kernel --kallsyms "$tmp/moved" >"$tmp/theirs"
	! grep -v '^\[0x' "$tmp/theirs" || fail "another kernel's kallsyms names the kernel"
	json 'total.log.text' | grep -q "kernel symbols: the symbols are of another kernel" ||
		fail "the log does not say that the symbols are another kernel's"
fi
pass "--kallsyms"
rt -i "$tmp/kernel" --json --vmlinux "$RINGTOP"
[ "$rt_status" = 1 ] || fail "a program is taken for a vmlinux"
grep -q -- "--vmlinux $RINGTOP is another kernel\|it has no kernel symbols" "$err" ||
	fail "not said that a program is no vmlinux"
pass "--vmlinux"
