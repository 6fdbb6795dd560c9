/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_multiplex - for how long a reader's events were to count, and had a counter of the
 * hardware (kernel/capture/multiplex.h).
 *
 * Threads: the reader's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_MULTIPLEX_H
#define RINGTOP_SOURCES_LIVE_READER_MULTIPLEX_H

#include <stddef.h>

#include "sources/live/reader_state.h"

/* State of one round of reading; start zeroed. */
struct reader_multiplex {
	struct perf_count count; /* count of the witness of the thread whose counters are read */
	pid_t tid;
	bool looked, known; /* looked: count was read; known: it could be */
	size_t at;          /* index of the witness among the sideband's events */
	unsigned failed;    /* group of that thread whose leader is in error; 0: there is none */
};

/*
 * Add the times of counter i. To be called for each counter of the set in its order.  now NULL: it
 * cannot be read.
 */
void reader_multiplex_add(struct reader *r, struct reader_multiplex *t, size_t i,
		      const struct perf_count *now);

#endif
