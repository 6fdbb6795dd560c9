/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * askbox - queue of requests for code, from a front end to the session's thread.
 *
 * Threads: one calls askbox_put, another one takes the requests.
 */
#ifndef RINGTOP_MEASURE_SESSION_ASKBOX_H
#define RINGTOP_MEASURE_SESSION_ASKBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "names/resolve/resolver.h"
#include "core/slice/code.h"

#define ASKBOX_MAX 8

struct askbox {
	pthread_mutex_t lock;
	struct code_place place[ASKBOX_MAX];
	unsigned nr;
	int fd; /* eventfd, written by askbox_put; the thread that polls it reads it */
};

int askbox_init(struct askbox *a); /* 0 or -errno */
void askbox_clear(struct askbox *a);

/* Queue a request; `place` is copied.  Return 0; with err: -EBUSY (ASKBOX_MAX wait), -ENOMEM. */
int askbox_put(struct askbox *a, const struct code_place *place, struct err *err);

/* Pass all waiting requests to the resolver, between its begin and end. */
void askbox_pass(struct askbox *a, struct resolver *r);

/* Return true if requests wait. */
bool askbox_waiting(struct askbox *a);

#endif
