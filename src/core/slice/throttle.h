/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle - what the CPU quota of a cgroup let it wait in a slice, as its cpu.stat says.
 *
 * Threads: whose the slice is.
 */
#ifndef RINGTOP_CORE_SLICE_THROTTLE_H
#define RINGTOP_CORE_SLICE_THROTTLE_H

#include <stddef.h>
#include <stdint.h>

#define SLICE_THROTTLE_PATH 384
#define SLICE_THROTTLES_MOST 1024 /* of a slice, with a rest for each host above */

/* A slice has those of which a period with a quota ended, each once where it was folded. */
struct slice_throttle {
	uint16_t host; /* as dict_task's */
	char cgroup[SLICE_THROTTLE_PATH]; /* raw: its path; "": of others together, for want of room */
	uint64_t periods, throttled;      /* of the quota; in how many of them somebody had to wait */
	uint64_t ns;                      /* waited for, on each CPU */
};

/* Those of one cgroup become one; sorted by host and path.  The number left. */
size_t slice_throttles_fold(struct slice_throttle *t, size_t nr);

#endif
