/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sharing - how long an event was to count, and for how long of that it had a counter of the hardware.
 *
 * The kernel's times of an event of a CPU say so.  Those of an event of a task on one CPU do not: `enabled` goes on
 * while the task runs anywhere, `running` only on that CPU.  So a witness is read beside it: an event of software of
 * the same task and CPU, which always has a counter.  How long that ran is how long the task was there.
 *
 * A pinned event that finds no counter is in error and cannot be read any more: then the witness alone says how
 * long it was to count.
 *
 * Pure.  Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_SHARING_H
#define RINGTOP_KERNEL_CAPTURE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

struct perf_count; /* kernel/capture/open.h */

/* The times of a counter and of its witness, ns, as they were read last; start zeroed. */
struct sharing_mark {
	uint64_t enabled, running, witness_enabled, witness_running;
};

/* Running sums, ns.  enabled may stay behind running by the time between two reads. */
struct sharing_sum {
	uint64_t enabled, running;
};

/*
 * Add what passed since the mark.  now NULL: the counter is in error.  witness NULL: there is none, and the times of
 * an event that is `spread`, of a task on one CPU, say only for how long it ran.  on: the event shall count.
 */
void sharing_add(struct sharing_sum *sum, struct sharing_mark *mark, const struct perf_count *now,
		 const struct perf_count *witness, bool spread, bool on);

#endif
