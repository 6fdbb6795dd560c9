/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_rings - what a reader has open: its events and rings, opened, added to, closed and opened anew,
 * and their counters, whose sums outlive them.
 *
 * Threads: the reader's; before reader_start the owner's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_RINGS_H
#define RINGTOP_SOURCES_LIVE_READER_RINGS_H

#include <stdbool.h>

#include "base/err.h"

struct reader;
struct reader_tasks;

/* Work out the record layouts of the events, and what is told of them, as the rings are to be opened.  0 or -ENOMEM. */
int reader_rings_lay_out(struct reader *r);

int reader_rings_open(struct reader *r, struct err *err);

/* Read the counters. */
void reader_rings_count(struct reader *r);

/* Fill in the report's running sums. */
void reader_rings_sum(struct reader *r);

/* The CPU went offline, or is online again. */
void reader_rings_offline(struct reader *r);
void reader_rings_online(struct reader *r);

/* Open the events anew where their time stands still: the CPU was offline between two looks. */
void reader_rings_revive(struct reader *r);

/* Open the rings as reader_reopen said; once more, where the first time left nothing open. */
void reader_rings_reopen(struct reader *r);

/* Open and close events of tasks.  0 or -errno of the first that failed, told in the report. */
int reader_rings_open_new(struct reader *r, const struct reader_tasks *tasks);

/* Enable or disable the events as was asked last; ..._new: enable those of READER_OPEN_NEW, too. */
void reader_rings_enable(struct reader *r);
void reader_rings_enable_new(struct reader *r);

#endif
