/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outbox - finished slices on their way to the front end.
 *
 * Bounded: when the front end is late, two that wait become one for each that comes, so nothing is
 * dropped and the delay is seen (slice_self.merged).
 *
 * Threads: one puts, one takes.
 */
#ifndef RINGTOP_MEASURE_SESSION_OUTBOX_H
#define RINGTOP_MEASURE_SESSION_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "core/slice/slice.h"

#define OUTBOX_MAX   16
#define OUTBOX_SPARE 48 /* for slices that cannot be taken in for want of memory */

struct outbox {
	pthread_mutex_t lock;
	struct slice *slice[OUTBOX_MAX + OUTBOX_SPARE];
	unsigned nr;
	int fd; /* eventfd: readable while there is something, or the end was not told yet */
	int ended; /* 0, or the code that takes answer once empty */
	bool told; /* it was */
	unsigned lost; /* slices that there was no room for, as none that wait can be merged; the putter's */
};

int outbox_init(struct outbox *o);
void outbox_put(struct outbox *o, struct slice *s);

/* The session ended: takers get `code` (negative) once it is empty.  Only answers follow. */
void outbox_end(struct outbox *o, int code);

/* 0 with a slice or NULL; the code of outbox_end. */
int outbox_take(struct outbox *o, struct slice **s);
unsigned outbox_waiting(struct outbox *o); /* slices that were not taken yet; any thread */
void outbox_clear(struct outbox *o);

#endif
