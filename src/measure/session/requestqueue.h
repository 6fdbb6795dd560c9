/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requestqueue - queue of requests for code, from a front end to the session's thread.
 *
 * Threads: one calls requestqueue_put, another one takes the requests.
 */
#ifndef RINGTOP_MEASURE_SESSION_REQUESTQUEUE_H
#define RINGTOP_MEASURE_SESSION_REQUESTQUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "names/resolve/resolver.h"
#include "core/slice/code.h"

#define ASKBOX_MAX 8

struct requestqueue {
	pthread_mutex_t lock;
	struct code_place place[ASKBOX_MAX];
	unsigned nr;
	int fd; /* eventfd, written by requestqueue_put; the thread that polls it reads it */
};

int requestqueue_init(struct requestqueue *a); /* 0 or -errno */
void requestqueue_clear(struct requestqueue *a);

/* Queue a request; `place` is copied.  Return 0; with err: -EBUSY (ASKBOX_MAX wait), -ENOMEM. */
int requestqueue_put(struct requestqueue *a, const struct code_place *place, struct err *err);

/* Pass all waiting requests to the resolver, between its begin and end. */
void requestqueue_pass(struct requestqueue *a, struct resolver *r);

/* Return true if requests wait. */
bool requestqueue_waiting(struct requestqueue *a);

#endif
