#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Call paths of programs in C, C++, Rust and Go: the functions' shares with all they call are what the
# programs are built to have, their chains stand whole, and on one recording perf says the same.
. "$(dirname "$0")/lib.sh"
need_perf
bad=0

complain() {
	echo "   $*" >&2
	bad=$((bad + 1))
}

left_out() {
	echo "   $1: left out: $2"
}

# built PROGRAM TARGET
built() {
	bash "$tests_dir/work/build.sh" "$work" "$1" 2>"$tmp/build" 9>&- || {
		cat "$tmp/build" >&2
		fail "$1 cannot be built"
	}
	[ -x "$work/$2" ] || {
		left_out "$2" "$(tail -n 1 "$tmp/build")"
		return 1
	}
}

# measure PROGRAM MODE ARG...: a live session with its paths, folded.  Programs run for so long a time, of which a busy
# machine gives them a part, and what the dynamic linker does before (milliseconds) is the more the less that is: it
# must stay below what share() allows.
measure() {
	local name=$1 seconds

	program="$1 $2"
	shift
	for seconds in 1.5 3 6 12 24 48; do
		rt --json -d 0.5 -e cpu-clock:u -F 1999 --call-graph "$@" --export "folded:$tmp/folded" -- \
			"$work/$name" "${flags[@]}" $seconds
		expect_status 0 "$program"
		check_report
		samples=$(json 'total.events[0].samples')
		[ "${samples:-0}" -lt 1500 ] || break
	done
	[ "${samples:-0}" -ge 1500 ] || fail "$program: only $samples samples in $seconds s"
	sed -n 's/^[a-z]*=[0-9].*/&/p' "$err" >"$tmp/work" # truth() reads what the workload printed
}

total() {
	json "sum:total.functions[function=$1].total"
}

# share FUNCTION SHARE: with all it calls; five standard deviations, and two per cent for what
# is beside the loops
share() {
	near "0$(total "$1" | tr -d -)" "$2" "5 * sqrt($2 * (1 - $2) / $samples) + 0.02" ||
		complain "$program: $1 has $(total "$1"), not $2"
}

# chain PATTERN SHARE: of the samples, in the folded file
chain() {
	local part

	part=$(awk -v pattern="$1" '{ n = $NF; sub(/ [0-9]+$/, ""); all += n }
		$0 ~ pattern { sum += n } END { printf "%f", all ? sum / all : 0 }' "$tmp/folded")
	near "$part" "$2" "5 * sqrt($2 * (1 - $2) / $samples) + 0.02" ||
		complain "$program: $part of the samples have the chain $1, not $2"
}

# as_perf PROGRAM MODE FUNCTION...: one recording, seen by both
as_perf() {
	local name=$1 mode=$2 ours theirs

	shift 2
	command -v perf >/dev/null || return 0
	perf record -q -o "$tmp/perf.data" -e cpu-clock:u -F 499 --call-graph "$mode" -- \
		"$work/$name" "${flags[@]}" 1.5 >"$tmp/record" 2>&1 9>&- || {
		cat "$tmp/record" >&2
		fail "$name: perf does not record"
	}
	perf report --stdio -i "$tmp/perf.data" --children --no-inline -F overhead_children,sym \
		-g none -t '|' --percent-limit 0 2>/dev/null |
		sed -n 's/^ *\([0-9.]*\)% *|\[[^]]*\] *\(.*[^ ]\) *$/\1 \2/p' >"$tmp/report"
	rt -i "$tmp/perf.data" --json
	expect_status 0 "$name"
	for function; do
		ours=$(total "$function")
		theirs=$(awk -v name="$function" '{ p = $1; sub(/^[^ ]* /, "") } $0 == name { sum += p }
			END { print sum + 0 }' "$tmp/report")
		holds "$theirs > 0" || {
			complain "$name $mode: perf knows no $function"
			continue
		}
		near "100 * 0${ours#-}" "$theirs" 0.5 ||
			complain "$name $mode: $function has $ours, perf says $theirs %"
	done
}

# the parts' shares as the program measured them itself
part_shares() {
	local part sum=0

	for part in signal deep leaf clock; do
		sum=$((sum + $(truth $part)))
	done
	for part in signal deep leaf clock; do
		declare -g "$part=$(awk "BEGIN { print $(truth $part) / $sum }")"
	done
}

c_shares() {
	part_shares
	share c_part 1
	share c_signal "$signal"
	share c_handler "$signal"
	share c_deep "$deep" # once, however deep
	share c_leaf "$leaf"
	chain 'c_part'"$(printf ';c_deep%.0s' {0..30})"';c_spin(;work_spin [(]inlined[)])?$' "$deep"
}

# what only unwinding sees: who called a leaf, who was interrupted
c_exact() {
	share c_caller "$leaf"
	share c_clock "$clock"
	chain ';_start;.*;main;c_part;c_signal;c_interrupted;[^;]*;__restore_rt;c_handler;c_spin(;work_spin [(]inlined[)])?$' "$signal"
	chain ';c_caller;c_leaf(;work_spin [(]inlined[)])?$' "$leaf"
	chain ';c_clock;clock_gettime[^;]*;[^;]*vdso_clock_gettime' "$(
		awk -v self="$(json 'sum:total.functions[function~vdso_clock_gettime].self')" 'BEGIN { print self }'
	)"
}

flags=(-s)
if built lang_c lang_c; then
	measure lang_c fp
	c_shares
	chain ';main;c_part;c_signal;__restore_rt;c_handler;c_spin(;work_spin [(]inlined[)])?$' "$signal"
	as_perf lang_c fp main c_part c_signal c_deep c_leaf c_spin
	# a signal frame alone is 11 KB where the processor has AMX
	measure lang_c dwarf,32768
	c_shares
	c_exact
	measure lang_c_nofp dwarf,32768
	c_shares
	c_exact
	as_perf lang_c_nofp dwarf main c_part c_signal c_deep c_caller c_leaf c_spin
fi
if built lang_mini lang_mini; then
	measure lang_mini dwarf,32768
	c_shares
	c_exact
fi

cxx_shares() {
	share lang::spin 1
	share lang::recover 0.333
	share 'lang::Nest<20u>::descend' 0.333
	share 'lang::Nest<0u>::descend' 0.333
	share lang::dispatch 0.333
	chain ';main;lang::dispatch;lang::Derived::act;lang::spin(;work_spin [(]inlined[)])?$' 0.333
	chain ';main;lang::guard[^;]*;lang::recover;lang::spin(;work_spin [(]inlined[)])?$' 0.333
	chain ';lang::Nest<10u>::descend;lang::Nest<9u>::descend;lang::Nest<8u>::descend;' 0.333
}

if built lang_cxx lang_cxx; then
	measure lang_cxx fp
	cxx_shares
	as_perf lang_cxx fp main lang::recover 'lang::Nest<3u>::descend' lang::dispatch
	measure lang_cxx_nofp dwarf
	cxx_shares
	as_perf lang_cxx_nofp dwarf main lang::recover 'lang::Nest<3u>::descend' \
		lang::dispatch
fi

rust_shares() {
	share lang_rust::main 1
	share lang_rust::generic 0.333
	share lang_rust::apply 0.333
	share lang_rust::dynamic 0.333
	chain ';lang_rust::main;lang_rust::dynamic;<lang_rust::Actor as lang_rust::Act>::act;' 0.333
}

flags=()
if built lang_rust lang_rust; then
	measure lang_rust fp
	rust_shares
	as_perf lang_rust fp main lang_rust::generic lang_rust::apply lang_rust::dynamic
	measure lang_rust_nofp dwarf
	rust_shares
	as_perf lang_rust_nofp dwarf main lang_rust::generic lang_rust::apply lang_rust::dynamic
fi

go_shares() {
	share main.spin 1
	share main.main 0.667
	share main.apply 0.333
	chain ';runtime.goexit[^;]*;runtime.main;main.main;' 0.667
	# what calls a leaf is not seen by frame pointers: main.worker, main.(*actor).act
	chain ';runtime.goexit[^;]*;main.main.(func2|gowrap1);.*main.spin$' 0.333
}

go_exact() {
	share 'main.(*actor).act' 0.333
	share main.worker 0.333
	chain ';main.main;main.[(][*]actor[)].act;main.spin$' 0.333
	# a go statement with arguments has a wrapper
	chain ';runtime.goexit[^;]*;(main.main.(func2|gowrap1);)?main.worker;main.spin$' 0.333
}

if built lang_go lang_go; then
	measure lang_go fp
	go_shares
	as_perf lang_go fp main.main main.apply main.spin runtime.main
	# by its .debug_frame, which Go compresses
	measure lang_go dwarf
	go_shares
	go_exact
fi
# stripped: the names are the runtime's own
if built lang_go lang_go_s; then
	measure lang_go_s fp
	go_shares
fi
[ $bad = 0 ] || fail "$bad things are not as they should be"
pass "C, C++, Rust and Go"
