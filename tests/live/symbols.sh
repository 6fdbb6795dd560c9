#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One program after another whose names are hard to get, all at work at once, each seen by name.
. "$(dirname "$0")/lib.sh"
need_root
need_perf
names=(spin_static spin_jailed spin_staticpie spin_m32 spin_deleted spin_decoy spin_stripped spin_hot
	plt_calls cxx_names rust_names dlopen_churn jit_map comm_storm)
for name in "${names[@]}"; do
	bash "$tests_dir/work/build.sh" "$work" "$name" 9>&- || exit 1
done

# in_report FUNCTION: what of its name is there however much of it is shown: C++ with or without its result and arguments
in_report() {
	local short=${1#long }

	[ "${1#\~}" = "$1" ] || short=${1#\~}
	echo "${short%%(*}"
}

run=$tmp/run
mkdir -p "$run" "$tmp/jail"
pids=()
expected=()

# spawn FUNCTION PROGRAM [ARG...]: FUNCTION must show up, with the program's other ones on the way; stdin from $from
spawn() {
	expected+=("$1")
	shift
	"$@" >"$run/${#pids[@]}" 2>&1 <"${from:-/dev/null}" 5>&- 9>&- &
	pids+=($!)
	started+=($!)
}

# They work until all have been seen, however long that takes where so many are at work.
seconds=240
spawn spin_static_hot "$work/spin_static" -s $seconds
[ -x "$work/spin_staticpie" ] && spawn spin_staticpie_hot "$work/spin_staticpie" -s $seconds
[ -x "$work/spin_m32" ] && spawn spin_m32_hot "$work/spin_m32" -s $seconds

# its file is gone: /proc/PID/exe and map_files still lead there
cp "$work/spin_deleted" "$tmp/spin_deleted"
spawn spin_deleted_hot "$tmp/spin_deleted" -s $seconds unlink

# its symbols are in another file, named by .gnu_debuglink, beside it
spawn spin_stripped_hot "$work/spin_stripped" -s $seconds

# without symbols anywhere: its functions by the bounds that their unwind information has
strip --strip-all -o "$tmp/spin_bare" "$work/spin_hot"
spawn "spin_bare+0x$(nm "$work/spin_hot" | sed -n 's/^0*\([0-9a-f]*\) [tT] spin_hot$/\1/p')" "$tmp/spin_bare" -s $seconds

# in a chroot, where its path means nothing to us
cp "$work/spin_jailed" "$tmp/jail/spin_jailed"
spawn spin_jailed_hot chroot "$tmp/jail" /spin_jailed -s $seconds

# in a mount namespace, where its path is another file's here: that one must not be believed
cp "$work/spin_decoy" "$tmp/spin_mounted"
cp "$work/spin_hot" "$tmp/spin_real"
# shellcheck disable=SC2016 # the inner shell's own arguments
if unshare -m true 2>/dev/null; then
	spawn spin_hot unshare -m sh -c 'mount --bind "$1" "$2" && exec "$2" -s "$3"' sh \
		"$tmp/spin_real" "$tmp/spin_mounted" $seconds
fi

spawn 'plt_target@plt' "$work/plt_calls" -s $seconds
spawn 'long cxx::Box<int>::churn<long>(long)' "$work/cxx_names" -s $seconds
expected+=('cxx::Box<int>::operator+=(cxx::Box<int> const&)')
[ -x "$work/rust_names" ] && spawn '~Holder' "$work/rust_names" $seconds
spawn churn_alpha "$work/dlopen_churn" -s $seconds "$work/libchurn_a.so" "$work/libchurn_b.so"
expected+=(churn_beta)
# its map is another one once the first has been read
mkfifo "$tmp/turn"
exec 5<>"$tmp/turn"
from=$tmp/turn spawn jit_alpha "$work/jit_map" -s $seconds told
expected+=(jit_beta jit_gamma jit_delta)
spawn comm_work "$work/comm_storm" -s $seconds

rt_launch -d 0.5 -e cpu-clock:u -F 4999
wait_until 30 has_text "$out" '"jit_alpha"' || fail "jit_alpha is not seen while it runs"
echo >&5
all_seen() {
	local function

	for function in "${expected[@]}"; do
		grep -qF -- "$(in_report "$function")" "$out" || return 1
	done
}
wait_until 60 all_seen # who is missing is said below
for pid in "${pids[@]}"; do
	gone "$pid" && {
		cat "$run"/* >&2
		fail "a workload failed"
	}
	on_exit "rm -f /tmp/perf-$pid.map"
done
rt_stop
kill "${pids[@]}"
expect_status 0 symbols
check_report

missing=0
for function in "${expected[@]}"; do
	samples=$(json "sum:total.functions[function~$(in_report "$function")].samples")
	if holds "$samples > 0"; then
		echo "   $function: $samples samples"
	else
		echo "   $function: not seen" >&2
		missing=$((missing + 1))
	fi
done
[ $missing = 0 ] || fail "$missing of ${#expected[@]} functions were not seen"
holds "$(json 'sum:total.functions[function=spin_decoy_hot].samples') == 0" ||
	fail "the file at the same path outside the mount namespace was believed"
holds "$(json 'sum:total.functions[object~spin_bare][function~[0x].samples') == 0" ||
	fail "addresses of a file without symbols are not grouped"
LC_ALL=C grep -q '[[:cntrl:]]' "$out" && fail "a control character in the report"
pass "${#expected[@]} functions"
