#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Call paths of what stock perf recorded: with all they call and alone, functions have the shares that
# `perf report --children` gives them, within a tenth of a per cent of all; by frame pointers, and
# by unwinding the stacks in the file, and where perf left the kernel's chains out.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
command -v perf >/dev/null || skip "no perf on this machine"
perf record -q -e cpu-clock -g -o "$tmp/probe" -- true >"$tmp/probe.out" 2>&1 || {
	cat "$tmp/probe.out"
	skip "perf cannot record here"
}
need_work spin_paths spin_nofp

record() {
	local name=$1

	shift
	perf record -q -o "$tmp/$name" -e cpu-clock "$@" >"$tmp/record" 2>&1 9>&- || {
		cat "$tmp/record" >&2
		fail "$name: perf does not record"
	}
}

# Lines "total self name"; a name that several files have is summed up.
theirs() {
	perf report --stdio -i "$tmp/$1" --children --no-inline -F overhead_children,overhead,sym \
		-t '|' -g none --percent-limit 0 2>"$tmp/report.err" >"$tmp/report" || {
		cat "$tmp/report.err" >&2
		fail "$1: perf does not report"
	}
	awk -F'|' '!/^#/ && NF >= 3 {
			name = $3
			sub(/^ *\[.\] /, "", name); sub(/ +$/, "", name)
			total[name] += $1; self[name] += $2
		} END { for (n in total) print total[n], self[n], n }' "$tmp/report"
}

ours() {
	paste <(json 'all:total.functions.total') <(json 'all:total.functions.self') \
		<(json 'all:total.functions.function') |
		awk -F'\t' '{ total[$3] += 100 * $1; self[$3] += 100 * $2 }
			END { for (n in total) print total[n], self[n], n }'
}

# agree NAME: every function that has a name for both.  perf takes the address that a call returns to
# for one of the caller; where the call is its last instruction, that is the function behind it.
agree() {
	local bad nr

	rt -i "$tmp/$1" --no-lines --json
	expect_status 0 "$1"
	check_report
	theirs "$1" >"$tmp/theirs"
	ours >"$tmp/ours"
	perf script -i "$tmp/$1" -F ip,sym,symoff 2>/dev/null |
		sed -n 's/^[[:space:]]*[0-9a-f]* \(.*\)+0x0$/\1/p' | sort -u >"$tmp/behind"
	awk -v ours="$tmp/ours" -v behind="$tmp/behind" '
		function name() { n = $0; sub(/^[^ ]+ [^ ]+ /, "", n); return n }
		BEGIN {
			while ((getline < behind) > 0) skip[$0] = 1
			while ((getline < ours) > 0) { total[name()] = $1; self[n] = $2 }
		}
		name() in skip || n ~ /^(0x)?[0-9a-f]+$/ { next }
		{
			nr++
			d = $1 - total[n]; e = $2 - self[n]
			if (d > 0.1 || d < -0.1 || e > 0.1 || e < -0.1)
				printf "%s: %s %s, not %s %s\n", n, total[n], self[n], $1, $2
		}
		END { print nr > "/dev/stderr" }' "$tmp/theirs" >"$tmp/bad" 2>"$tmp/nr"
	nr=$(cat "$tmp/nr")
	bad=$(wc -l <"$tmp/bad")
	# the program has 7; a sample on the first instruction of one takes it out
	[ "${nr:-0}" -ge 5 ] || fail "$1: only $nr functions have names"
	[ "$bad" = 0 ] || {
		cat "$tmp/bad" >&2
		fail "$1: $bad of $nr functions have other shares"
	}
	pass "$1: $nr functions have the shares that perf reports"
}

record frames -F 2000 -g -- "$work/spin_paths" -s 1.2
agree frames
record stacks -F 1000 --call-graph dwarf -- "$work/spin_nofp" -s 1.2
agree stacks
[ "$(json 'total.unwind.samples')" -gt 100 ] || fail "stacks: few samples were unwound"
[ "$(json 'total.unwind.ends.outermost')" = "$(json 'total.unwind.samples')" ] ||
	fail "stacks: not all paths are whole"
for name in path_parse path_emit path_lex path_walk; do
	awk -v name="$name" '$3 == name && $1 > 20 { found = 1 } END { exit !found }' "$tmp/theirs" ||
		fail "stacks: perf has no $name"
done
# without the kernel's chains its functions are leaves all the same
for mode in "-g" "--call-graph dwarf"; do
	name=user${mode##* }
	record "$name" -F 2000 $mode --user-callchains -- dd if=/dev/zero of=/dev/null bs=64k count=100000
	agree "$name"
	awk '$3 == "read_zero" && $2 > 5 { found = 1 } END { exit !found }' "$tmp/ours" ||
		fail "$name: the kernel's read_zero has no samples of its own"
done
record small -F 1000 --call-graph dwarf,64 -- "$work/spin_nofp" -s 0.5
rt -i "$tmp/small" --json --paths
expect_status 0 "small"
check_report
[ "$(json 'total.unwind.ends.truncated')" -gt 30 ] || fail "small: no path is truncated"
[ "$(json 'sum:total.paths[path~truncated].samples')" = "$(json 'total.unwind.ends.truncated')" ] ||
	fail "small: not all truncated paths say so"
pass "small: $(json 'total.unwind.ends.truncated') paths are truncated, and say so"

# A machine that we have no unwinder for: functions have the shares that perf gives them by the samples'
# own addresses, and all paths say that they end there.  x86's registers say nothing of another's
# program counter.
LC_ALL=C sed 's/x86_64\x00\x00/aarch64\x00/' "$tmp/stacks" >"$tmp/foreign"
perf report --stdio -i "$tmp/foreign" --header-only 2>/dev/null | grep '^# arch : aarch64' >"$tmp/arch" ||
	fail "foreign: the file is not aarch64's"
rt -i "$tmp/foreign" --no-lines --json --paths
expect_status 0 "foreign"
check_report
perf report --stdio -i "$tmp/foreign" --no-children --no-inline -F overhead,sym -t '|' -g none \
	--percent-limit 0 2>"$tmp/report.err" |
	awk -F'|' '!/^#/ && NF >= 2 {
			name = $2
			sub(/^ *\[.\] /, "", name); sub(/ +$/, "", name)
			self[name] += $1
		} END { for (n in self) print self[n], n }' >"$tmp/theirs"
ours >"$tmp/ours"
nr=$(awk -v ours="$tmp/ours" '
	function name() { n = $0; sub(/^[^ ]+ /, "", n); return n }
	BEGIN { while ((getline < ours) > 0) { s = $2; sub(/^[^ ]+ /, ""); self[name()] = s } }
	name() ~ /^(0x)?[0-9a-f]+$/ { next }
	{
		nr++
		d = $1 - self[n]
		if (d > 0.1 || d < -0.1) {
			print n ": " self[n] " not " $1 >"/dev/stderr"
			bad = 1
		}
	}
	END { print bad ? 0 : nr }' "$tmp/theirs")
[ "${nr:-0}" -ge 4 ] || fail "foreign: leaves have other shares than perf's"
[ "$(json 'sum:total.paths[path~broken].samples')" = "$(json 'total.events[0].samples')" ] ||
	fail "foreign: not all paths say that nobody unwound them"
pass "foreign: $nr functions have the shares that perf reports"
