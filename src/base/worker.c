/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

#define WORKERS_MAX 8

struct queue {
	struct job *head, **tail;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t more, done_more;
	struct queue urgent, normal, done;
	bool stop;
	void (*begin)(void);
	size_t ndone;   /* jobs in `done` */
	size_t pending; /* only the owner reads and writes it */
	int fd;
	unsigned nr;
	pthread_t thread[WORKERS_MAX];
};

static void queue_init(struct queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

static void queue_push(struct queue *q, struct job *job)
{
	job->next = NULL;
	*q->tail = job;
	q->tail = &job->next;
}

static struct job *queue_pop(struct queue *q)
{
	struct job *job = q->head;

	if (job && !(q->head = job->next))
		q->tail = &q->head;
	return job;
}

static struct job *next_job(struct workers *w)
{
	struct job *job = NULL;

	while (!w->stop && !(job = queue_pop(&w->urgent)) && !(job = queue_pop(&w->normal)))
		pthread_cond_wait(&w->more, &w->lock);
	return job;
}

/* Signal after unlocking: the woken thread may run at once, and must not find the lock taken. */
static void finish_job(struct workers *w, struct job *job)
{
	pthread_mutex_lock(&w->lock);
	queue_push(&w->done, job);
	w->ndone++;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->done_more);
	eventfd_write(w->fd, 1);
}

static void *run_jobs(void *arg)
{
	struct workers *w = arg;
	struct job *job;

	pthread_setname_np(pthread_self(), "ringtop-worker");
	if (w->begin)
		w->begin();
	pthread_mutex_lock(&w->lock);
	while ((job = next_job(w))) {
		pthread_mutex_unlock(&w->lock);
		job->run(job);
		finish_job(w, job);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct workers *workers_create(unsigned threads, void (*begin)(void))
{
	struct workers *w = calloc(1, sizeof(*w));
	pthread_condattr_t monotonic;
	int ret = 0;

	if (!w)
		return NULL;
	w->begin = begin;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->done_more, &monotonic);
	pthread_condattr_destroy(&monotonic);
	queue_init(&w->urgent);
	queue_init(&w->normal);
	queue_init(&w->done);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = w->fd < 0 ? -errno : 0;
	for (unsigned i = 0; i < threads && i < WORKERS_MAX && !ret; i++) {
		ret = thread_start(&w->thread[w->nr], run_jobs, w);
		w->nr += !ret;
	}
	if (w->fd < 0 || !w->nr) {
		workers_close(w);
		errno = -ret;
		return NULL;
	}
	return w;
}

void workers_submit(struct workers *w, struct job *job, bool urgent)
{
	w->pending++;
	pthread_mutex_lock(&w->lock);
	queue_push(urgent ? &w->urgent : &w->normal, job);
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->more);
}

size_t workers_collect(struct workers *w, void *arg)
{
	struct job *job, *next;
	eventfd_t events;
	size_t n = 0;

	eventfd_read(w->fd, &events);
	pthread_mutex_lock(&w->lock);
	job = w->done.head;
	queue_init(&w->done);
	w->ndone = 0;
	pthread_mutex_unlock(&w->lock);
	for (; job; job = next, n++) {
		next = job->next;
		w->pending--;
		job->finish(job, arg);
	}
	return n;
}

size_t workers_pending(const struct workers *w)
{
	return w->pending;
}

void workers_wait(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->ndone < w->pending)
		pthread_cond_wait(&w->done_more, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

bool workers_wait_until(struct workers *w, uint64_t until)
{
	const struct timespec at = clock_timespec(until);
	bool all;

	pthread_mutex_lock(&w->lock);
	while (w->ndone < w->pending && !pthread_cond_timedwait(&w->done_more, &w->lock, &at))
		;
	all = w->ndone >= w->pending;
	pthread_mutex_unlock(&w->lock);
	return all;
}

int workers_fd(const struct workers *w)
{
	return w->fd;
}

static void discard_all(struct queue *q)
{
	struct job *job;

	while ((job = queue_pop(q)))
		job->discard(job);
}

void workers_close(struct workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->nr; i++)
		pthread_join(w->thread[i], NULL);
	discard_all(&w->urgent);
	discard_all(&w->normal);
	discard_all(&w->done);
	if (w->fd >= 0)
		close(w->fd);
	pthread_cond_destroy(&w->more);
	pthread_cond_destroy(&w->done_more);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
