#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh OUTDIR [NAME...] - builds the workloads into OUTDIR, each again only when its source is
# newer.  Without names all but big_binary.  A variant the machine's tools cannot make (-m32 without
# a 32-bit libc, Rust without rustc) is left out; tests that want it say so and skip.
set -eu

out=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-gcc}
cxx=${CXX:-g++}
flags=(-std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -fno-omit-frame-pointer)
mkdir -p "$out"
exec 7>"$out/build.lock" # tests side by side want the same
flock 7

# stale TARGET SOURCE...: must TARGET be made?
stale() {
	local target=$out/$1 source

	[ -e "$target" ] || return 0
	shift
	for source in "$@" work.h build.sh; do
		[ "$here/$source" -nt "$target" ] && return 0
	done
	return 1
}

# make_c TARGET SOURCE [FLAG...]; through a temporary name: the old one may be running
make_c() {
	local target=$1 source=$2

	shift 2
	stale "$target" "$source" || return 0
	"$cc" "${flags[@]}" -I"$here" -o "$out/$target.$$" "$here/$source" -pthread "$@" || return 1
	mv -f "$out/$target.$$" "$out/$target"
}

# optional COMMAND...: what this machine may be unable to build
optional() {
	if ! "$@" 2>"$out/optional.$$"; then
		echo "build.sh: left out: $*: $(tail -n 1 "$out/optional.$$")" >&2
	fi
	rm -f "$out/optional.$$"
}

make_plain() {
	make_c "$1" "$1.c"
}

make_storm_exact() {
	[ "$(uname -m)" = x86_64 ] || { echo "x86-64 only" >&2; return 1; }
	make_c storm_exact storm_exact.c -nostdlib -static -fno-stack-protector -fcf-protection=none
}

# At fixed addresses, which a module is told.
make_ptloop() {
	[ "$(uname -m)" = x86_64 ] || { echo "x86-64 only" >&2; return 1; }
	make_c ptloop ptloop.c -static -no-pie -fno-pie
}

make_tiny() {
	make_c tiny_static tiny.c -DTINY_NAME=tiny_static_work -static
	make_c tiny_pie tiny.c -DTINY_NAME=tiny_pie_work -fPIE -pie
}

make_spin_stripped() {
	make_c spin_stripped spin_named.c -DSPIN_NAME=spin_stripped_hot -Wl,--build-id
	[ -e "$out/spin_stripped.debug" ] &&
		[ ! "$out/spin_stripped" -nt "$out/spin_stripped.debug" ] && return 0
	objcopy --only-keep-debug "$out/spin_stripped" "$out/spin_stripped.debug"
	(cd "$out" && strip --strip-all spin_stripped &&
		objcopy --add-gnu-debuglink=spin_stripped.debug spin_stripped)
	touch "$out/spin_stripped.debug"
}

make_dlopen_churn() {
	make_c dlopen_churn dlopen_churn.c -ldl
	make_c libchurn_a.so churn_lib.c -DCHURN_NAME=churn_alpha -shared -fPIC
	make_c libchurn_b.so churn_lib.c -DCHURN_NAME=churn_beta -shared -fPIC
}

make_plt_calls() {
	make_c libplt.so plt_lib.c -shared -fPIC
	stale plt_calls plt_calls.c || return 0
	# shellcheck disable=SC2016 # $ORIGIN is the loader's
	make_c plt_calls plt_calls.c -fplt -L"$out" -lplt -Wl,-z,lazy '-Wl,-rpath,$ORIGIN'
}

make_cxx_names() {
	stale cxx_names cxx_names.cc || return 0
	"$cxx" -std=gnu++17 -O2 -g -Wall -Wextra -I"$here" -o "$out/cxx_names.$$" \
		"$here/cxx_names.cc"
	mv -f "$out/cxx_names.$$" "$out/cxx_names"
}

make_unwind_cases() {
	stale unwind_cases unwind_cases.cc || return 0
	"$cxx" -O2 -g -Wall -Wextra -fomit-frame-pointer -o "$out/unwind_cases.$$" \
		"$here/unwind_cases.cc" || return 1
	mv -f "$out/unwind_cases.$$" "$out/unwind_cases"
}

make_rust_names() {
	stale rust_names rust_names.rs || return 0
	command -v rustc >/dev/null || { echo "no rustc" >&2; return 1; }
	rustc -O -C debuginfo=1 -o "$out/rust_names" "$here/rust_names.rs" || return 1
}

# lang_NAME and, built without frame pointers, lang_NAME_nofp
make_lang_c() {
	make_c lang_c lang_c.c -fno-optimize-sibling-calls
	make_c lang_c_nofp lang_c.c -fno-optimize-sibling-calls -fomit-frame-pointer
}

make_lang_cxx() {
	local flag

	for flag in '' omit; do
		stale "lang_cxx${flag:+_nofp}" lang_cxx.cc || continue
		"$cxx" -std=gnu++17 -O2 -g -Wall -Wextra "-f${flag:-no-omit}-frame-pointer" \
			-fno-optimize-sibling-calls -I"$here" -o "$out/lang_cxx.$$" "$here/lang_cxx.cc"
		mv -f "$out/lang_cxx.$$" "$out/lang_cxx${flag:+_nofp}"
	done
}

make_lang_rust() {
	command -v rustc >/dev/null || { echo "no rustc" >&2; return 1; }
	stale lang_rust lang_rust.rs || return 0
	rustc -O -g -C force-frame-pointers=yes -o "$out/lang_rust" "$here/lang_rust.rs" &&
		rustc -O -g -o "$out/lang_rust_nofp" "$here/lang_rust.rs"
}

# lang_go_s has no symbol table and no debugging information: its names are in .gopclntab
make_lang_go() {
	command -v go >/dev/null || { echo "no Go" >&2; return 1; }
	stale lang_go lang_go.go || return 0
	(
		export GOCACHE="$(realpath "$out")/gocache" GOFLAGS=-mod=mod GO111MODULE=off
		go build -o "$out/lang_go" "$here/lang_go.go" &&
			go build -ldflags='-s -w' -o "$out/lang_go_s" "$here/lang_go.go"
	) || return 1
	rm -rf "$out/gocache"
}

# its only symbols are in .gnu_debugdata, as Fedora has them
make_lang_mini() {
	stale lang_mini lang_c.c || return 0
	command -v xz >/dev/null || { echo "no xz" >&2; return 1; }
	make_lang_c
	nm "$out/lang_c" --format=posix --defined-only | awk '$2 ~ /[tT]/ { print $1 }' | sort \
		>"$out/mini.$$.keep"
	objcopy --only-keep-debug "$out/lang_c" "$out/mini.$$" &&
		objcopy -S --remove-section .gdb_index --remove-section .comment \
			--keep-symbols="$out/mini.$$.keep" "$out/mini.$$" "$out/mini.$$.small" &&
		xz -f "$out/mini.$$.small" &&
		strip --strip-all -o "$out/lang_mini.$$" "$out/lang_c" &&
		objcopy --add-section ".gnu_debugdata=$out/mini.$$.small.xz" "$out/lang_mini.$$" &&
		mv -f "$out/lang_mini.$$" "$out/lang_mini"
	rm -f "$out"/mini.$$*
	[ -x "$out/lang_mini" ]
}

make_many_objects() {
	make_c many_objects many_objects.c -ldl
	make_c many_objects.so many_objects.c -DMANY_LIBRARY -shared -fPIC \
		-Wl,--build-id=0x"$(printf object_0000 | od -An -tx1 | tr -d ' ')"
}

make_big_binary() {
	stale big_binary big_main.c big_binary.sh || return 0
	bash "$here/big_binary.sh" "$out/big_binary.$$"
	mv -f "$out/big_binary.$$" "$out/big_binary"
}

make_one() {
	case $1 in
	storm_exact) optional make_storm_exact ;;
	ptloop) optional make_ptloop ;;
	tiny) make_tiny ;;
	spin_hot) make_c spin_hot spin_named.c ;;
	greedy) make_c greedy greedy.c -lz -lzstd ;;
	spin_static) make_c spin_static spin_named.c -DSPIN_NAME=spin_static_hot -static ;;
	spin_staticpie)
		optional make_c spin_staticpie spin_named.c -DSPIN_NAME=spin_staticpie_hot -static-pie -fPIE
		;;
	spin_m32) optional make_c spin_m32 spin_named.c -DSPIN_NAME=spin_m32_hot -m32 ;;
	waits_nofp) make_c waits_nofp waits_known.c -fomit-frame-pointer ;;
	spin_nofp) make_c spin_nofp spin_paths.c -DSPIN_NOFP -fomit-frame-pointer ;;
	spin_large) make_c spin_large spin_paths.c -DSPIN_NOFP -DSPIN_LARGE -fomit-frame-pointer ;;
	spin_rbp) make_c spin_rbp spin_paths.c -DSPIN_RBP ;;
	spin_deleted) make_c spin_deleted spin_named.c -DSPIN_NAME=spin_deleted_hot ;;
	spin_decoy) make_c spin_decoy spin_named.c -DSPIN_NAME=spin_decoy_hot -static ;;
	spin_jailed) make_c spin_jailed spin_named.c -DSPIN_NAME=spin_jailed_hot -static ;;
	spin_stripped) make_spin_stripped ;;
	dlopen_churn) make_dlopen_churn ;;
	plt_calls) make_plt_calls ;;
	cxx_names) make_cxx_names ;;
	unwind_cases) make_unwind_cases ;;
	rust_names) optional make_rust_names ;;
	lang_c) make_lang_c ;;
	lang_cxx) make_lang_cxx ;;
	lang_rust) optional make_lang_rust ;;
	lang_go) optional make_lang_go ;;
	lang_mini) optional make_lang_mini ;;
	many_objects) make_many_objects ;;
	big_binary) make_big_binary ;;
	*) make_plain "$1" ;;
	esac
}

all=(storm_getppid storm_exact storm_keys storm_paths storm_grow storm_map storm_switch storm_fault storm_fork tiny spin_shares waits_known states_known
	spin_paths spin_nofp spin_large waits_nofp spin_rbp spin_leaf spin_threads many_threads comm_storm jit_map spin_hot spin_static spin_staticpie
	spin_m32 spin_deleted spin_decoy spin_jailed spin_stripped dlopen_churn plt_calls cxx_names
	rust_names unwind_cases lang_c lang_cxx lang_rust lang_go lang_mini)

[ $# -gt 0 ] || set -- "${all[@]}"
for name in "$@"; do
	make_one "$name"
done
