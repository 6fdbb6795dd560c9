/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each object has at most one job under way. Objects with queued addresses stand in a queue, each
 * once, and are busy there, so that they are not freed. linecache holds the open files.
 */
#include "names/objects/linework.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/compare.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/worker.h"

#define NICE 10

struct linework {
	struct workers *workers;
	struct dso **queue; /* from `first` on */
	size_t first, nqueue, cap_queue;
	size_t pending;
	unsigned running;       /* jobs under way */
	linework_found *found; /* during collect */
	void *arg;
};

struct line_job {
	struct job job;
	struct linework *work;
	struct dso *object;
	struct objfile file; /* copies: the resolver goes on using the object */
	char *path;
	struct err err;
	int result;
	bool partial; /* state of the object when the job began; it may have more symbols since */
	size_t nr;
	struct line_ask ask[LINEWORK_BATCH];
	struct linecache_found found; /* valid if result is 0 */
};

static void lower_priority(void)
{
	pthread_setname_np(pthread_self(), "ringtop-lines");
	setpriority(PRIO_PROCESS, 0, NICE); /* for this thread only; failure does no harm */
}

struct linework *linework_create(bool hurry)
{
	struct linework *w = calloc(1, sizeof(*w));

	if (w)
		w->workers = workers_create(1, hurry ? NULL : lower_priority);
	if (w && !w->workers) {
		free(w);
		w = NULL;
	}
	return w;
}

void linework_free(struct linework *w)
{
	if (!w)
		return;
	workers_close(w->workers);
	free(w->queue);
	free(w);
}

/* --- on the worker ------------------------------------------------------------------------ */

COMPARE_BY(compare_line_asks, struct line_ask, addr)

static void run_line_job(struct job *job)
{
	struct line_job *lj = (struct line_job *)job;
	uint64_t addrs[LINEWORK_BATCH];
	struct image im;

	lj->result = image_open(&im, &lj->file, &lj->object->lines_budget, &lj->err);
	if (lj->result)
		return;
	/* Sorted, so that each unit is read once. */
	qsort(lj->ask, lj->nr, sizeof(*lj->ask), compare_line_asks);
	for (size_t i = 0; i < lj->nr; i++)
		addrs[i] = lj->ask[i].addr;
	lj->result = linecache_find(&im, addrs, lj->nr, 0, 0, &lj->found, &lj->err);
	image_close(&im);
}

/* --- on the resolver's thread ------------------------------------------------------------- */

static void free_line_job(struct line_job *lj)
{
	if (!lj->result)
		linecache_clear(&lj->found);
	free(lj->path);
	free(lj);
}

static void discard_line_job(struct job *job)
{
	free_line_job((struct line_job *)job);
}

static bool enqueue(struct linework *w, struct dso *o)
{
	if (w->first && w->first + w->nqueue == w->cap_queue) {
		memmove(w->queue, w->queue + w->first, w->nqueue * sizeof(*w->queue));
		w->first = 0;
	}
	if (!vec_reserve(&w->queue, &w->cap_queue, w->first + w->nqueue + 1, sizeof(*w->queue)))
		return false;
	w->queue[w->first + w->nqueue++] = o;
	o->busy++;
	return true;
}

static bool ask_again(struct dso *o, const struct line_job *lj)
{
	if (!budget_reserve(&o->lines_budget, BUDGET_LINES, &o->asks, &o->cap_asks,
			    o->nasks + lj->nr, sizeof(*o->asks)))
		return false;
	memcpy(o->asks + o->nasks, lj->ask, lj->nr * sizeof(*lj->ask));
	o->nasks += lj->nr;
	return true;
}

/* Out of memory: report that nothing was found. */
static void drop_asks(struct linework *w, struct dso *o)
{
	for (size_t i = 0; i < o->nasks; i++)
		w->found(w->arg, o, &o->asks[i], NULL, 0);
	w->pending -= o->nasks;
	o->nasks = 0;
}

/*
 * Keep a message that the system had no room for the lines, which is no result about the file. A
 * file that is gone just has no lines.
 */
static void say_no_room(struct dso *o, const struct err *err)
{
	if ((err->code != EMFILE && err->code != ENFILE && err->code != ENOMEM) || o->refusal)
		return;
	if (asprintf(&o->refusal, "no lines: %s", err->text) < 0)
		o->refusal = NULL; /* out of memory: heap counts it */
}

static void finish_line_job(struct job *job, void *arg)
{
	struct line_job *lj = (struct line_job *)job;
	struct linework *w = arg;
	struct dso *o = lj->object;
	size_t at = 0;

	if (lj->result == -EBUSY && ask_again(o, lj)) { /* the helper failed, not the object */
		lj->nr = 0;
	} else if (lj->result) {
		o->no_lines = lj->partial == o->elf.partial;
		log_msg(LOG_RESOLVE, "no lines for %s: %s", o->path, lj->err.text);
	}
	dso_refused(o, &lj->err);
	say_no_room(o, &lj->err);
	w->running--;
	o->lines_asked = false;
	for (size_t i = 0; i < lj->nr; i++) {
		size_t depth = lj->result ? 0 : lj->found.depth[i];

		w->found(w->arg, o, &lj->ask[i], lj->found.frames + at, depth);
		at += depth;
	}
	w->pending -= lj->nr;
	if (o->nasks && !enqueue(w, o))
		drop_asks(w, o);
	o->busy--;
	free_line_job(lj);
}

static struct line_job *job_create(struct linework *w, struct dso *o)
{
	struct line_job *lj = calloc(1, sizeof(*lj));

	if (!lj || !(lj->path = strdup(o->path))) {
		free(lj);
		return NULL;
	}
	lj->job = (struct job){.run = run_line_job, .finish = finish_line_job,
			       .discard = discard_line_job};
	lj->work = w;
	lj->object = o;
	lj->file = dso_file_named(o);
	lj->file.path = lj->path;
	lj->partial = o->elf.partial;
	return lj;
}

void linework_run(struct linework *w)
{
	while (w->running < LINEWORK_JOBS_MAX && w->nqueue) {
		struct dso *o = w->queue[w->first];
		struct line_job *lj = job_create(w, o);

		if (!lj && w->running)
			return; /* retried when a job is done */
		w->first++;
		w->nqueue--;
		o->busy--;
		if (!lj) { /* no job would return to this object */
			drop_asks(w, o);
			continue;
		}
		lj->nr = o->nasks < LINEWORK_BATCH ? o->nasks : LINEWORK_BATCH;
		memcpy(lj->ask, o->asks, lj->nr * sizeof(*lj->ask));
		o->nasks -= lj->nr;
		memmove(o->asks, o->asks + lj->nr, o->nasks * sizeof(*o->asks));
		o->busy++;
		o->lines_asked = true;
		w->running++;
		workers_submit(w->workers, &lj->job, false);
	}
}

bool linework_wants(const struct dso *o)
{
	return o->kind == OBJECT_FILE && o->state == OBJECT_READY && !o->no_lines;
}

int linework_ask(struct linework *w, struct dso *o, const struct line_ask *ask)
{
	if (!budget_reserve(&o->lines_budget, BUDGET_LINES, &o->asks, &o->cap_asks, o->nasks + 1,
			    sizeof(*o->asks)) ||
	    (!o->nasks && !o->lines_asked && !enqueue(w, o)))
		return -ENOMEM;
	o->asks[o->nasks++] = *ask;
	w->pending++;
	return 0;
}

void linework_collect(struct linework *w, linework_found *found, void *arg)
{
	w->found = found;
	w->arg = arg;
	workers_collect(w->workers, w);
	linework_run(w);
}

int linework_fd(const struct linework *w)
{
	return workers_fd(w->workers);
}

size_t linework_pending(const struct linework *w)
{
	return w->pending;
}
