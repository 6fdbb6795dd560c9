/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numanodes - the NUMA node of each CPU, from text: "0:0-15,32-47;1:16-31,48-63", node:CPUs;...
 *
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_BASE_NUMANODES_H
#define RINGTOP_BASE_NUMANODES_H

#include <stddef.h>
#include <stdint.h>

#define NUMANODES_TEXT 4096 /* bytes with the NUL: enough for 512 CPUs that alternate (0,2,4,...) */
#define NUMANODES_MAX  1024 /* nodes; highest number + 1: the kernel's largest MAX_NUMNODES */
#define NUMANODES_CPUS 8192

/*
 * Store the nodes of the CPUs below `nr` in node[], -1 where the text has none.  Returns the number
 * of nodes in the text; 0: the text is empty or invalid, and all are -1.
 */
size_t numanodes_parse(const char *text, int16_t *node, size_t nr);

/* Return the node of one CPU, -1 where the text has none or is invalid. */
int16_t numanodes_of(const char *text, int cpu);

#endif
