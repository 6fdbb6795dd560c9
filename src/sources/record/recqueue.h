/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recqueue - records on their way from one reader to the thread that writes them: a bounded queue of
 * bytes that one fills and one empties.
 *
 * The memory is mapped twice in a row, so that nothing in it wraps.  What does not fit is counted by
 * event and dropped; the reader never waits.
 *
 * Threads: recqueue_put from one thread, recqueue_peek and recqueue_take from another.  Wait-free, no allocation;
 * a system call only when the queue gets more than half full.
 */
#ifndef RINGTOP_SOURCES_RECORD_RECQUEUE_H
#define RINGTOP_SOURCES_RECORD_RECQUEUE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct recqueue {
	char *data;
	size_t size;    /* a power of two */
	int wake_fd;    /* an eventfd, written when it passes half; not owned */
	unsigned nevents;
	uint64_t head;  /* shared: written by the filler */
	uint64_t tail;  /* shared: written by the emptier */
	uint64_t *lost; /* shared: dropped samples by event, and behind them other records */
};

/* At least `size` bytes.  0 or -errno; after a failure too it is to be cleared. */
int recqueue_init(struct recqueue *l, size_t size, unsigned nevents, int wake_fd);
void recqueue_clear(struct recqueue *l);

/*
 * Whole records.  Where some are dropped, event_of says which event's samples they are; NULL: none
 * of them is a sample.
 */
void recqueue_put(struct recqueue *l, const char *bytes, size_t len,
	      unsigned (*event_of)(const void *arg, const struct perf_event_header *h),
	      const void *arg);

uint64_t recqueue_head(const struct recqueue *l);

/* What lies there up to `head`, which recqueue_head said: whole records. */
const char *recqueue_peek(const struct recqueue *l, uint64_t head, size_t *len);
void recqueue_take(struct recqueue *l, size_t len);

#endif
