/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * askbox - what a front end asks about what was measured, on its way to the session's thread.
 *
 * Threads: one puts, one takes.
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
	int fd; /* eventfd: written by put; who polls it reads it */
};

int askbox_init(struct askbox *a); /* 0 or -errno */
void askbox_clear(struct askbox *a);

/* 0, -EBUSY (too many wait), -ENOMEM: said in err. */
int askbox_put(struct askbox *a, const struct code_place *place, struct err *err);

/* Hand all that waits to the resolver, between its begin and end. */
void askbox_pass(struct askbox *a, struct resolver *r);

bool askbox_waiting(struct askbox *a);

#endif
