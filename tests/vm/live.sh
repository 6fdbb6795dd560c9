#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Live tests as they are, on other kernels and other numbers of CPUs than this machine's.
. "$(dirname "$0")/lib.sh"
need_vm_work tiny spin_shares spin_threads spin_hot storm_exact storm_keys
vm_machine "-k 6.12 -s 2" "-k 6.1 -s 2" "-k 6.1 -s 8" "-k 6.12 -s 8" "-k 7 -s 2" "-k 6.1 -s 64 -m 4096"

# Not per thread: in these machines an event without a CPU (cpu = -1) counts one call more than there
# are, without a sample, once in a session in which its thread migrates; 6.18 on hardware does not.
export EXACT_CASES='overwrite|forward|period' EXACT_CALLS=60000
export KNOWN_SHARES_LEAST=0.6 KNOWN_SHARES_WORK='-n 2500'
export HOTPLUG_STARTS=3 IN_KERNEL_CALLS=60000
export CGROUP_VERSION=2 # throttled's; this machine may have version 1
tests=(exact_counts known_shares in_kernel throttled)
# One busy thread for each CPU is too much where all of them share a real one; rights.sh asks more of these.
[ "$(nproc)" -gt 2 ] || tests+=(hotplug)
[ "$(nproc)" -gt 2 ] || [ -z "${VM_ALL:-}" ] || tests+=(rights)
for name in "${tests[@]}"; do
	try_live "$name"
done
tried
