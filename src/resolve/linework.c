/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each object has one job under way at most, and while it has, its `lines` are the worker's.  Objects
 * that have questions stand in a queue, each once; those that have files open in a list.  An object in
 * either is busy, so that nobody frees it.
 *
 * What jobs hold that were not collected yet is bounded, too: one that would open a file when there
 * is much already comes back undone, and goes to the end of the queue.
 */
#include "resolve/linework.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/worker.h"
#include "elf/elffile.h"

#define NICE 10

struct linework {
	struct workers *workers;
	struct dso **queue, **open; /* queue: from `first` on */
	size_t first, nqueue, cap_queue, nopen, cap_open;
	size_t pending;
	unsigned running;       /* jobs */
	size_t held;            /* shared: bytes, by jobs that were not collected */
	linework_found *found; /* during collect */
	void *arg;
};

struct line_job {
	struct job job;
	struct linework *work;
	struct dso *object;
	struct dso_place place; /* copies: the resolver goes on with the object */
	char *path;
	uint8_t build_id[20], build_id_len;
	struct lines *lines;
	struct err err;
	int result;
	bool undone;
	bool partial; /* what was known of the object; more may have come since */
	size_t held;
	size_t nr;
	struct line_ask ask[LINEWORK_BATCH];
	size_t nr_frames[LINEWORK_BATCH];
	struct lines_frame *frames; /* of all, one behind the other */
	size_t nframes, cap_frames;
};

static void lower_priority(void)
{
	setpriority(PRIO_PROCESS, 0, NICE); /* of this thread; not to get it is no harm */
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

static void object_close(struct linework *w, size_t i)
{
	struct dso *o = w->open[i];

	lines_close(o->lines);
	o->lines = NULL;
	o->busy--;
	w->open[i] = w->open[--w->nopen];
}

void linework_free(struct linework *w)
{
	if (!w)
		return;
	workers_close(w->workers);
	while (w->nopen)
		object_close(w, w->nopen - 1);
	free(w->queue);
	free(w->open);
	free(w);
}

/* --- on the worker ------------------------------------------------------------------------ */

/* The file may be another one than that the symbols are of. */
static int check_build_id(const struct line_job *lj, int fd, struct err *err)
{
	uint8_t id[20];
	struct elffile f;
	unsigned len;
	int ret = elffile_open(&f, fd, err);

	if (ret)
		return ret;
	len = elffile_build_id(&f, id, sizeof(id));
	elffile_close(&f);
	if (len == lj->build_id_len && !memcmp(id, lj->build_id, len))
		return 0;
	return err_set(err, ESTALE, "it was replaced");
}

static int job_open(struct line_job *lj)
{
	struct dso_opened opened;
	int fd = dso_open(&lj->place, &opened, &lj->err), ret;

	if (fd < 0)
		return fd;
	ret = check_build_id(lj, fd, &lj->err);
	if (!ret)
		ret = lines_open(fd, lj->path, opened.root, &lj->object->lines_budget, &lj->lines,
				 &lj->err);
	close(fd);
	return ret;
}

static int ask_compare(const void *left, const void *right)
{
	const struct line_ask *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

static uint64_t kept_max(void)
{
	return budget_tight() ? 0 : budget_limit() / LINEWORK_KEPT_PART;
}

static void job_run(struct job *job)
{
	struct line_job *lj = (struct line_job *)job;

	lj->undone = !lj->lines && atomic_load_relaxed(&lj->work->held) > kept_max();
	if (lj->undone)
		return;
	lj->result = lj->lines ? 0 : job_open(lj);
	/* in order, so that each unit is read once */
	qsort(lj->ask, lj->nr, sizeof(*lj->ask), ask_compare);
	for (size_t i = 0; i < lj->nr && !lj->result; i++) {
		if (!vec_reserve(&lj->frames, &lj->cap_frames, lj->nframes + LINES_DEPTH_MAX,
				 sizeof(*lj->frames)))
			break; /* these stay without */
		lj->nr_frames[i] = lines_find(lj->lines, lj->ask[i].addr, lj->frames + lj->nframes);
		lj->nframes += lj->nr_frames[i];
	}
	if (!lj->result)
		budget_say(&lj->object->lines_budget, "the lines of a part of it", &lj->err);
	lj->held = lj->lines ? lines_bytes(lj->lines) : 0;
	atomic_add_relaxed(&lj->work->held, lj->held);
}

/* --- on the resolver's thread ------------------------------------------------------------- */

static void job_free(struct line_job *lj)
{
	free(lj->frames);
	free(lj->path);
	free(lj);
}

static void job_discard(struct job *job)
{
	struct line_job *lj = (struct line_job *)job;

	lines_close(lj->lines);
	job_free(lj);
}

static void keep_open(struct linework *w, struct dso *o, struct lines *lines)
{
	if (!lines)
		return;
	if (!vec_reserve(&w->open, &w->cap_open, w->nopen + 1, sizeof(*w->open))) {
		lines_close(lines);
		return;
	}
	w->open[w->nopen++] = o;
	o->lines = lines;
	o->busy++;
}

/* Until little enough is held; what was used longest ago goes first. */
static void shrink(struct linework *w)
{
	size_t bytes = 0;

	for (size_t i = 0; i < w->nopen; i++)
		bytes += lines_bytes(w->open[i]->lines);
	/* One stays: to open it for every batch would cost more than it takes. */
	while (w->nopen > 1 && (bytes > kept_max() || w->nopen > LINEWORK_OPEN_MAX)) {
		size_t oldest = 0;

		for (size_t i = 1; i < w->nopen; i++)
			if ((int32_t)(w->open[i]->used - w->open[oldest]->used) < 0)
				oldest = i;
		bytes -= lines_bytes(w->open[oldest]->lines);
		object_close(w, oldest);
	}
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
	if (!budget_reserve(&o->lines_budget, BUDGET_LINES, &o->asks, &o->cap_asks, o->nasks + lj->nr,
			    sizeof(*o->asks)))
		return false;
	memcpy(o->asks + o->nasks, lj->ask, lj->nr * sizeof(*lj->ask));
	o->nasks += lj->nr;
	return true;
}

/* Out of memory: they get the answer that nothing is known. */
static void drop_asks(struct linework *w, struct dso *o)
{
	for (size_t i = 0; i < o->nasks; i++)
		w->found(w->arg, o, &o->asks[i], NULL, 0);
	w->pending -= o->nasks;
	o->nasks = 0;
}

static void job_finish(struct job *job, void *arg)
{
	struct line_job *lj = (struct line_job *)job;
	struct linework *w = arg;
	struct dso *o = lj->object;
	size_t at = 0;

	if (lj->result) {
		o->no_lines = lj->partial == o->elf.partial;
		log_msg(LOG_RESOLVE, "no lines for %s: %s", o->path, lj->err.text);
	}
	dso_refused(o, &lj->err);
	w->running--;
	o->lines_asked = false;
	atomic_add_relaxed(&w->held, 0 - lj->held);
	if (lj->undone && ask_again(o, lj))
		lj->nr = 0;
	for (size_t i = 0; i < lj->nr; i++) {
		w->found(w->arg, o, &lj->ask[i], lj->frames + at, lj->nr_frames[i]);
		at += lj->nr_frames[i];
	}
	w->pending -= lj->nr;
	if (o->nasks && !enqueue(w, o))
		drop_asks(w, o);
	o->busy--;
	keep_open(w, o, lj->lines);
	job_free(lj);
	shrink(w);
}

/* The object's open lines are the job's, and its first questions. */
static void job_take(struct linework *w, struct line_job *lj, struct dso *o)
{
	lj->nr = o->nasks < LINEWORK_BATCH ? o->nasks : LINEWORK_BATCH;
	memcpy(lj->ask, o->asks, lj->nr * sizeof(*lj->ask));
	o->nasks -= lj->nr;
	memmove(o->asks, o->asks + lj->nr, o->nasks * sizeof(*o->asks));
	for (size_t i = 0; i < w->nopen; i++) {
		if (w->open[i] != o)
			continue;
		lj->lines = o->lines;
		o->lines = NULL;
		o->busy--;
		w->open[i] = w->open[--w->nopen];
		break;
	}
	o->busy++;
	o->lines_asked = true;
}

static struct line_job *job_create(struct linework *w, struct dso *o)
{
	struct line_job *lj = calloc(1, sizeof(*lj));

	if (!lj || !(lj->path = strdup(o->path))) {
		free(lj);
		return NULL;
	}
	lj->job = (struct job){.run = job_run, .finish = job_finish, .discard = job_discard};
	lj->work = w;
	lj->object = o;
	lj->place = dso_place(o);
	lj->place.path = lj->path;
	lj->partial = o->elf.partial;
	lj->build_id_len = o->elf.build_id_len;
	memcpy(lj->build_id, o->elf.build_id, sizeof(lj->build_id));
	return lj;
}

void linework_run(struct linework *w)
{
	while (w->running < LINEWORK_JOBS_MAX && w->nqueue) {
		struct dso *o = w->queue[w->first];
		struct line_job *lj = job_create(w, o);

		if (!lj && w->running)
			return; /* again when one of them is done */
		w->first++;
		w->nqueue--;
		o->busy--;
		if (!lj) { /* nobody would come back to it */
			drop_asks(w, o);
			continue;
		}
		job_take(w, lj, o);
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

void linework_sweep(struct linework *w, uint32_t tick)
{
	for (size_t i = w->nopen; i > 0; i--)
		if ((int32_t)(w->open[i - 1]->used - tick) < 0)
			object_close(w, i - 1);
}
