#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --list: what it says can be opened can, what not cannot; as text and as JSON the same; a part of a name, a glob;
# a user without rights is told what he may not.
. "$(dirname "$0")/lib.sh"
need_perf

# Some tracepoints the kernel only counts: that is said, and how to.
if [ -e /sys/kernel/tracing/events/irq_vectors/irq_work_exit ]; then
	for events in irq_vectors:irq_work_exit 'irq_vectors:irq_work_*'; do
		rt -e "$events" --json -- true
		expect_status 3 "$events"
		grep -q 'counts irq_vectors:irq_work_exit .*no samples' "$err" || fail "$events: $(cat "$err")"
		grep -q -- '-S instead of -e' "$err" || fail "$events: no advice: $(cat "$err")"
	done
	rt -S irq_vectors:irq_work_exit --json --duration 0.2
	expect_status 0 "irq_work_exit, counted"
	pass "what is only counted"
fi

rt --list
expect_status 0 "all"
grep -q '^cycles  *hardware ' "$out" || fail "no cycles in the list"
grep -q '^cpu-clock  *software  *ns; ' "$out" || fail "no cpu-clock in the list"
grep -q '^L1-dcache-load-misses  *cache ' "$out" || fail "no caches in the list"
tried=0
mapfile -t lines < <(grep -v '^L1-icache\|^node\|^branch-' "$out") # enough of the caches
for line in "${lines[@]}"; do
	read -r name kind rest <<<"$line"
	case $kind in hardware | software | cache | pmu) ;; *) continue ;; esac
	[ "$name" != dummy ] && [ "$name" != bpf-output ] || continue # they have no samples
	case $kind,$rest in pmu,*) continue ;; esac # perhaps of no task
	"$RINGTOP" -e "$name" --json -- true >/dev/null 2>"$err" 9>&-
	status=$?
	case $rest in
	*'['*) [ $status != 0 ] || fail "$name is said not to be there, and can be opened" ;;
	*) [ $status = 0 ] || fail "$name is said to be there: $(cat "$err")" ;;
	esac
	tried=$((tried + 1))
done
[ $tried -gt 10 ] || fail "only $tried events tried"
pass "all: $(wc -l <"$out") lines, $tried events tried"

names=$(cut -d ' ' -f 1 "$out" | sort)
rt --list --json
expect_status 0 "JSON"
[ "$(sed -n 's/^{"name":"\([^"]*\)".*/\1/p' "$out" | sort)" = "$names" ] || fail "JSON lists other names"
pass "JSON: the same names"

rt --list 'cpu-c*'
expect_status 0 "a glob"
[ "$(cut -d ' ' -f 1 "$out")" = cpu-clock ] || fail "cpu-c* is $(cat "$out")"
rt --list nothing-of-that-name
expect_status 1 "no match"
has_text "$err" "no event of this machine matches" || fail "no match: $(cat "$err")"
pass "a glob; no match: $(cat "$err")"

rt --list --json -H localhost
expect_status 2 "of another machine"
pass "of another machine: $(cat "$err")"

[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] || exit 0
user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$RINGTOP" "$@" 9>&-; }
cd / || exit 1
user --list cpu-clock >"$out" 2>"$err" || fail "as a user: $(cat "$err")"
has_text "$out" "user code only" || fail "as a user: $(cat "$out")"
pass "as a user: $(cat "$out")"
