/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_readings - samples that carry the counts of their group (:S): counts of the group's other
 * events since the previous sample are attributed to the place of this one.
 *
 * A backward ring gives the newest first, and counting since the previous sample needs the order of
 * time: so a batch's carriers are kept as pointers until its end.  After lost samples a count has
 * no place, and is lost with them.
 *
 * Threads: the reader's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_READINGS_H
#define RINGTOP_SOURCES_LIVE_READER_READINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>

struct reader;

/* Allocate room for the carriers of a whole ring, where an event has such.  0 or -ENOMEM. */
int reader_readings_init(struct reader *r);

/* Keep a carrier of this batch, which must stay where it is until reader_readings_take. */
void reader_readings_keep(struct reader *r, const struct perf_event_header *h);

/*
 * Attribute the counts of all carriers kept, once the batch is walked.  `lost`: a part of the ring
 * was overwritten unread.
 */
void reader_readings_take(struct reader *r, bool lost);

#endif
