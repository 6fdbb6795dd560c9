#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# big_binary.sh OUTPUT [FUNCTIONS] [MEGABYTES] - an ELF file of about 100 MB with 200,000 function
# symbols, each in a section of its own as -ffunction-sections makes them, under C++ names.
set -eu

out=$1
functions=${2:-200000}
megabytes=${3:-100}
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-gcc}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-big.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# Half of the size is text, half data; symbols come on top.
size=$((megabytes * 1024 * 1024 / 2 / functions))
awk -v n="$functions" -v size="$size" -v bytes=$((megabytes * 1024 * 1024 / 2)) 'BEGIN {
	for (i = 0; i < n; i++) {
		name = sprintf("_ZN10big_binary4unit8functionILi%dEEEvi", i);
		printf ".section .text.%s,\"ax\",@progbits\n", name;
		if (i % 2)
			printf ".globl %s\n", name;
		printf ".type %s,@function\n%s:\nret\n.skip %d,0x90\n.size %s,.-%s\n",
			name, name, size - 1, name, name;
	}
	print ".section .rodata\n.globl big_data\n.type big_data,@object";
	printf "big_data: .skip %d,0x5a\n.size big_data,%d\n", bytes, bytes;
	print ".section .note.GNU-stack,\"\",@progbits";
}' >"$tmp/big.s"
"$cc" -c -o "$tmp/big.o" "$tmp/big.s"
"$cc" -std=gnu11 -D_GNU_SOURCE -O2 -g -o "$tmp/big" "$here/big_main.c" "$tmp/big.o"
mv "$tmp/big" "$out"
