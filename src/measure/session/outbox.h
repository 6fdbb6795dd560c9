/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outbox - finished slices on their way to the front end.
 *
 * Bounded: when the front end is late, two waiting slices are merged for each new one, so that no
 * counts are lost and the delay is visible (slice_self.merged).
 *
 * Threads: one puts, another one takes.
 */
#ifndef RINGTOP_MEASURE_SESSION_OUTBOX_H
#define RINGTOP_MEASURE_SESSION_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "core/slice/slice.h"

#define OUTBOX_MAX   16
#define OUTBOX_SPARE 48 /* for slices that cannot be merged, for lack of memory */

struct outbox {
	pthread_mutex_t lock;
	struct slice *slice[OUTBOX_MAX + OUTBOX_SPARE];
	unsigned nr;
	int fd; /* eventfd: readable while slices wait, or the end was not returned yet */
	int ended; /* 0, or the code that outbox_take returns once empty */
	bool told; /* `ended` was returned */
	/* slices dropped as waiting ones could not be merged; the putting thread's */
	unsigned lost;
};

int outbox_init(struct outbox *o); /* 0 or -errno */

/* Put a slice; the outbox owns it, or frees it and counts it in `lost` without room. */
void outbox_put(struct outbox *o, struct slice *s);

/* End: outbox_take returns `code` (negative) once empty.  Only replies about code follow. */
void outbox_end(struct outbox *o, int code);

/* Take the oldest slice, the caller's, or NULL.  Return 0, or outbox_end's code. */
int outbox_take(struct outbox *o, struct slice **s);

/* Return the number of waiting slices; from any thread. */
unsigned outbox_waiting(struct outbox *o);

void outbox_clear(struct outbox *o);

#endif
