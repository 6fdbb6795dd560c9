/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter - a slice's counts of events that are counted without samples (session_info.counters).
 *
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_COUNTER_H
#define RINGTOP_CORE_SLICE_COUNTER_H

#include <stddef.h>
#include <stdint.h>

/*
 * One event on one CPU, or of one thread and the tasks it has forked since, on whichever CPUs they
 * ran.  A slice has the counters that were read for it, each once.  Where running is less than
 * enabled other events had the hardware meanwhile: the count covers the time it ran only.
 */
struct slice_counter {
	uint16_t counter; /* index into session_info.counters */
	int16_t cpu;      /* -1: counts a thread */
	int32_t tid;      /* the thread; 0: every task that ran on the CPU */
	uint64_t count;   /* count as read; times the counter's scale it is in its unit */
	uint64_t enabled, running; /* ns */
};

struct slice_counters {
	struct slice_counter *counters; /* sorted, each once */
	size_t nr, cap;
};

/* Add counts that slice_counters_fold() has sorted.  0, or -ENOMEM with nothing added. */
int slice_counters_add(struct slice_counters *to, const struct slice_counter *counters, size_t nr);

/*
 * Sort by counter, CPU and thread, and sum up entries that are equal in these.  Return the number
 * left.
 */
size_t slice_counters_fold(struct slice_counter *counters, size_t nr);

#endif
