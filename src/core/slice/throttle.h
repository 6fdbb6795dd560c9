/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle - how long the CPU quota of a cgroup made it wait in a slice, from its cpu.stat.
 *
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_THROTTLE_H
#define RINGTOP_CORE_SLICE_THROTTLE_H

#include <stddef.h>
#include <stdint.h>

#define SLICE_THROTTLE_PATH 384
#define SLICE_THROTTLES_MOST 1024 /* in a slice; above them one rest for each host */

/*
 * One cgroup.  A slice has the cgroups in which a period with a quota ended, each once after
 * slice_throttles_fold().
 */
struct slice_throttle {
	uint16_t host; /* see dict_task.host */
	char cgroup[SLICE_THROTTLE_PATH]; /* raw: its path; "": several, for want of room */
	uint64_t periods, throttled;      /* periods of the quota; of them, those with a wait */
	uint64_t ns;                      /* time waited, summed over CPUs */
};

/*
 * Sort by host and path, and sum up entries that are equal in these; what is beyond
 * SLICE_THROTTLES_MOST is added to its host's rest.  Return the number left.
 */
size_t slice_throttles_fold(struct slice_throttle *t, size_t nr);

#endif
