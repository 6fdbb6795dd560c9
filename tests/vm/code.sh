#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Code view's kernel code on machines that have a /proc/kcore: modules and patched text too.
. "$(dirname "$0")/lib.sh"

vm_machine "-k 6.1" "-k 6.12" "-k 7"
export RINGTOP_NEED_KCORE=1
try "the kernel's code has an instruction wherever a sample was" \
	"$vm_built/test_code_live.test" $([ -n "${VM_ALL:-}" ] || echo test_kernel)
tried
