/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * At most one batch is with the workers, and its objects are busy, so that they are not freed, like
 * namework's. The batch comes out of the budget: a program can make a tick request any number of
 * places.
 */
#include "names/objects/fnbounds.h"

#include <errno.h>
#include <stdlib.h>

#include "base/budget.h"

struct batch {
	struct job job;
	struct fnbounds *work;
	struct bound *asked;
	size_t nr, cap;
};

struct fnbounds {
	struct dsocfis *cfis;
	fnbounds_found *found;
	struct batch *next, *running;
};

static void bound_batch_free(struct batch *b)
{
	if (b)
		budget_free(b->asked);
	free(b);
}

struct fnbounds *fnbounds_create(struct dsocfis *cfis, fnbounds_found *found)
{
	struct fnbounds *w = calloc(1, sizeof(*w));

	if (w)
		*w = (struct fnbounds){.cfis = cfis, .found = found};
	return w;
}

void fnbounds_free(struct fnbounds *w)
{
	if (w)
		bound_batch_free(w->next);
	free(w);
}

/* --- on the worker ------------------------------------------------------------------------ */

static void run_bound_batch(struct job *job)
{
	struct batch *b = (struct batch *)job;

	for (size_t i = 0; i < b->nr; i++) {
		struct bound *a = &b->asked[i];
		struct cfi *cfi = dsocfi_get(b->work->cfis, a->object, &a->at);

		if (cfi && (!a->offset || cfi_vaddr(cfi, a->addr, &a->addr)))
			a->found = cfi_function(cfi, a->addr, &a->start, &a->size);
	}
}

/* --- on the resolver's thread ------------------------------------------------------------- */

static void finish_bound_batch(struct job *job, void *arg)
{
	struct batch *b = (struct batch *)job;

	b->work->running = NULL;
	for (size_t i = 0; i < b->nr; i++) {
		b->work->found(arg, &b->asked[i]);
		b->asked[i].object->busy--;
	}
	bound_batch_free(b);
}

static void discard_bound_batch(struct job *job)
{
	bound_batch_free((struct batch *)job);
}

static struct batch *bound_batch_create(struct fnbounds *w)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b)
		*b = (struct batch){.job = {.run = run_bound_batch, .finish = finish_bound_batch,
					    .discard = discard_bound_batch},
				    .work = w};
	return b;
}

int fnbounds_ask(struct fnbounds *w, struct dso *o, uint32_t frame, uint64_t addr, bool offset)
{
	struct batch *b = w->next ? w->next : (w->next = bound_batch_create(w));

	if (!b ||
	    !budget_reserve(NULL, BUDGET_SYMBOLS, &b->asked, &b->cap, b->nr + 1, sizeof(*b->asked)))
		return -ENOMEM;
	b->asked[b->nr++] = (struct bound){.object = o,
					   .at = {o->pid, o->start, o->end},
					   .addr = addr,
					   .frame = frame,
					   .offset = offset};
	o->busy++;
	return 0;
}

void fnbounds_run(struct fnbounds *w, struct workers *workers)
{
	if (w->running || !w->next)
		return;
	w->running = w->next;
	w->next = NULL;
	workers_submit(workers, &w->running->job, true);
}
