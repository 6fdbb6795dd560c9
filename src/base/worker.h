/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker - a few threads for jobs that may block: disk, /proc, symbol tables.
 *
 * A job runs on some worker and then comes back, finished, to the thread that submitted it; until
 * then it belongs to the workers.  Urgent jobs (for a name that the screen waits for) overtake
 * others.
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
	void (*discard)(struct job *job); /* in workers_close, of a job that was not collected */
};

struct workers;

/*
 * Start up to 8 threads; each calls begin (or NULL) first.  NULL with errno: no memory, descriptor
 * or threads.
 */
struct workers *workers_create(unsigned threads, void (*begin)(void));
void workers_submit(struct workers *w, struct job *job, bool urgent);

/* Run finish(job, arg) for all jobs done by now; returns their number. */
size_t workers_collect(struct workers *w, void *arg);

size_t workers_pending(const struct workers *w); /* jobs submitted and not collected */

/* Wait until all submitted jobs are done, collected or not. */
void workers_wait(struct workers *w);

/* Wait like workers_wait(), but not beyond `until` (CLOCK_MONOTONIC, ns).  False: not all done. */
bool workers_wait_until(struct workers *w, uint64_t until);

/* Return a descriptor that is readable when a job is done; workers_collect clears it.  Borrowed. */
int workers_fd(const struct workers *w);

/* Wait for the running jobs, discard all others and free w (or NULL). */
void workers_close(struct workers *w);

#endif
