/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sidequeue - sideband on its way from one ring to the tick.  Either side empties the ring: the
 * reader when it is a quarter full, or the tick, which takes all.
 *
 * The reader runs on the CPU whose processes fill the ring, and before them: records of a process
 * that maps without end find room, however late the tick is.  Room is bounded, and there from the
 * start: an allocation would wait for any thread that changes the memory map meanwhile, which on a
 * busy machine takes longer than a ring lasts.  Beyond it records stay in the ring, and the kernel
 * counts those that it cannot write.
 *
 * Threads: sidequeue_peek and ..._done from one thread, the others from any.  The reader never
 * waits for the lock (sidequeue_wake): the thread that holds it is emptying the ring.
 */
#ifndef RINGTOP_SOURCES_LIVE_SIDEQUEUE_H
#define RINGTOP_SOURCES_LIVE_SIDEQUEUE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/ring.h"
#include "core/slice/slice.h"

/* Records of one ring, or of one and its successor, that wait. */
struct side_news {
	char *bytes; /* whole records, 8-byte aligned, as they came */
	size_t len, records;
	struct slice_gauge gauge;
};

struct sidequeue {
	size_t size;           /* of each half: fill and left */
	pthread_mutex_t lock;
	struct ring *ring;     /* locked: the ring that is open, or NULL */
	struct side_news fill; /* locked */
	struct side_news left; /* the tick's: taken by sidequeue_peek */
};

/*
 * Make room for `size` bytes, and as many more that are being taken; pages are touched only when
 * used.  0 or -errno.
 */
int sidequeue_init(struct sidequeue *q, size_t size);
void sidequeue_clear(struct sidequeue *q);

/*
 * Set the ring that is emptied from now on, NULL: none.  The one before was emptied, and is the
 * caller's again.
 */
void sidequeue_open(struct sidequeue *q, struct ring *ring);

/* Empty another ring, too, which no other thread reads; it may not be mapped. */
void sidequeue_read(struct sidequeue *q, struct ring *ring);

/* Empty a ring that is about to be closed: records without room now are counted as lost. */
void sidequeue_close(struct sidequeue *q, struct ring *ring);

/* Empty the ring that has woken its reader, unless another thread does so now. */
void sidequeue_wake(struct sidequeue *q);

/* Return all records that wait or are in the ring; the same ones again until sidequeue_done. */
const struct side_news *sidequeue_peek(struct sidequeue *q);

/* Drop the records of sidequeue_peek; adds to the ring's gauge. */
void sidequeue_done(struct sidequeue *q, struct slice_gauge *g);

#endif
