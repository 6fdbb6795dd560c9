/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sidequeue - sideband on its way from one ring to the tick: whoever comes first empties the ring, the
 * reader when it is a quarter full, or the tick, which takes all.
 *
 * The reader runs on the CPU whose processes fill the ring, and before them: what one of them maps without
 * end finds room, however late the tick is.  Room is bounded, and there from the start: an allocation would
 * wait for whoever changes the memory map meanwhile, which on a busy machine takes longer than a ring
 * lasts.  Beyond it records stay in the ring, and the kernel counts those that it cannot write.
 *
 * Threads: sidequeue_peek and ..._done from one thread, the others from any.  The reader never waits for
 * another (sidequeue_wake): who holds the lock is emptying the ring.
 */
#ifndef RINGTOP_SOURCES_LIVE_SIDEQUEUE_H
#define RINGTOP_SOURCES_LIVE_SIDEQUEUE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/capture/ring.h"
#include "core/slice/slice.h"

/* What waits of one ring, or of one with its successor. */
struct side_news {
	char *bytes; /* whole records, 8-byte aligned, as they came */
	size_t len, records;
	struct slice_gauge gauge;
};

struct sidequeue {
	size_t size;           /* of either room */
	pthread_mutex_t lock;
	struct ring *ring;     /* locked: the one that is open, or NULL */
	struct side_news fill; /* locked */
	struct side_news left; /* the taker's */
};

/* Room for `size` bytes, and for as many that are being taken; touched only as far as they reach.  0 or -errno. */
int sidequeue_init(struct sidequeue *q, size_t size);
void sidequeue_clear(struct sidequeue *q);

/* Which ring is emptied from now on, NULL: none.  The one before was emptied, and is the caller's again. */
void sidequeue_open(struct sidequeue *q, struct ring *ring);

/* Empty another ring, too, which nobody else reads; it may not be mapped. */
void sidequeue_read(struct sidequeue *q, struct ring *ring);

/* The same of a ring that is about to be closed, open or not: what finds no room now is counted as lost. */
void sidequeue_close(struct sidequeue *q, struct ring *ring);

/* The ring woke its reader. */
void sidequeue_wake(struct sidequeue *q);

/* All that waits, and that the ring holds; the same again until sidequeue_done. */
const struct side_news *sidequeue_peek(struct sidequeue *q);

/* It was taken; adds to the ring's gauge. */
void sidequeue_done(struct sidequeue *q, struct slice_gauge *g);

#endif
