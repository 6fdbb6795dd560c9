/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lane - records on their way from one reader to the thread that writes them: a bounded queue of
 * bytes that one fills and one empties.
 *
 * The memory is mapped twice in a row, so that nothing in it wraps.  What does not fit is counted by
 * event and dropped; the reader never waits.
 *
 * Threads: lane_put from one thread, lane_peek and lane_take from another.  Wait-free, no allocation;
 * a system call only when the lane gets more than half full.
 */
#ifndef RINGTOP_RECORD_LANE_H
#define RINGTOP_RECORD_LANE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct lane {
	char *data;
	size_t size;    /* a power of two */
	int wake_fd;    /* an eventfd, written when it passes half; not owned */
	unsigned nevents;
	uint64_t head;  /* shared: written by the filler */
	uint64_t tail;  /* shared: written by the emptier */
	uint64_t *lost; /* shared: dropped samples by event, and behind them other records */
};

/* At least `size` bytes.  0 or -errno; after a failure too it is to be cleared. */
int lane_init(struct lane *l, size_t size, unsigned nevents, int wake_fd);
void lane_clear(struct lane *l);

/*
 * Whole records.  Where some are dropped, event_of says which event's samples they are; NULL: none
 * of them is a sample.
 */
void lane_put(struct lane *l, const char *bytes, size_t len,
	      unsigned (*event_of)(const void *arg, const struct perf_event_header *h),
	      const void *arg);

uint64_t lane_head(const struct lane *l);

/* What lies there up to `head`, which lane_head said: whole records. */
const char *lane_peek(const struct lane *l, uint64_t head, size_t *len);
void lane_take(struct lane *l, size_t len);

#endif
