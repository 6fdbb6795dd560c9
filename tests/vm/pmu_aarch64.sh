#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hardware counters: qemu's aarch64 machine has a PMU (PMUv3), and with -icount time is a count of instructions, so that
# what a loop costs is known in advance to the cycle, and comes out the same however busy the host is.  ringtop as
# cross.sh builds it, Debian's kernel, a busybox and the loop are all there is in that machine.
set -u

command -v qemu-system-aarch64 >/dev/null || {
	echo "SKIP: no qemu-system-aarch64 (Debian: qemu-system-arm)"
	exit 77
}
for program in cpio python3; do
	command -v $program >/dev/null || {
		echo "SKIP: no $program"
		exit 77
	}
done
source=$(cd "$(dirname "$0")" && pwd)
. "$source/cross.sh"
make -s src/ringtop >>"$log" 2>&1 || fail "it does not compile"
echo "ok: ringtop, built in $((SECONDS - from)) s"

# The release's kernel: the newest of the smallest flavour, as it is, without modules.
kernel=$(VM_CACHE=$cache DEBIAN_RELEASE=$release DEBIAN_FOREIGN=arm64 bash "$here/newer" list \
	'^linux-image-[0-9.]+[-+][a-z0-9]+-cloud-arm64-unsigned$' | tail -n 1)
[[ $kernel == linux-image-* ]] || skip "no kernel of $release for arm64: $kernel"
machine=$(tree pmu-machine "$kernel:arm64" busybox-static:arm64) || {
	echo "$machine"
	exit 77
}
vmlinuz=$(ls "$machine"/boot/vmlinuz-* | tail -n 1)

# What the machine has.
root=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-pmu.XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/new/bin" "$root/new/lib" "$root/new/proc" "$root/new/sys" "$root/new/dev" "$root/new/tmp"
aarch64-linux-gnu-gcc -O1 -g -static -o "$root/new/bin/loop" "$source/pmuloop.c" >>"$log" 2>&1 || fail "the loop"
cp "$machine/bin/busybox" src/ringtop "$root/new/bin/"
copy_libraries() { # program: what it is linked with, and those with what they are
	local name file

	for name in $(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
		[ ! -e "$root/new/lib/$name" ] || continue
		file=$(find "$system/lib/" "$system/usr/lib/" -name "$name" | head -n 1)
		[ -n "$file" ] || fail "no $name for the machine"
		cp -L "$file" "$root/new/lib/"
		copy_libraries "$file"
	done
}
copy_libraries src/ringtop
cat >"$root/new/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin LC_ALL=C.UTF-8 HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
run() { # name, arguments
	name=$1
	shift
	ringtop --json "$@" >/tmp/out 2>/tmp/err
	echo "@ $name $? $(head -n 1 /tmp/err)"
	grep '"type":"total"' /tmp/out
}
many=cycles:u,instructions:u,r8:u,r11:u,r23:u,r24:u,cycles,instructions,r8,r11,r23,r24,r8:uk,r11:uk
pinned=cycles:uD,instructions:uD,r8:uD,r11:uD,cycles:D,r8:D,r11:D,r8:ukD,r11:ukD,instructions:D
loop="-- loop 60000000"
run alone -e cycles:u -c 1000000 -S default $loop
run turns -e $many -c 1000000 $loop
run pinned -e $pinned -c 1000000 $loop
run exclusive -e cycles:ue,instructions:u -c 1000000 $loop
run group -e '{cycles:u,instructions:u,page-faults}:S' -c 1000000 --no-inherit $loop
run threads --per-thread -e cycles:u -c 1000000 $loop
run dwarf --call-graph dwarf -e cycles:u -c 1000000 $loop
run fp --call-graph fp -e cycles:u -c 1000000 $loop
run auto -g -e cycles:u -c 1000000 $loop
run signal --call-graph dwarf -e cycles:u -c 1000000 $loop signal
run term -e cycles:u/call-graph=dwarf/ -c 1000000 $loop
echo "@ end 0"
poweroff -f
END
chmod 755 "$root/new/init"
(cd "$root/new" && find . | cpio -o -H newc --quiet) >"$root/initrd" || fail "its file system"

from=$SECONDS
timeout --foreground -k 2 600 qemu-system-aarch64 -M virt,gic-version=3 -cpu max -smp 1 -m 512 -nographic -nodefaults \
	-serial "file:$root/console" -no-reboot -kernel "$vmlinuz" -initrd "$root/initrd" \
	-append "console=ttyAMA0 quiet panic=-1" -icount shift=1,sleep=off >>"$log" 2>&1 </dev/null
tr -d '\r' <"$root/console" >"$log"
grep -q '^@ end' "$log" || fail "the machine did not get to the end in $((SECONDS - from)) s"
echo "ok: it ran for $((SECONDS - from)) s"
python3 "$source/pmu_check.py" "$log"
