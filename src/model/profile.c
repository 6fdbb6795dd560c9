/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/intern.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/groups.h"
#include "model/rows.h"
#include "model/state.h"

#define BLOCK	    1.0 /* seconds: what a program does has phases, and most are shorter */
#define BLOCKS	    16	/* of a short window; then they are shorter */
#define BLOCK_LEAST 0.1
#define BLOCKS_FEW  8 /* as many whole ones, or blocks are not made as long as the longest slice */

/* --- by hand ---------------------------------------------------------------------------- */

int profile_init(struct profile *p)
{
	*p = (struct profile){.keys = intern_create(), .names = intern_create()};
	return p->keys && p->names ? 0 : -ENOMEM;
}

void profile_clear(struct profile *p)
{
	intern_free(p->keys);
	intern_free(p->names);
	free(p->rows);
	free(p->blocks);
	free(p->counts);
	*p = (struct profile){0};
}

/* name, NUL, base name: its id or 0.  Made where p may be changed. */
static uint32_t key_of(const struct profile *p, struct intern *make, const char *name, const char *object)
{
	size_t len = strlen(name) + 1, more = strlen(object = text_base(object));
	char few[512], *key = len + more <= sizeof(few) ? few : malloc(len + more);
	uint32_t id;

	if (!key)
		return 0;
	memcpy(key, name, len);
	memcpy(key + len, object, more);
	id = make ? intern_get(make, key, len + more, 0, NULL) : intern_find(p->keys, key, len + more);
	if (key != few)
		free(key);
	return id;
}

int64_t profile_find(const struct profile *p, const char *name, const char *object)
{
	return (int64_t)key_of(p, NULL, name, object) - 1;
}

int64_t profile_row(struct profile *p, const char *name, const char *object)
{
	uint32_t id = key_of(p, p->keys, name, object), path;
	struct profile_row *r;

	if (!id || id <= p->nrows)
		return id ? (int64_t)id - 1 : -ENOMEM;
	path = intern_get(p->names, object, strlen(object), 0, NULL);
	r = path ? VEC_ADD(p->rows, p->nrows, p->cap_rows) : NULL;
	if (!r)
		return -ENOMEM;
	r->name = intern_key(p->keys, id, NULL);
	r->object = intern_key(p->names, path, NULL);
	r->path = path;
	return (int64_t)id - 1;
}

int profile_add(struct profile *p, size_t row, uint64_t weight)
{
	size_t newest = p->rows[row].first;

	if (newest && p->counts[newest - 1].block == p->nblocks) {
		p->counts[newest - 1].weight += weight;
		return 0;
	}
	if (!VEC_PUSH(p->counts, p->ncounts, p->cap_counts,
		      (struct profile_count){(uint32_t)row, (uint32_t)p->nblocks, weight}))
		return -ENOMEM;
	p->rows[row].first = p->ncounts;
	p->rows[row].nr++;
	return 0;
}

int profile_end_block(struct profile *p, double seconds, uint64_t weight)
{
	return VEC_PUSH(p->blocks, p->nblocks, p->cap_blocks, (struct profile_block){.seconds = seconds, .weight = weight})
		       ? 0
		       : -ENOMEM;
}

/* Sorted by row, in the order they came: that of time. */
int profile_finish(struct profile *p)
{
	struct profile_count *sorted = malloc(p->ncounts * sizeof(*sorted) + 1);
	size_t at = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < p->nrows; i++) {
		p->rows[i].first = at;
		at += p->rows[i].nr;
		p->rows[i].nr = 0;
	}
	for (size_t i = 0; i < p->ncounts; i++) {
		struct profile_row *r = &p->rows[p->counts[i].row];

		sorted[r->first + r->nr++] = p->counts[i];
	}
	free(p->counts);
	p->counts = sorted;
	p->cap_counts = p->ncounts;
	return 0;
}

/* --- of a model ------------------------------------------------------------------------- */

struct taking {
	struct model *m;
	const struct query *q;
	struct profile *p;
	uint32_t *by_id;     /* of a function: its row + 1, 0: it has none */
	size_t nids;
	double block;	     /* seconds that a block has at least */
	double seconds;	     /* of the block under way */
	uint64_t weight;
	struct window window; /* its; empty: nothing yet */
};

/* What was dropped is no function's. */
static int take_group(struct taking *t, const struct group *g)
{
	const struct dict *d = &t->m->dict;
	struct row r = {.flags = 0};
	struct profile_row *row;
	char name[32];
	int64_t at;

	rows_describe(t->m, g->id, &r, name);
	if (r.flags & ROW_LOST || !g->self)
		return 0;
	at = profile_row(t->p, r.flags & ROW_UNRESOLVED ? PROFILE_NAMELESS : r.name, r.object);
	if (at < 0)
		return -ENOMEM;
	t->by_id[g->id] = (uint32_t)at + 1;
	row = &t->p->rows[at];
	row->weight += g->self;
	row->samples += g->samples;
	row->flags |= r.flags;
	row->build_id = d->objects[d->functions[g->id].object].build_id;
	return 0;
}

/* The sums. */
static int take_sums(struct taking *t, struct window w)
{
	struct query q = *t->q;
	const struct rows_work *work = t->m->work;
	int ret;

	q.group = GROUP_FUNCTION;
	q.both = q.by_host = q.trend = false;
	q.self_only = true;
	ret = groups_collect(t->m, &q, w);
	if (!ret && !(intern_reserve(t->p->keys, work->ngroups) &&
		      vec_reserve(&t->p->rows, &t->p->cap_rows, work->ngroups, sizeof(*t->p->rows))))
		ret = -ENOMEM;
	t->p->weight = work->rows.attributed;
	t->p->samples = work->rows.samples;
	for (size_t i = 0; i < work->ngroups && !ret; i++)
		ret = take_group(t, &work->groups[i]);
	return ret;
}

static uint32_t row_of(const struct taking *t, uint32_t function)
{
	return function < t->nids ? t->by_id[function] : 0;
}

static int take_slice(struct taking *t, const struct history_slice *s)
{
	const struct dict *d = &t->m->dict;
	int ret = 0;

	for (uint32_t i = 0; i < s->nrows && !ret; i++) {
		const struct slice_row *r = &s->rows[i];
		uint32_t row;

		if (r->event != t->q->event || d->paths[r->path].flags & FRAME_LOST || groups_idle(d, t->q, r))
			continue;
		t->weight += r->weight;
		row = row_of(t, dict_row_function(d, r));
		if (row && groups_pick(t->m, t->q, r, &ret) && !ret)
			ret = profile_add(t->p, row - 1, r->weight);
	}
	t->seconds += (double)(s->end - s->start) / NSEC_PER_SEC;
	t->window = (struct window){t->window.to ? t->window.from : s->start, s->end};
	return ret;
}

static int take_block(struct taking *t)
{
	int ret = profile_end_block(t->p, t->seconds, t->weight);

	if (!ret)
		t->p->blocks[t->p->nblocks - 1].window = t->window;
	t->window = (struct window){0, 0};
	t->seconds = 0;
	t->weight = 0;
	return ret;
}

/* What is left at the end is the last block's. */
static int take_crumb(struct taking *t)
{
	struct profile *p = t->p;

	for (size_t i = p->ncounts; i && p->counts[i - 1].block == p->nblocks; i--)
		p->counts[i - 1].block--;
	p->blocks[p->nblocks - 1].seconds += t->seconds;
	p->blocks[p->nblocks - 1].weight += t->weight;
	p->blocks[p->nblocks - 1].window.to = t->window.to ? t->window.to : p->blocks[p->nblocks - 1].window.to;
	return 0;
}

/* As long as the longest slice, where that leaves enough. */
static double block_length(const struct history *h, size_t from, size_t to)
{
	double longest = 0, all = 0, block;

	for (; from < to; from++) {
		double seconds = (double)(history_at(h, from)->end - history_at(h, from)->start) / NSEC_PER_SEC;

		longest = seconds > longest ? seconds : longest;
		all += seconds;
	}
	block = all / BLOCKS < BLOCK ? all / BLOCKS : BLOCK;
	if (longest > block && longest * BLOCKS_FEW <= all)
		block = longest;
	/* Slices are not cut: two of 0.6 s are one block. */
	return block > BLOCK_LEAST ? block * (1 - 1e-6) : BLOCK_LEAST;
}

static int take_blocks(struct taking *t, struct window w)
{
	const struct history *h = &t->m->history;
	size_t from, to;
	int ret = 0;

	history_range(h, w, &from, &to);
	t->block = block_length(h, from, to);
	groups_pick_begin(t->m);
	for (; from < to && !ret; from++) {
		ret = take_slice(t, history_at(h, from));
		if (!ret && t->seconds >= t->block)
			ret = take_block(t);
	}
	if (ret)
		return ret;
	return t->seconds >= t->block / 2 || !t->p->nblocks ? take_block(t) : take_crumb(t);
}

int profile_take(struct model *m, const struct query *q, struct window w, struct profile *p)
{
	struct taking t = {.m = m, .q = q, .p = p, .nids = intern_bound(m->dict.in[E_FUNCTION])};
	int ret = profile_init(p);
	struct account a;
	struct head head;

	if (q->event < m->info->nevents) {
		snprintf(p->event, sizeof(p->event), "%s", m->info->events[q->event].name);
		snprintf(p->unit, sizeof(p->unit), "%s", m->info->events[q->event].unit ? m->info->events[q->event].unit : "");
	}
	model_account(m, q->event, ALL_CPUS, w, &a);
	model_head(m, q->event, w, &head);
	p->lost = a.lost_all;
	p->seconds = head.seconds;
	t.by_id = calloc(t.nids + 1, sizeof(*t.by_id));
	if (!ret)
		ret = t.by_id ? take_sums(&t, w) : -ENOMEM;
	if (!ret)
		ret = take_blocks(&t, w);
	if (!ret)
		ret = profile_finish(p);
	free(t.by_id);
	return ret;
}
