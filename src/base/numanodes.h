/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numanodes - which NUMA node each CPU is of, as text: "0:0-15,32-47;1:16-31,48-63", by node and its list of CPUs.
 *
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_BASE_NUMANODES_H
#define RINGTOP_BASE_NUMANODES_H

#include <stddef.h>
#include <stdint.h>

#define NUMANODES_TEXT 4096 /* bytes, the end included: of 512 CPUs also where nodes take turns (0,2,4,...) */
#define NUMANODES_MAX  1024 /* nodes, and one more than the highest number: the kernel's MAX_NUMNODES at most */
#define NUMANODES_CPUS 8192

/*
 * Of the CPUs below `nr` their nodes into node[], -1 where it names none.  Returns how many nodes it has; 0: none, or
 * the text is no such one, and all are -1.
 */
size_t numanodes_parse(const char *text, int16_t *node, size_t nr);

/* The node of one CPU, -1: as above. */
int16_t numanodes_of(const char *text, int cpu);

#endif
