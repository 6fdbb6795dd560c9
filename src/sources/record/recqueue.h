/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recqueue - records on their way from one reader to the thread that writes them: a bounded queue
 * of bytes with one producer and one consumer.
 *
 * The memory is mapped twice in a row, so that nothing in it wraps. What does not fit is counted by
 * event and dropped; the reader never waits.
 *
 * Threads: recqueue_put from one thread, recqueue_peek and recqueue_take from another. Wait-free,
 * no allocation; a system call only when the queue gets more than half full.
 */
#ifndef RINGTOP_SOURCES_RECORD_RECQUEUE_H
#define RINGTOP_SOURCES_RECORD_RECQUEUE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct recqueue {
	char *data;
	size_t size;    /* a power of two */
	int wake_fd;    /* an eventfd, written when the queue gets half full; not owned */
	unsigned nevents;
	uint64_t head;  /* shared: written by the producer */
	uint64_t tail;  /* shared: written by the consumer */
	uint64_t *lost; /* shared: dropped samples by event, and in the last place other records */
};

/* Create a queue of at least `size` bytes. Return 0 or -errno; clear it after a failure, too. */
int recqueue_init(struct recqueue *l, size_t size, unsigned nevents, int wake_fd);
void recqueue_clear(struct recqueue *l);

/*
 * Append whole records. If some are dropped, event_of returns a sample's event, for the counts;
 * NULL: none of them is a sample.
 */
void recqueue_put(struct recqueue *l, const char *bytes, size_t len,
	      unsigned (*event_of)(const void *arg, const struct perf_event_header *h),
	      const void *arg);

uint64_t recqueue_head(const struct recqueue *l);

/*
 * Return the unread records up to `head`, which recqueue_head returned; *len: their bytes. Valid
 * until recqueue_take.
 */
const char *recqueue_peek(const struct recqueue *l, uint64_t head, size_t *len);
void recqueue_take(struct recqueue *l, size_t len);

#endif
