/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * multiplex - how long an event was enabled, and for how long of that it had a hardware counter.
 *
 * For an event of a CPU the kernel's times are right. For an event of a task on one CPU they are
 * not: `enabled` goes on while the task runs anywhere, `running` only on that CPU. So a witness is
 * read beside it: a software event of the same task and CPU, which always has a counter. Its
 * running time is the time that the task spent there.
 *
 * A pinned event that finds no counter is in error and cannot be read any more: then only the
 * witness tells how long it should have counted.
 *
 * Pure.  Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_MULTIPLEX_H
#define RINGTOP_KERNEL_CAPTURE_MULTIPLEX_H

#include <stdbool.h>
#include <stdint.h>

struct perf_count; /* kernel/capture/open.h */

/* Times of a counter and of its witness at the last read, ns; start zeroed. */
struct multiplex_mark {
	uint64_t enabled, running, witness_enabled, witness_running;
};

/* Running sums, ns. enabled may lag behind running by the time between two reads. */
struct multiplex_sum {
	uint64_t enabled, running;
};

/*
 * Add the time passed since the mark, and move the mark. now NULL: the counter is in error. witness
 * NULL: there is none. spread: the event is of a task on one CPU, so without a witness only its
 * running time counts. on: the event should count.
 */
void multiplex_add(struct multiplex_sum *sum, struct multiplex_mark *mark,
		   const struct perf_count *now, const struct perf_count *witness, bool spread,
		   bool on);

#endif
