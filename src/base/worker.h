/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker - a few threads for what may wait: disk, /proc, symbol tables.
 *
 * A job runs on some worker and then comes back, finished, to the thread that submitted it; until
 * then it belongs to the workers.  Urgent jobs (something on the screen waits for a name) overtake others.
 *
 * Threads: submit, collect and close from one thread, the owner.
 */
#ifndef RINGTOP_BASE_WORKER_H
#define RINGTOP_BASE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job {
	struct job *next;
	void (*run)(struct job *job);    /* on a worker */
	void (*finish)(struct job *job, void *arg); /* in workers_collect; frees the job */
	void (*discard)(struct job *job); /* in workers_close, for what was not collected */
};

struct workers;

/* begin (or NULL) is called first on each thread.  NULL with errno: no memory, descriptor or threads. */
struct workers *workers_create(unsigned threads, void (*begin)(void));
void workers_submit(struct workers *w, struct job *job, bool urgent);

/* Run finish(job, arg) for all jobs done by now; returns how many. */
size_t workers_collect(struct workers *w, void *arg);

size_t workers_pending(const struct workers *w); /* submitted and not collected */

/* Wait until all that was submitted is done, collected or not. */
void workers_wait(struct workers *w);

/* The same, but not beyond `until` (CLOCK_MONOTONIC).  False: not all is. */
bool workers_wait_until(struct workers *w, uint64_t until);

/* Becomes readable when a job is done; cleared by workers_collect. */
int workers_fd(const struct workers *w);

/* Waits for jobs that run now, discards the rest. */
void workers_close(struct workers *w);

#endif
