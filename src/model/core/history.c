/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A deque of slices.  Merging adds rows with equal keys.  If more tasks have exited than a slice of
 * 10 s can usefully name, they become one exited task per comm, or a fork storm would leave no room
 * for anything else.
 */
#include "model/core/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/search.h"
#include "base/vec.h"
#include "core/slice/merge.h"
#include "model/core/coarsen.h"

#define KEEP_FINE  10   /* newest slices that are never merged */
#define FOLD_TASKS 256  /* exited tasks that a merged slice names before it folds them */

static const uint64_t level_ns[LEVEL_NR] = {0, NSEC_PER_SEC, 10 * NSEC_PER_SEC};
/* ns that a level reaches back at most: fine enough to look at the recent past */
static const uint64_t level_age[LEVEL_NR] = {20000000000, 600000000000, UINT64_MAX};

/* Least part of the budget: 1/2, 1/4, 1/4. */
static const unsigned level_part[LEVEL_NR] = {2, 4, 4};

void history_slice_free(struct history_slice *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s->accounts.span);
	free(s->gauges);
	free(s->aux);
	free(s->sums);
	free(s->links);
	partsums_clear(&s->parts);
	fieldpack_clear(&s->fields);
	activity_clear(&s->pulse);
	free(s);
}

void history_slice_measure(struct history_slice *s)
{
	s->bytes = sizeof(*s) + s->nrows * sizeof(*s->rows) +
		   s->accounts.cap * sizeof(*s->accounts.span) + s->ngauges * sizeof(*s->gauges) +
		   partsums_bytes(&s->parts) + s->naux * sizeof(*s->aux) +
		   s->nsums * sizeof(*s->sums) + s->nlinks * sizeof(*s->links) + s->fields.cap +
		   s->pulse.nr * sizeof(*s->pulse.part) + 64; /* malloc's own */
}

struct history_slice *history_slice_create(size_t nrows, size_t naccounts, size_t ngauges,
					   size_t nevents)
{
	struct history_slice *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->rows = malloc(nrows * sizeof(*s->rows) + 1);
	s->accounts.span = malloc(naccounts * sizeof(*s->accounts.span) + 1);
	s->accounts.cap = naccounts;
	s->gauges = malloc(ngauges * sizeof(*s->gauges) + 1);
	s->sums = calloc(nevents + 1, sizeof(*s->sums));
	s->nsums = (uint32_t)nevents;
	if (!s->rows || !s->accounts.span || !s->gauges || !s->sums) {
		history_slice_free(s);
		return NULL;
	}
	return s;
}

int history_slice_reserve(struct history_slice *s, size_t naux, size_t nlinks)
{
	s->aux = naux ? malloc(naux * sizeof(*s->aux)) : NULL;
	s->links = nlinks ? malloc(nlinks * sizeof(*s->links)) : NULL;
	return (naux && !s->aux) || (nlinks && !s->links) ? -ENOMEM : 0;
}

void history_link_add(struct history_link *to, const struct history_link *from)
{
	to->bytes_in += from->bytes_in;
	to->bytes_out += from->bytes_out;
	to->merged += from->merged;
	to->folded_samples += from->folded_samples;
	to->folded_rows += from->folded_rows;
}

int history_append(struct history *h, struct history_slice *s)
{
	if (h->first && h->first + h->nr == h->cap) {
		memmove(h->slices, h->slices + h->first, h->nr * sizeof(struct history_slice *));
		h->first = 0;
	}
	if (!vec_reserve(&h->slices, &h->cap, h->first + h->nr + 1, sizeof(struct history_slice *)))
		return -ENOMEM;
	history_slice_measure(s);
	h->slices[h->first + h->nr++] = s;
	h->bytes[s->level] += s->bytes;
	h->taken++;
	return 0;
}

/* --- merging ---------------------------------------------------------------------------- */

#define FOLDED_LATELY 64

/* The folded tasks of exited ones lately met, by task id: a thread has many rows. */
struct folded {
	uint32_t task, to; /* 0: none */
};

static void self_add(struct slice_self *a, const struct slice_self *b)
{
	struct slice_self was = *a;

	*a = *b;
	slice_self_add(a, &was);
}

static bool task_over(const struct dict *d, uint32_t task)
{
	uint32_t flags = d->tasks[task].flags;

	return flags & (TASK_EXITED | TASK_GONE) && !(flags & (TASK_FOLDED | TASK_SELF));
}

/* Rows of exited tasks mostly come alone, so counting rows is as good as counting tasks. */
static bool rows_fold(const struct dict *d, struct history_slice *const *s, size_t nr)
{
	size_t over = 0;

	for (size_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < s[i]->nrows; j++)
			over += task_over(d, s[i]->rows[j].task);
	return over > FOLD_TASKS;
}

/* Return the folded task for an exited one. 0: out of memory. */
static uint32_t folded_task(struct folded *lately, struct dict *d, uint32_t task)
{
	struct folded *f = &lately[task % FOLDED_LATELY];

	if (f->task != task)
		*f = (struct folded){task, dict_folded_task(d, task)};
	return f->to;
}

/* Put all rows into out, which has room for them.  0 or -ENOMEM. */
static int rows_merge(struct history_slice *out, struct dict *d, struct history_slice *const *s,
		      size_t nr)
{
	struct folded lately[FOLDED_LATELY] = {{0}};
	bool fold = rows_fold(d, s, nr);
	size_t rows = 0;
	int ret;

	for (size_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < s[i]->nrows; j++) {
			struct slice_row *r = &out->rows[rows++];
			uint32_t folded;

			*r = s[i]->rows[j];
			folded = fold && task_over(d, r->task) ? folded_task(lately, d, r->task)
							       : 0;
			r->task = folded ? folded : r->task;
		}
	ret = part_combine(PART_ROWS, out->rows, &rows);
	out->nrows = (uint32_t)rows;
	return ret;
}

static void links_add(struct history_slice *out, const struct history_slice *s)
{
	for (uint32_t i = 0; i < s->nlinks; i++) {
		if (i < out->nlinks)
			history_link_add(&out->links[i], &s->links[i]);
		else
			out->links[out->nlinks++] = s->links[i];
	}
}

static int merge_into(struct history_slice *out, struct dict *d, struct history_slice *const *s,
		      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < s[i]->accounts.nr; j++)
			if (accounts_add(&out->accounts, &s[i]->accounts.span[j], j))
				return -ENOMEM;
		if (fieldpack_add(&out->fields, &s[i]->fields) ||
		    partsums_add(&out->parts, &s[i]->parts))
			return -ENOMEM;
		out->ngauges = (uint32_t)part_add_up(PART_GAUGES, out->gauges, out->ngauges,
						     s[i]->gauges, s[i]->ngauges);
		out->naux = (uint32_t)part_add_up(PART_AUX, out->aux, out->naux, s[i]->aux,
						  s[i]->naux);
		links_add(out, s[i]);
		for (uint32_t e = 0; e < s[i]->nsums; e++)
			out->sums[e].weight += s[i]->sums[e].weight;
		self_add(&out->self, &s[i]->self);
		out->thinned |= s[i]->thinned;
	}
	return rows_merge(out, d, s, nr);
}

static void rows_trim(struct history_slice *s)
{
	struct slice_row *shrunk = realloc(s->rows, s->nrows * sizeof(*shrunk) + 1);

	if (shrunk)
		s->rows = shrunk;
	fieldpack_trim(&s->fields);
	history_slice_measure(s);
}

static struct history_slice *slices_merge(struct dict *d, struct history_slice *const *s, size_t nr,
					  uint8_t level)
{
	struct history_slice *out;
	size_t rows = 0, gauges = 0, aux = 0, links = 0;

	for (size_t i = 0; i < nr; i++) {
		rows += s[i]->nrows;
		gauges = s[i]->ngauges > gauges ? s[i]->ngauges : gauges;
		aux = s[i]->naux > aux ? s[i]->naux : aux;
		links = s[i]->nlinks > links ? s[i]->nlinks : links;
	}
	out = history_slice_create(rows, s[0]->accounts.nr, gauges, s[nr - 1]->nsums);
	if (out && !history_slice_reserve(out, aux, links) && !merge_into(out, d, s, nr)) {
		out->start = s[0]->start;
		out->end = s[nr - 1]->end;
		out->level = level;
		activity_merge(&out->pulse, s, nr, level);
		rows_trim(out);
	} else {
		history_slice_free(out);
		out = NULL;
	}
	return out;
}

/* --- thinning --------------------------------------------------------------------------- */

bool history_slice_add_up(struct history_slice *s)
{
	size_t rows = s->nrows;

	if (part_combine(PART_ROWS, s->rows, &rows))
		return false;
	s->nrows = (uint32_t)rows;
	rows_trim(s);
	return true;
}

/* Names are worth more than a long history, except in the last few minutes. */
static uint8_t coarsen_stages(const struct history *h)
{
	uint64_t reach = history_at(h, h->nr - 1)->end - history_at(h, 0)->start;

	return reach > COARSEN_REACH_NS ? COARSEN_STAGES - 1 : COARSEN_STAGES;
}

/*
 * Thin the oldest slice of the last level, all of them once before any of them again.  False: none
 * is left.
 */
static bool history_coarsen(struct history *h, struct dict *d)
{
	for (uint8_t stage = 0; stage < coarsen_stages(h); stage++)
		for (size_t i = 0; i < h->nr && history_at(h, i)->level == LEVEL_TEN; i++) {
			struct history_slice *s = h->slices[h->first + i];
			size_t bytes = s->bytes;

			if (s->thin != stage)
				continue;
			coarsen_slice(s, d, h->keys);
			if (s->bytes == bytes)
				continue;
			h->bytes[LEVEL_TEN] -= bytes - s->bytes;
			h->thinned++;
			return true;
		}
	return false;
}

bool history_unused(struct history *h)
{
	bool ok = true;

	for (size_t i = 0; i < h->nr; i++) {
		struct history_slice *s = h->slices[h->first + i];

		h->bytes[s->level] -= s->bytes;
		ok &= coarsen_unused(s, h->keys);
		h->bytes[s->level] += s->bytes;
	}
	return ok;
}

static void history_drop(struct history *h, size_t at, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct history_slice *s = h->slices[h->first + at + i];

		h->bytes[s->level] -= s->bytes;
		history_slice_free(s);
	}
	if (at == 0)
		h->first += nr;
	else
		memmove(h->slices + h->first + at, h->slices + h->first + at + nr,
			(h->nr - at - nr) * sizeof(struct history_slice *));
	h->nr -= nr;
}

static size_t level_first(const struct history *h, uint8_t level)
{
	size_t i = 0;

	while (i < h->nr && history_at(h, i)->level > level)
		i++;
	return i;
}

/* Return true if an end of the held window lies between this slice and the one before it. */
static bool held_before(const struct history *h, size_t at)
{
	uint64_t before = history_at(h, at - 1)->end, end = history_at(h, at)->end;

	return (before <= h->held.from && h->held.from < end) ||
	       (before <= h->held.to && h->held.to < end);
}

/*
 * Merge the oldest slices of a level that belong into one of the next, and into the part of it
 * merged before.  False: nothing to merge.
 */
static bool level_merge(struct history *h, struct dict *d, uint8_t level)
{
	size_t at = level_first(h, level), nr = 1, keep = level == LEVEL_FINE ? KEEP_FINE : 0;
	uint64_t ns = level_ns[level + 1], bucket;
	struct history_slice *merged;

	if (at + KEEP_FINE >= h->nr || history_at(h, at)->level != level)
		return false;
	bucket = (history_at(h, at)->end - 1) / ns;
	if (at && (history_at(h, at - 1)->end - 1) / ns == bucket && !held_before(h, at)) {
		at--;
		nr++;
	}
	while (at + nr + keep < h->nr && history_at(h, at + nr)->level == level &&
	       (history_at(h, at + nr)->end - 1) / ns == bucket && !held_before(h, at + nr))
		nr++;
	merged = slices_merge(d, h->slices + h->first + at, nr, level + 1);
	if (!merged)
		return false;
	h->merged += nr;
	history_drop(h, at + 1, nr - 1);
	h->bytes[history_at(h, at)->level] -= history_at(h, at)->bytes;
	history_slice_free(h->slices[h->first + at]);
	h->slices[h->first + at] = merged;
	h->bytes[level + 1] += merged->bytes;
	return true;
}

/*
 * Return true if the oldest slice of a level is older than the level keeps.  Long runs stay small
 * by that alone.
 */
static bool level_aged(const struct history *h, uint8_t level)
{
	size_t at = level_first(h, level);

	return at < h->nr &&
	       history_at(h, at)->end + level_age[level] < history_at(h, h->nr - 1)->end;
}

/*
 * Return the last level's part of the budget, everything that finer levels leave: there a byte
 * covers most time.
 */
static size_t last_part(const struct history *h, size_t budget)
{
	size_t least = budget / level_part[LEVEL_TEN],
	       finer = history_bytes(h) - h->bytes[LEVEL_TEN];

	return finer + least < budget ? budget - finer : least;
}

void history_shrink(struct history *h, struct dict *d, size_t budget)
{
	for (uint8_t level = LEVEL_FINE; level < LEVEL_TEN; level++)
		while ((h->bytes[level] > budget / level_part[level] || level_aged(h, level)) &&
		       level_merge(h, d, level))
			;
	while (h->nr > KEEP_FINE && history_at(h, 0)->level == LEVEL_TEN &&
	       h->bytes[LEVEL_TEN] > last_part(h, budget)) {
		if (history_coarsen(h, d))
			continue;
		history_drop(h, 0, 1);
		h->forgotten++;
	}
	/* Merging found no memory, or a few slices alone are too large. */
	while (h->nr > KEEP_FINE && history_bytes(h) > budget) {
		history_drop(h, 0, 1);
		h->forgotten++;
	}
}

/* --- reading ---------------------------------------------------------------------------- */

/* Return the index of the first slice that ends after this time. */
static size_t history_after(const struct history *h, uint64_t time)
{
	return SEARCH_WHILE(i, 0, h->nr, history_at(h, i)->end <= time);
}

void history_range(const struct history *h, struct window w, size_t *from, size_t *to)
{
	*from = *to = history_after(h, w.from);
	if (w.to <= w.from)
		return;
	*to = history_after(h, w.to);
	if (*to < h->nr && history_at(h, *to)->start < w.to)
		++*to;
	if (*to < *from)
		*to = *from;
}

uint64_t history_serial(const struct history *h, struct window w)
{
	size_t from, to;

	history_range(h, w, &from, &to);
	return 1 + history_done(h) + h->taken - (h->nr - to);
}

size_t history_bytes(const struct history *h)
{
	size_t bytes = h->cap * sizeof(*h->slices);

	for (int l = 0; l < LEVEL_NR; l++)
		bytes += h->bytes[l];
	return bytes;
}

void history_clear(struct history *h)
{
	history_drop(h, 0, h->nr);
	free(h->slices);
	*h = (struct history){.keys = h->keys};
}
