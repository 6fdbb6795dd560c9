/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa - the machine's NUMA nodes and their CPUs, from sysfs.  Threads: any. */
#ifndef RINGTOP_KERNEL_CAPTURE_NUMA_H
#define RINGTOP_KERNEL_CAPTURE_NUMA_H

#include <stddef.h>

#define NUMA_NODES "/sys/devices/system/node"

/*
 * Write the nodes as text for numanodes_parse: the content of cpulist in each directory node0,
 * node1, ... of `dir`, without nodes that have no CPUs. "": there is no such directory, a file in
 * it is not a list, or `size` is too small for all of them.
 */
void numa_read(const char *dir, char *text, size_t size);

#endif
