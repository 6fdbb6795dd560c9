/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_rings - a reader's events and rings: opened, added to, closed and opened anew, and their
 * counters, whose sums outlive them.
 *
 * Threads: the reader's; before reader_start the owner's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_RINGS_H
#define RINGTOP_SOURCES_LIVE_READER_RINGS_H

#include <stdbool.h>

#include "base/err.h"

struct reader;
struct reader_tasks;

/* Set up record layouts and account settings for the rings to be opened.  0 or -ENOMEM. */
int reader_rings_lay_out(struct reader *r);

int reader_rings_open(struct reader *r, struct err *err);

/* Read the counters. */
void reader_rings_count(struct reader *r);

/* Fill in the report's running sums. */
void reader_rings_sum(struct reader *r);

/* Handle that the CPU went offline, or is online again. */
void reader_rings_offline(struct reader *r);
void reader_rings_online(struct reader *r);

/* Open the events anew where their time stands still: the CPU was offline between two looks. */
void reader_rings_revive(struct reader *r);

/* Open the rings as given to reader_reopen; again, where the first call left none open. */
void reader_rings_reopen(struct reader *r);

/* Open and close events of tasks.  0 or the first -errno, with its reason in the report. */
int reader_rings_open_new(struct reader *r, const struct reader_tasks *tasks);

/*
 * Enable or disable the events by the last request; ..._new: enable those of READER_OPEN_NEW, too.
 */
void reader_rings_enable(struct reader *r);
void reader_rings_enable_new(struct reader *r);

#endif
