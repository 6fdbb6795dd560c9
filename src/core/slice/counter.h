/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter - what an event that is only counted (session_info.counters) came to in a slice.
 *
 * Threads: whose the slice is.
 */
#ifndef RINGTOP_CORE_SLICE_COUNTER_H
#define RINGTOP_CORE_SLICE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One event on one CPU, or of one thread and what it has forked since, wherever they ran.  A slice has those that
 * were read for it, each once.  Where running is less than enabled others had the hardware meanwhile: the count is
 * of the time it ran.
 */
struct slice_counter {
	uint16_t counter; /* index into session_info.counters */
	int16_t cpu;      /* -1: of a thread */
	int32_t tid;      /* that thread; 0: all that ran on the CPU */
	uint64_t count;   /* as read, not scaled: times the counter's scale it is in its unit */
	uint64_t enabled, running; /* ns */
};

struct slice_counters {
	struct slice_counter *counters; /* sorted, each once */
	size_t nr, cap;
};

/* Add counts, which slice_counters_fold has sorted.  0 or -ENOMEM, with nothing added. */
int slice_counters_add(struct slice_counters *to, const struct slice_counter *counters, size_t nr);

/* Those of one counter, CPU and thread become one; sorted by these.  The number left. */
size_t slice_counters_fold(struct slice_counter *counters, size_t nr);

#endif
