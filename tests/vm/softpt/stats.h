/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats - what each CPU did since the module was loaded: /sys/kernel/debug/softpt/stats, a head
 * line and a line per possible CPU.  What tests hold their figures against.
 *
 * Contexts: a CPU's figures are written on that CPU with interrupts off, and read torn at worst
 * between two columns: wait until `on` is 0 before relying on sums.
 */
#ifndef SOFTPT_STATS_H
#define SOFTPT_STATS_H

#include <linux/types.h>

struct softpt_stats {
	u64 made;      /* units (blocks or frames), the next one's number; written + lost */
	u64 written;   /* units of which all bytes are in the buffer */
	u64 lost;      /* units without room, or thrown away by an injection */
	u64 bytes;     /* in the buffer, also of cut units; padding too */
	u64 starts;    /* the event was started */
	u64 truncated; /* records with the flag, by overrun or injection */
	u64 partial, collision, skipped;
	u64 pauses, resumes; /* by other events of the group */
	u64 samples;   /* AUX samples given bytes */
	bool paused;
	bool on;       /* tracing now */
};

int stats_create(const struct softpt_stats *(*of_cpu)(int cpu));
void stats_remove(void);

#endif
