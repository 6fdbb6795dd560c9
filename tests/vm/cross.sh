# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cross.sh - this tree, configured for aarch64 in a copy of it, by Debian's cross compiler with that architecture's
# libraries, which are downloaded and unpacked, never installed; sourced by the tests that use it, one at a time.
#
# Afterwards the copy is the current directory, ready for make; $system has the libraries, $tools what runs here,
# $emulate runs a program by qemu's user emulation, $log is for what fails.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=${VM_CACHE:-$PWD/build-vm}

skip() {
	echo "SKIP: $*"
	exit 77
}

fail() {
	echo "FAIL: $*"
	[ ! -s "$log" ] || tail -n 20 "$log"
	exit 1
}

[ "$(uname -m)" = x86_64 ] || skip "the cross compiler is for x86-64"
release=$(. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}")
[ -n "$release" ] || skip "this is no Debian: the cross compiler would not find its libraries"
[ -f Makefile ] && [ -n "${RINGTOP:-}" ] || skip "not in a configured tree"
RINGTOP=$(realpath "$RINGTOP")
unset MAKEFLAGS MAKELEVEL CC CXX CPP
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/aarch64.lock"
flock 9
log=$cache/aarch64.log
: >"$log"

tree() { # name, packages: where they are
	VM_CACHE=$cache DEBIAN_RELEASE=$release DEBIAN_FOREIGN=arm64 bash "$here/newer" tree "$@"
}

from=$SECONDS
version=$(gcc -dumpversion) || skip "no gcc to tell which cross compiler fits its libraries"
for name in tools system; do
	case $name in
	tools) packages="gcc-$version cpp-$version binutils" suffix=-aarch64-linux-gnu
		more="libgcc-$version-dev-arm64-cross libgcc-s1-arm64-cross qemu-user-static" ;;
	system) packages="libc6 libc6-dev linux-libc-dev libcrypt-dev libdw1 libdw-dev libelf1 libelf-dev liblzma5
			liblzma-dev libzstd1 libzstd-dev zlib1g zlib1g-dev libunwind8 libunwind-dev libiberty-dev
			libbz2-1.0 libbz2-dev libtraceevent1 libtraceevent-dev libgcc-s1 libcmocka0 libcmocka-dev libjansson4 libjansson-dev"
		suffix=:arm64 more= ;;
	esac
	words=
	for package in $packages; do
		words="$words $package$suffix"
	done
	# shellcheck disable=SC2086 # names are words
	answer=$(tree $name $words $more) || {
		echo "$answer"
		exit 77
	}
	declare "$name=$answer"
done
rm -f $(ls "$tools"/usr/bin/qemu-*-static | grep -v qemu-aarch64-static)
echo "ok: packages, after $((SECONDS - from)) s"

# The programs want libraries of their own package.
bin=$cache/aarch64-bin
mkdir -p "$bin"
wrap() { # name, program, arguments
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$tools/usr/lib/x86_64-linux-gnu" "$2" >"$bin/$1"
	chmod 755 "$bin/$1"
}
wrap aarch64-linux-gnu-gcc "$tools/usr/bin/aarch64-linux-gnu-gcc-$version --sysroot=$system"
for name in ar ranlib strip nm; do
	wrap aarch64-linux-gnu-$name "$tools/usr/bin/aarch64-linux-gnu-$name"
done
emulate="$tools/usr/bin/qemu-aarch64-static -L $system"
export PATH=$bin:$PATH PKG_CONFIG_SYSROOT_DIR=$system
export PKG_CONFIG_LIBDIR=$system/usr/lib/aarch64-linux-gnu/pkgconfig:$system/usr/share/pkgconfig

from=$SECONDS
build=$cache/aarch64
make -s --no-print-directory copy-tree DESTINATION="$build" >>"$log" 2>&1 || fail "copying the sources"
cd "$build" || exit 1
[ -f config.status ] && [ ! configure -nt config.status ] ||
	./configure --host=aarch64-linux-gnu PKG_CONFIG=pkg-config CFLAGS=-O1 --without-ncurses --enable-agent \
		--enable-werror >>"$log" 2>&1 || fail "configure"
