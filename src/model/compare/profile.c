/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/compare/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/rows/groups.h"
#include "model/rows/rows.h"
#include "model/core/state.h"

#define BLOCK	    1.0 /* seconds of a block: most phases of programs are shorter */
#define BLOCKS	    16	/* least number of blocks; in a short window they are shorter */
#define BLOCK_LEAST 0.1
#define TEXTS	    (256u << 10) /* bytes that are allocated at once for names */
#define BLOCKS_FEW  8 /* least number of blocks as long as the longest slice, or they are shorter */

struct profile_text {
	struct profile_text *next;
	size_t used, size;
	char text[];
};

/* --- by hand ---------------------------------------------------------------------------- */

int profile_init(struct profile *p)
{
	*p = (struct profile){.bases = intern_create(), .index = calloc(1, sizeof(*p->index))};
	return p->bases && p->index ? 0 : -ENOMEM;
}

void profile_clear(struct profile *p)
{
	for (struct profile_text *t = p->texts, *next; t; t = next) {
		next = t->next;
		free(t);
	}
	intern_free(p->bases);
	free(p->rows);
	free(p->blocks);
	free(p->counts);
	free(p->objects);
	if (p->index)
		free(p->index->slot);
	free(p->index);
	free(p->by_text);
	free(p->nameless);
	*p = (struct profile){0};
}

/* Copy a text; the copy lives as long as the profile.  NULL: out of memory. */
static const char *keep_text(struct profile *p, const char *text, size_t len)
{
	struct profile_text *t = p->texts;
	char *copy;

	if (!t || t->size - t->used <= len) {
		size_t size = len < TEXTS ? TEXTS : len + 1;

		t = malloc(sizeof(*t) + size);
		if (!t)
			return NULL;
		*t = (struct profile_text){.next = p->texts, .size = size};
		p->texts = t;
	}
	copy = memcpy(t->text + t->used, text, len);
	copy[len] = '\0';
	t->used += len + 1;
	return copy;
}

/* Return the new object's index, or -ENOMEM. */
static int64_t add_object(struct profile *p, const char *path, const struct build_id *build_id)
{
	const char *base = text_base(path);
	struct profile_object o = {.path = keep_text(p, path, strlen(path)),
				   .base = intern_get(p->bases, base, strlen(base), 0, NULL),
				   .hash = hash_bytes(base, strlen(base)),
				   .build_id = *build_id};

	if (!o.path || !o.base || !VEC_PUSH(p->objects, p->nobjects, p->cap_objects, o))
		return -ENOMEM;
	return (int64_t)p->nobjects - 1;
}

/* Search the newest first: rows added by hand mostly come object by object. */
static int64_t object_by_path(struct profile *p, const char *path)
{
	for (size_t i = p->nobjects; i-- > 0;)
		if (!strcmp(p->objects[i].path, path))
			return (int64_t)i;
	return add_object(p, path, &(struct build_id){0});
}

/* --- rows by their hash ----------------------------------------------------------------- */

static uint32_t hash_mark(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

/* A row to be found or added.  len: of the name.  base: the object's base name id. */
struct wanted {
	const char *name;
	size_t len;
	uint64_t hash, era;
	uint32_t text, base;
};

/* Within one era equal names have equal ids and need not be compared. */
static bool is_wanted_row(const struct profile *p, const struct profile_row *r,
			  const struct wanted *w)
{
	if (r->hash != w->hash || p->objects[r->in].base != w->base)
		return false;
	return (w->text && w->text == r->text && w->era == p->era) || !strcmp(r->name, w->name);
}

static struct profile_slot *find_row_slot(const struct profile *p, const struct wanted *w)
{
	const struct profile_index *x = p->index;
	size_t i = w->hash & (x->nr - 1);

	for (; x->slot[i].row; i = (i + 1) & (x->nr - 1))
		if (x->slot[i].mark == hash_mark(w->hash) &&
		    is_wanted_row(p, &p->rows[x->slot[i].row - 1], w))
			break;
	return &x->slot[i];
}

static void index_rows(const struct profile *p)
{
	struct profile_index *x = p->index;

	for (size_t i; x->rows < p->nrows; x->rows++) {
		uint64_t hash = p->rows[x->rows].hash;

		for (i = hash & (x->nr - 1); x->slot[i].row;)
			i = (i + 1) & (x->nr - 1);
		x->slot[i] = (struct profile_slot){(uint32_t)x->rows + 1, hash_mark(hash)};
	}
}

/* Half of the slots stay empty. */
static int reserve_row_index(const struct profile *p, size_t rows)
{
	struct profile_index *x = p->index;
	size_t nr = x->nr ? x->nr : 64;

	while (nr < 2 * rows)
		nr *= 2;
	if (nr != x->nr) {
		struct profile_slot *slot = calloc(nr, sizeof(*slot));

		if (!slot)
			return -ENOMEM;
		free(x->slot);
		*x = (struct profile_index){slot, nr, 0};
	}
	index_rows(p);
	return 0;
}

int profile_index(const struct profile *p)
{
	return reserve_row_index(p, p->nrows);
}

static int64_t append_profile_row(struct profile *p, const struct wanted *w, uint32_t object)
{
	const char *name = keep_text(p, w->name, w->len);
	struct profile_row *r = name ? VEC_ADD(p->rows, p->nrows, p->cap_rows) : NULL;

	if (!r)
		return -ENOMEM;
	r->name = name;
	r->object = p->objects[object].path;
	r->hash = w->hash;
	r->text = w->text;
	r->in = object;
	return (int64_t)p->nrows - 1;
}

/* Return the index of the wanted row, added to the object if it is new; or -ENOMEM. */
static int64_t row_get(struct profile *p, const struct wanted *w, uint32_t object)
{
	struct profile_slot *slot;
	int64_t row;

	if (reserve_row_index(p, p->nrows + 1))
		return -ENOMEM;
	slot = find_row_slot(p, w);
	if (slot->row)
		return (int64_t)slot->row - 1;
	row = append_profile_row(p, w, object);
	if (row >= 0)
		index_rows(p);
	return row;
}

static uint64_t name_hash(const char *name)
{
	return hash_bytes(name, strlen(name));
}

int64_t profile_row(struct profile *p, const char *name, const char *object)
{
	int64_t in = object_by_path(p, object);
	struct wanted w;

	if (in < 0)
		return in;
	w = (struct wanted){.name = name, .len = strlen(name), .base = p->objects[in].base,
			    .hash = hash_mix(name_hash(name), p->objects[in].hash)};
	return row_get(p, &w, (uint32_t)in);
}

int profile_build(struct profile *p, size_t row, struct build_id build_id)
{
	int64_t in = add_object(p, p->rows[row].object, &build_id);

	if (in < 0)
		return -ENOMEM;
	p->rows[row].in = (uint32_t)in;
	return 0;
}

int64_t profile_find(const struct profile *p, const char *name, const char *object)
{
	const char *base = text_base(object);
	struct wanted w = {.name = name, .hash = hash_mix(name_hash(name), name_hash(base)),
			   .base = intern_find(p->bases, base, strlen(base))};

	return p->index->nr && w.base ? (int64_t)find_row_slot(p, &w)->row - 1 : -1;
}

/* Return 1 + the row with the wanted text, or 0. */
static uint32_t row_of_text(const struct profile *p, const struct wanted *w)
{
	uint32_t row = w->text < p->ntexts ? p->by_text[w->text] : 0;

	while (row && !is_wanted_row(p, &p->rows[row - 1], w))
		row = p->rows[row - 1].next;
	return row;
}

int64_t profile_find_of(const struct profile *p, const struct profile *other, size_t row,
			uint32_t base)
{
	const struct profile_row *r = &other->rows[row];
	struct wanted w = {
		.name = r->name, .hash = r->hash, .era = other->era, .text = r->text, .base = base};

	if (!base)
		return -1;
	if (p->era && p->era == other->era)
		return (r->text		   ? row_of_text(p, &w)
			: base < p->nbases ? p->nameless[base]
					   : 0) -
		       (int64_t)1;
	return p->index->nr ? (int64_t)find_row_slot(p, &w)->row - 1 : -1;
}

/* --- blocks ----------------------------------------------------------------------------- */

int profile_add(struct profile *p, size_t row, uint64_t weight)
{
	uint32_t newest = p->rows[row].first;

	if (newest && p->counts[newest - 1].block == p->nblocks) {
		p->counts[newest - 1].weight += weight;
		return 0;
	}
	if (!VEC_PUSH(p->counts, p->ncounts, p->cap_counts,
		      (struct profile_count){(uint32_t)row, (uint32_t)p->nblocks, weight}))
		return -ENOMEM;
	p->rows[row].first = (uint32_t)p->ncounts;
	p->rows[row].nr++;
	return 0;
}

int profile_end_block(struct profile *p, double seconds, uint64_t weight)
{
	return VEC_PUSH(p->blocks, p->nblocks, p->cap_blocks,
			(struct profile_block){.seconds = seconds, .weight = weight})
		       ? 0
		       : -ENOMEM;
}

/* A stable counting sort by row: counts come in the order of time. */
int profile_finish(struct profile *p)
{
	struct profile_count *sorted = malloc(p->ncounts * sizeof(*sorted) + 1);
	uint32_t at = 0;

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
	uint32_t *by_id;     /* by function id: 1 + its row; 0: it has none */
	uint32_t *by_object; /* by the model's object id: 1 + p's object */
	size_t nids;
	double block;	     /* least seconds of a block */
	double seconds;	     /* of the current block */
	uint64_t weight;     /* of the current block */
	struct window window; /* of the current block; empty: no slice yet */
};

/* Return the seconds of a window; for one host without the time in which it was absent. */
static double seconds_of(const struct model *m, const struct query *q, struct window w)
{
	uint64_t length = w.to - w.from,
		 absent = q->host ? hostlinks_absent(&m->hosts, q->host - 1, w) : 0;

	return absent < length ? (double)(length - absent) / NSEC_PER_SEC : 0;
}

/* Return the profile's copy of a model's object, or -ENOMEM. */
static int64_t profile_object_of(struct taking *t, uint32_t id)
{
	const struct model_object *o = &t->m->dict.objects[id];
	int64_t at = (int64_t)t->by_object[id] - 1;

	if (at >= 0)
		return at;
	at = add_object(t->p, dict_string(&t->m->dict, o->name), &o->build_id);
	t->by_object[id] = at < 0 ? 0 : (uint32_t)at + 1;
	return at;
}

/* Return the row of all unnamed addresses of the object's base name, or -ENOMEM. */
static int64_t nameless_row(struct profile *p, uint32_t in)
{
	uint32_t base = p->objects[in].base;
	struct wanted w = {.name = PROFILE_NAMELESS, .len = strlen(PROFILE_NAMELESS)};
	int64_t row = (int64_t)p->nameless[base] - 1;

	if (row >= 0)
		return row;
	w.hash = hash_mix(hash_bytes(w.name, w.len), p->objects[in].hash);
	row = append_profile_row(p, &w, in);
	p->nameless[base] = row < 0 ? 0 : (uint32_t)row + 1;
	return row;
}

/* Return the row of a function, or -ENOMEM.  Within one model equal names have equal ids. */
static int64_t function_row(struct taking *t, const struct model_function *f, uint32_t flags)
{
	const struct intern *strings = t->m->dict.in[E_STRING];
	struct wanted w = {.text = f->name, .era = t->p->era};
	int64_t in = profile_object_of(t, f->object), row;

	if (in < 0 || flags & ROW_UNRESOLVED || !f->name)
		return in < 0 ? in : nameless_row(t->p, (uint32_t)in);
	w.base = t->p->objects[in].base;
	w.hash = hash_mix(intern_hash(strings, f->name), t->p->objects[in].hash);
	row = (int64_t)row_of_text(t->p, &w) - 1;
	if (row >= 0)
		return row;
	w.name = intern_key(strings, f->name, &w.len);
	row = append_profile_row(t->p, &w, (uint32_t)in);
	if (row < 0)
		return row;
	t->p->rows[row].next = t->p->by_text[f->name];
	t->p->by_text[f->name] = (uint32_t)row + 1;
	return row;
}

/* Lost samples are skipped: they belong to no function. */
static int take_function_group(struct taking *t, const struct group *g)
{
	const struct model_function *f = &t->m->dict.functions[g->id];
	uint32_t flags = rows_function_flags(&t->m->dict, g->id);
	struct profile_row *row;
	int64_t at;

	if (flags & ROW_LOST || !g->self)
		return 0;
	at = function_row(t, f, flags);
	if (at < 0)
		return -ENOMEM;
	t->by_id[g->id] = (uint32_t)at + 1;
	row = &t->p->rows[at];
	row->weight += g->self;
	row->samples += g->samples;
	row->flags |= flags;
	/* The function may be in several builds; any build-id is better than none. */
	if (!profile_build_id(t->p, row)->len)
		row->in = t->by_object[f->object] - 1;
	return 0;
}

/* Take the window's sums by function. */
static int take_function_sums(struct taking *t, struct window w)
{
	struct query q = *t->q;
	const struct rows_work *work = t->m->work;
	int ret;

	q.group = GROUP_FUNCTION;
	q.both = q.by_host = q.trend = false;
	q.self_only = true;
	ret = groups_collect(t->m, &q, w);
	if (!ret && !vec_reserve(&t->p->rows, &t->p->cap_rows, work->ngroups, sizeof(*t->p->rows)))
		ret = -ENOMEM;
	t->p->weight = work->rows.attributed;
	t->p->samples = work->rows.samples;
	for (size_t i = 0; i < work->ngroups && !ret; i++)
		ret = take_function_group(t, &work->groups[i]);
	return ret;
}

static uint32_t row_of_function(const struct taking *t, uint32_t function)
{
	return function < t->nids ? t->by_id[function] : 0;
}

static int take_history_slice(struct taking *t, const struct history_slice *s)
{
	const struct dict *d = &t->m->dict;
	int ret = 0;

	for (uint32_t i = 0; i < s->nrows && !ret; i++) {
		const struct slice_row *r = &s->rows[i];
		uint32_t row;

		if (r->event != t->q->event || d->paths[r->path].flags & FRAME_LOST ||
		    groups_idle(d, t->q, r) || groups_elsewhere(t->m->info, t->q, r))
			continue;
		t->weight += r->weight;
		row = row_of_function(t, dict_shown(d, dict_row_function(d, r)));
		if (row && groups_pick(t->m, t->q, r, &ret) && !ret)
			ret = profile_add(t->p, row - 1, r->weight);
	}
	t->seconds += seconds_of(t->m, t->q, (struct window){s->start, s->end});
	t->window = (struct window){t->window.to ? t->window.from : s->start, s->end};
	return ret;
}

static int end_taken_block(struct taking *t)
{
	int ret = profile_end_block(t->p, t->seconds, t->weight);

	if (!ret)
		t->p->blocks[t->p->nblocks - 1].window = t->window;
	t->window = (struct window){0, 0};
	t->seconds = 0;
	t->weight = 0;
	return ret;
}

/* Merge a short rest at the end into the last block. */
static int take_crumb(struct taking *t)
{
	struct profile *p = t->p;

	for (size_t i = p->ncounts; i && p->counts[i - 1].block == p->nblocks; i--)
		p->counts[i - 1].block--;
	p->blocks[p->nblocks - 1].seconds += t->seconds;
	p->blocks[p->nblocks - 1].weight += t->weight;
	p->blocks[p->nblocks - 1].window.to =
		t->window.to ? t->window.to : p->blocks[p->nblocks - 1].window.to;
	return 0;
}

/* Choose the length of blocks: that of the longest slice, if that leaves enough blocks. */
static double block_length(const struct history *h, size_t from, size_t to)
{
	double longest = 0, all = 0, block;

	for (; from < to; from++) {
		double seconds = (double)(history_at(h, from)->end - history_at(h, from)->start) /
				 NSEC_PER_SEC;

		longest = seconds > longest ? seconds : longest;
		all += seconds;
	}
	block = all / BLOCKS < BLOCK ? all / BLOCKS : BLOCK;
	if (longest > block && longest * BLOCKS_FEW <= all)
		block = longest;
	/* Slices are not split: two of 0.6 s make one block. */
	return block > BLOCK_LEAST ? block * (1 - 1e-6) : BLOCK_LEAST;
}

static int take_blocks(struct taking *t, struct window w)
{
	const struct history *h = &t->m->history;
	size_t from, to;
	int ret = 0;

	history_range(h, w, &from, &to);
	t->block = block_length(h, from, to);
	groups_pick_begin(t->m, t->q);
	for (; from < to && !ret; from++) {
		ret = take_history_slice(t, history_at(h, from));
		if (!ret && t->seconds >= t->block)
			ret = end_taken_block(t);
	}
	if (ret)
		return ret;
	return t->seconds >= t->block / 2 || !t->p->nblocks ? end_taken_block(t) : take_crumb(t);
}

/* Take the lost weight and the window's time. */
static void take_account(const struct model *m, const struct query *q, struct window w,
			 struct profile *p)
{
	struct window all =
		window_is_all(w) ? (struct window){m->total.start, m->total.end} : model_kept(m, w);
	struct account a;

	if (q->host)
		model_host_account(m, q->event, q->host - 1, w, &a);
	else
		model_account(m, q->event, ALL_CPUS, w, &a);
	/*
	 * While other events had the counter it measured nothing, whatever ran: a loss of neither
	 * side.
	 */
	p->lost = a.lost_all - a.lost[LOST_MULTIPLEXED];
	p->seconds = seconds_of(m, q, all);
}

static int take_room(struct taking *t)
{
	const struct dict *d = &t->m->dict;
	struct profile *p = t->p;
	size_t nobjects = intern_bound(d->in[E_OBJECT]) + 1; /* bounds the number of base names */

	p->era = d->era;
	p->ntexts = intern_bound(d->in[E_STRING]);
	p->nbases = nobjects + 1;
	p->by_text = calloc(p->ntexts, sizeof(*p->by_text));
	p->nameless = calloc(p->nbases, sizeof(*p->nameless));
	t->nids = intern_bound(d->in[E_FUNCTION]);
	t->by_id = calloc(t->nids + 1, sizeof(*t->by_id));
	t->by_object = calloc(nobjects, sizeof(*t->by_object));
	return p->by_text && p->nameless && t->by_id && t->by_object ? 0 : -ENOMEM;
}

int profile_take(struct model *m, const struct query *q, struct window w, struct profile *p)
{
	struct taking t = {.m = m, .q = q, .p = p};
	int ret = profile_init(p);

	if (q->event < m->info->nevents) {
		snprintf(p->event, sizeof(p->event), "%s", m->info->events[q->event].name);
		snprintf(p->unit, sizeof(p->unit), "%s",
			 m->info->events[q->event].unit ? m->info->events[q->event].unit : "");
	}
	take_account(m, q, w, p);
	if (!ret)
		ret = take_room(&t);
	if (!ret)
		ret = take_function_sums(&t, w);
	if (!ret)
		ret = take_blocks(&t, w);
	if (!ret)
		ret = profile_finish(p);
	free(t.by_id);
	free(t.by_object);
	return ret;
}
