#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh LINE... - a Debian kernel of each line (6.1, 6.12; 7 and others from a later Debian's
# backports) and softpt built for it, in $VM_CACHE/LINE: vmlinuz, modules/ (what init loads), headers/,
# softpt/softpt.ko, release.
#
# The packages are downloaded and unpacked, never installed.  Made once; the module again when its
# sources change.  77 and a reason where the packages cannot be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${VM_CACHE:-$PWD/build-vm}
modules='virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci
	netfs fscache 9pnet 9pnet_virtio 9p'

skip() {
	echo "SKIP: $*"
	exit 77
}

# The newest release of a line: 6.1.0-56-amd64, 6.12.117+deb12-amd64.
find_release() { # line
	apt-cache search --names-only "^linux-headers-${1//./\\.}\.[0-9.]+[-+][a-z0-9]+-amd64\$" |
		sed -n 's/^linux-headers-\([^ ]*\) .*/\1/p' | sort -V | tail -n 1
}

# The same of a later Debian, where headers can be there before the kernel is.
find_newer_release() { # line
	local names

	names=$(VM_CACHE=$cache "$here/newer" list "^linux-(headers|binary)-${1//./\\.}\.[0-9.]+\+[a-z0-9]+-amd64\$") || {
		echo "$names"
		exit 77
	}
	newer=$(sed 's/^linux-[a-z]*-//' <<<"$names" | sort -V | uniq -d | tail -n 1)
}

download() { # release, directory
	local log kbuild

	kbuild=$(apt-cache depends "linux-headers-$1" |
		sed -n 's/.*Depends: \(linux-kbuild-[^ ]*\).*/\1/p' | head -n 1)
	log=$(cd "$2" && apt-get -q download "linux-image-$1" "linux-headers-$1" \
		"linux-headers-${1%-amd64}-common" "$kbuild" 2>&1) && return
	skip "no packages of a kernel: $(grep '^E:' <<<"$log" | head -n 1)"
}

download_newer() { # release, directory
	VM_CACHE=$cache "$here/newer" get "$2" "linux-binary-$1" "linux-modules-$1" "linux-headers-$1" \
		"linux-headers-${1%-amd64}-common" "linux-kbuild-${1%-amd64}" || exit $?
}

unpack_image() { # directory, debs...
	local module file deb wanted=()

	for deb in "${@:2}"; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$1" -xf - --wildcards '*/vmlinuz*' \
			'*/drivers/virtio/*' '*/net/9p/*' '*/fs/9p/*' '*/fs/netfs/*' '*/fs/fscache/*' \
			2>/dev/null || :
	done
	set -- "$1"
	mv "$(find "$1" -name 'vmlinuz*')" "$1/vmlinuz"
	mkdir "$1/modules"
	for module in $modules; do
		file=$(find "$1/lib" "$1/usr/lib" -name "$module.ko*" 2>/dev/null | head -n 1)
		case $file in
		*.ko) cp "$file" "$1/modules/" ;;
		*.xz) xz -dc "$file" >"$1/modules/$module.ko" ;;
		'') continue ;; # built in
		esac
		wanted+=("$module")
	done
	printf '%s\n' "${wanted[@]}" >"$1/modules/order"
	rm -rf "${1:?}/boot" "$1/lib" "$1/usr"
}

# Headers find each other by links; only their Makefile has absolute paths.
unpack_headers() { # release, directory, debs...
	local release=$1 to=$2 headers=$cache/$line/headers/usr/src/linux-headers deb

	shift 2
	mkdir "$to/headers"
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$to/headers" -xf - --exclude='*/vmlinux' \
			./usr/src ./usr/lib 2>/dev/null || :
	done
	printf '%s\n' "KBUILD_OUTPUT = $headers-$release" "include $headers-${release%-amd64}-common/Makefile" \
		>"$to/headers/usr/src/linux-headers-$release/Makefile"
}

# The packages of this Debian's kernel; says which release.
get_packages() { # line, directory
	local release kbuild

	command -v apt-get >/dev/null || skip "no apt-get to get a Debian kernel with"
	release=$(find_release "$1")
	[ -n "$release" ] || return 0
	kbuild=$(apt-cache depends "linux-headers-$release" |
		sed -n 's/.*Depends: \(linux-kbuild-[^ ]*\).*/\1/p' | head -n 1)
	echo "getting kernel $release" >&2
	(cd "$2" && download "linux-image-$release" "linux-headers-$release" \
		"linux-headers-${release%-amd64}-common" "$kbuild") >&2
	echo "$release"
}

get_newer_packages() { # line, directory
	local release

	release=$(find_newer_release "$1")
	[ -n "$release" ] || return 0
	echo "getting kernel $release of a later Debian" >&2
	"$here/newer" get "$2" "linux-binary-$release" "linux-modules-$release" "linux-headers-$release" \
		"linux-headers-${release%-amd64}-common" "linux-kbuild-${release%-amd64}" >&2
	echo "$release"
}

get_kernel() { # line
	local release newer="" new=$cache/$1.new

	[ ! -e "$cache/$1/release" ] || return 0
	[ "$(uname -m)" = x86_64 ] || skip "only built for x86-64"
	command -v apt-get >/dev/null || skip "no apt-get to get a Debian kernel with"
	release=$(find_release "$1")
	[ -n "$release" ] || find_newer_release "$1"
	release=${release:-$newer}
	[ -n "$release" ] || skip "apt knows no kernel $1"
	echo "getting kernel $release" >&2
	rm -rf "$new"
	mkdir -p "$new/deb"
	if [ -n "$newer" ]; then
		download_newer "$release" "$new/deb"
	else
		download "$release" "$new/deb"
	fi
	# shellcheck disable=SC2046 # no blanks in them
	unpack_image "$new" $(ls "$new"/deb/linux-{image,binary,modules}-*.deb 2>/dev/null)
	unpack_headers "$release" "$new" "$new"/deb/linux-headers-*.deb "$new"/deb/linux-kbuild-*.deb
	rm -r "$new/deb"
	[ -z "$newer" ] || VM_CACHE=$cache "$here/newer" tools "$new/headers" || exit $?
	echo "$release" >"$new/release"
	rm -rf "${cache:?}/$1"
	mv "$new" "$cache/$1"
}

# What a compiler that is older than the kernel's does not know.
make_compiler() { # file
	cat >"$1" <<-'EOF'
		#!/bin/bash
		for option; do
			shift
			case $option in
			-fmin-function-alignment=*) option=-falign-functions=${option#*=} ;;
			-fstrict-flex-arrays=*) continue ;;
			esac
			set -- "$@" "$option"
		done
		exec $(command -v gcc-12 || echo gcc) "$@"
	EOF
	chmod 755 "$1"
}

build_module() { # line
	local to=$cache/$1/softpt log=$cache/$1/softpt.log
	local headers=$cache/$1/headers/usr/src/linux-headers-$(cat "$cache/$1/release")

	if [ -e "$to/softpt.ko" ] && ! find "$here/softpt" -newer "$to/softpt.ko" -type f | grep -q .; then
		return 0
	fi
	rm -rf "$to"
	cp -r "$here/softpt" "$to"
	make_compiler "$cache/$1/cc"
	if ! make -C "$headers" M="$to" CC="$cache/$1/cc" modules >"$log" 2>&1 ||
		grep -v 'pahole version' "$log" | grep -q 'warning:'; then
		tail -n 30 "$log" >&2
		rm -f "$to/softpt.ko"
		exit 1
	fi
	strip --strip-debug "$to/softpt.ko"
}

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/lock"
flock 9
for line; do
	get_kernel "$line"
	build_module "$line"
done
