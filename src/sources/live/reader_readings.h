/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_readings - samples that carry the counts of their group (:S): what its other events counted since the
 * sample before goes where this one was.
 *
 * A backward ring gives the newest first, and what was counted since needs the order of time: so a batch's are
 * kept as pointers until its end.  After samples that were lost a count has no place, and is lost with them.
 *
 * Threads: the reader's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_READINGS_H
#define RINGTOP_SOURCES_LIVE_READER_READINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>

struct reader;

/* Room for a whole ring of them, where an event has such.  0 or -ENOMEM. */
int reader_readings_init(struct reader *r);

/* One of this batch, which stays where it is until reader_readings_take. */
void reader_readings_keep(struct reader *r, const struct perf_event_header *h);

/* Once the batch is walked: all that were kept.  `lost`: some of the ring was never seen. */
void reader_readings_take(struct reader *r, bool lost);

#endif
