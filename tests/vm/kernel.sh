#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh LINE... - a Debian kernel of each line (6.1, 6.12) and softpt built for it, in
# $VM_CACHE/LINE: vmlinuz, modules/ (what init loads), headers/, softpt/softpt.ko, release.
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

download() { # packages, into the current directory
	local log

	log=$(apt-get -q download "$@" 2>&1) && return
	skip "no packages of a kernel: $(grep '^E:' <<<"$log" | head -n 1)"
}

unpack_image() { # deb, directory
	local module file wanted=()

	dpkg-deb --fsys-tarfile "$1" | tar -C "$2" -xf - --wildcards './boot/vmlinuz*' \
		'*/drivers/virtio/*' '*/net/9p/*' '*/fs/9p/*' '*/fs/netfs/*' '*/fs/fscache/*' 2>/dev/null || :
	mv "$2"/boot/vmlinuz* "$2/vmlinuz"
	mkdir "$2/modules"
	for module in $modules; do
		file=$(find "$2/lib" "$2/usr/lib" -name "$module.ko*" 2>/dev/null | head -n 1)
		case $file in
		*.ko) cp "$file" "$2/modules/" ;;
		*.xz) xz -dc "$file" >"$2/modules/$module.ko" ;;
		'') continue ;; # built in
		esac
		wanted+=("$module")
	done
	printf '%s\n' "${wanted[@]}" >"$2/modules/order"
	rm -rf "$2/boot" "$2/lib"
}

# Headers find each other by links; only one absolute path is in them.
unpack_headers() { # release, directory, debs...
	local release=$1 to=$2 deb

	shift 2
	mkdir "$to/headers"
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$to/headers" -xf - --exclude='*/vmlinux' \
			./usr/src ./usr/lib 2>/dev/null || :
	done
	echo "include $cache/$line/headers/usr/src/linux-headers-${release%-amd64}-common/Makefile" \
		>"$to/headers/usr/src/linux-headers-$release/Makefile"
}

get_kernel() { # line
	local release kbuild new=$cache/$1.new

	[ ! -e "$cache/$1/release" ] || return 0
	[ "$(uname -m)" = x86_64 ] || skip "only built for x86-64"
	command -v apt-get >/dev/null || skip "no apt-get to get a Debian kernel with"
	release=$(find_release "$1")
	[ -n "$release" ] || skip "apt knows no kernel $1"
	kbuild=$(apt-cache depends "linux-headers-$release" |
		sed -n 's/.*Depends: \(linux-kbuild-[^ ]*\).*/\1/p' | head -n 1)
	echo "getting kernel $release" >&2
	rm -rf "$new"
	mkdir -p "$new/deb"
	(cd "$new/deb" && download "linux-image-$release" "linux-headers-$release" \
		"linux-headers-${release%-amd64}-common" "$kbuild")
	unpack_image "$new"/deb/linux-image-*.deb "$new"
	unpack_headers "$release" "$new" "$new"/deb/linux-headers-*.deb "$new"/deb/linux-kbuild-*.deb
	rm -r "$new/deb"
	echo "$release" >"$new/release"
	rm -rf "${cache:?}/$1"
	mv "$new" "$cache/$1"
}

build_module() { # line
	local to=$cache/$1/softpt log=$cache/$1/softpt.log
	local headers=$cache/$1/headers/usr/src/linux-headers-$(cat "$cache/$1/release")

	if [ -e "$to/softpt.ko" ] && ! find "$here/softpt" -newer "$to/softpt.ko" -type f | grep -q .; then
		return 0
	fi
	rm -rf "$to"
	cp -r "$here/softpt" "$to"
	if ! make -C "$headers" M="$to" CC="$(command -v gcc-12 || echo gcc)" modules >"$log" 2>&1 ||
		grep -q 'warning:' "$log"; then
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
