/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_rings - what a reader has open: its events and rings, opened, added to, closed and opened anew,
 * and their counters, whose sums outlive them.
 *
 * Threads: the reader's; before reader_start the owner's.
 */
#ifndef RINGTOP_LIVE_READER_RINGS_H
#define RINGTOP_LIVE_READER_RINGS_H

#include <stdbool.h>

#include "base/err.h"

struct reader;
struct reader_tasks;

/* How records lie, as the rings are opened. */
void reader_rings_lay_out(struct reader *r);

int reader_rings_open(struct reader *r, struct err *err);

/* Read the counters. */
void reader_rings_count(struct reader *r);

/* The report's sums, as they are now. */
void reader_rings_sum(struct reader *r);

/* Its CPU went or came back. */
void reader_rings_offline(struct reader *r);
void reader_rings_online(struct reader *r);

/* Gone and back between two looks at who is online. */
void reader_rings_revive(struct reader *r);

/* As reader_reopen said; again, where the first time left nothing open. */
void reader_rings_reopen(struct reader *r);

/* Open and close events of tasks.  0 or -errno of the first that failed, told in the report. */
int reader_rings_open_new(struct reader *r, const struct reader_tasks *tasks);

/* Count, or do not, as it was told last; what was opened since only after READER_ENABLE_NEW. */
void reader_rings_enable(struct reader *r);
void reader_rings_let(struct reader *r);

#endif
