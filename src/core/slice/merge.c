/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hard part of merging is the dictionary: an id that the first slice released may mean
 * something else in the second.  The first meaning is then renamed to a temporary id, in the first
 * slice only, and a move tells receivers that already know the id under its old name.  Merging
 * never drops an entry and never touches a row's counts other than by adding.
 */
#include "core/slice/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* --- which ids must be renamed ------------------------------------------------- */

/* Renames in the earlier slice, sorted by `from`. */
struct renames {
	struct dict_move *move;
	size_t nr, cap;
};

struct merge {
	struct renames renames[DICT_NR];
	uint32_t shift[DICT_NR]; /* added to the later slice's temporary ids */
	uint32_t fresh[DICT_NR]; /* temporary ids taken on top of both slices' own */
	bool renaming;
	uint32_t *slots; /* row index + 1 by hash */
	size_t nslots;
};

static int move_compare(const void *a, const void *b)
{
	const struct dict_move *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int compare_dict_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static struct dict_move *move_find(const struct renames *r, uint32_t id)
{
	struct dict_move key = {.from = id};

	return r->nr ? bsearch(&key, r->move, r->nr, sizeof(key), move_compare) : NULL;
}

static uint32_t entry_id(const struct dict_delta *d, enum dict_kind kind, size_t i)
{
	uint32_t id;

	memcpy(&id, dict_entries(d, kind) + i * dict_shapes[kind].size, sizeof(id));
	return id;
}

/* Return the ids of `d`'s entries, sorted, to be freed.  NULL with *nr not 0: out of memory. */
static uint32_t *delta_ids(const struct dict_delta *d, enum dict_kind kind, size_t *nr)
{
	uint32_t *ids;

	*nr = d->nr[kind];
	ids = *nr ? malloc(*nr * sizeof(*ids)) : NULL;
	if (!ids)
		return NULL;
	for (size_t i = 0; i < *nr; i++)
		ids[i] = entry_id(d, kind, i);
	qsort(ids, *nr, sizeof(*ids), compare_dict_ids);
	return ids;
}

static bool renames_add(struct renames *r, uint32_t from, uint32_t to)
{
	return VEC_PUSH(r->move, r->nr, r->cap, (struct dict_move){from, to});
}

/*
 * Collect the ids to rename in dst: those that were released there and that src gives out again,
 * and those whose meaning at dst's end src, itself a merged slice, has moved.
 */
static int renames_collect(struct merge *m, enum dict_kind kind, const struct dict_delta *dst,
			   const struct dict_delta *src)
{
	struct renames *r = &m->renames[kind];
	size_t nreused = 0, nreleased;
	uint32_t *reused = NULL;
	bool ok = true;

	m->shift[kind] = dst->ntemps[kind];
	if (dst->nreleased[kind]) {
		reused = delta_ids(src, kind, &nreused);
		if (nreused && !reused)
			return -ENOMEM;
	}
	for (size_t i = 0; ok && nreused && i < dst->nreleased[kind]; i++) {
		uint32_t id = dst->released[kind][i];

		if (bsearch(&id, reused, nreused, sizeof(id), compare_dict_ids))
			ok = renames_add(r, id, DICT_TEMP + dst->ntemps[kind] + src->ntemps[kind] +
							m->fresh[kind]++);
	}
	free(reused);
	if (r->nr)
		qsort(r->move, r->nr, sizeof(*r->move), move_compare);
	nreleased = r->nr;
	for (size_t i = 0; ok && i < src->nmoved[kind]; i++) {
		struct renames released = {.move = r->move, .nr = nreleased};

		if (!move_find(&released, src->moved[kind][i].from))
			ok = renames_add(r, src->moved[kind][i].from,
					 src->moved[kind][i].to + m->shift[kind]);
	}
	if (r->nr > nreleased)
		qsort(r->move, r->nr, sizeof(*r->move), move_compare);
	m->renaming |= r->nr || m->shift[kind];
	return ok ? 0 : -ENOMEM;
}

static int slots_make(struct merge *m, size_t rows)
{
	for (m->nslots = 64; m->nslots < 2 * rows;)
		m->nslots *= 2;
	m->slots = calloc(m->nslots, sizeof(*m->slots));
	return m->slots ? 0 : -ENOMEM;
}

static int merge_reserve(struct merge *m, struct slice *dst, const struct slice *src)
{
	struct dict_delta *d = &dst->dict;
	const struct dict_delta *e = &src->dict;
	bool ok = true;

	for (int k = 0; ok && k < DICT_NR; k++) {
		ok = dict_delta_reserve(d, k, d->nr[k] + e->nr[k]) &&
		     vec_reserve(&d->released[k], &d->cap_released[k],
				 d->nreleased[k] + e->nreleased[k], sizeof(uint32_t)) &&
		     vec_reserve(&d->moved[k], &d->cap_moved[k], d->nmoved[k] + m->renames[k].nr,
				 sizeof(struct dict_move));
	}
	ok = ok &&
	     vec_reserve(&dst->rows, &dst->cap_rows, dst->nrows + src->nrows, sizeof(*dst->rows)) &&
	     vec_reserve(&dst->accounts, &dst->cap_accounts, dst->naccounts + src->naccounts,
			 sizeof(*dst->accounts)) &&
	     vec_reserve(&dst->counters, &dst->cap_counters, dst->ncounters + src->ncounters,
			 sizeof(*dst->counters)) &&
	     vec_reserve(&dst->fields, &dst->cap_fields, dst->nfields + src->nfields,
			 sizeof(*dst->fields)) &&
	     vec_reserve(&dst->gauges, &dst->cap_gauges, src->ngauges, sizeof(*dst->gauges)) &&
	     vec_reserve(&dst->aux, &dst->cap_aux, src->naux, sizeof(*dst->aux)) &&
	     vec_reserve(&dst->hosts, &dst->cap_hosts, src->nhosts, sizeof(*dst->hosts)) &&
	     vec_reserve(&dst->changes, &dst->cap_changes, dst->nchanges + src->nchanges,
			 sizeof(*dst->changes)) &&
	     vec_reserve(&dst->lists, &dst->cap_lists, dst->nlists + src->nlists,
			 sizeof(*dst->lists)) &&
	     vec_reserve(&dst->throttles, &dst->cap_throttles, dst->nthrottles + src->nthrottles,
			 sizeof(*dst->throttles)) &&
	     vec_reserve(&dst->snapshots, &dst->cap_snapshots, dst->nsnapshots + src->nsnapshots,
			 sizeof(*dst->snapshots)) &&
	     vec_reserve(&dst->logs, &dst->cap_logs, dst->nlogs + src->nlogs, sizeof(*dst->logs)) &&
	     vec_reserve(&dst->logged, &dst->cap_logged, dst->nlogged + src->nlogged,
			 sizeof(*dst->logged)) &&
	     vec_reserve(&dst->codes, &dst->cap_codes, dst->ncodes + src->ncodes,
			 sizeof(*dst->codes));
	if (!ok)
		return -ENOMEM;
	return slots_make(m, dst->nrows + src->nrows);
}

/* --- nothing below fails ------------------------------------------------------- */

static void id_rename(const struct merge *m, enum dict_kind kind, uint32_t *id)
{
	const struct dict_move *move = move_find(&m->renames[kind], *id);

	if (move)
		*id = move->to;
}

static void id_shift(const struct merge *m, enum dict_kind kind, uint32_t *id)
{
	if (*id >= DICT_TEMP)
		*id += m->shift[kind];
}

typedef void id_change(const struct merge *m, enum dict_kind kind, uint32_t *id);

static void slice_change_ids(const struct merge *m, struct slice *s, id_change *change)
{
	for (int k = 0; k < DICT_NR; k++) {
		char *entry = dict_entries(&s->dict, k);

		for (size_t i = 0; i < s->dict.nr[k]; i++, entry += dict_shapes[k].size) {
			change(m, k, (uint32_t *)(void *)entry);
			for (unsigned r = 0; r < dict_shapes[k].nrefs; r++)
				change(m, dict_shapes[k].refs[r].kind,
				       (uint32_t *)(void *)(entry + dict_shapes[k].refs[r].offset));
		}
	}
	for (size_t i = 0; i < s->nrows; i++) {
		change(m, DICT_PATH, &s->rows[i].path);
		change(m, DICT_TASK, &s->rows[i].task);
	}
	for (size_t i = 0; i < s->nfields; i++)
		change(m, DICT_PATH, &s->fields[i].path);
}

/*
 * Add the renames to d's moves, but for ids that d has moved already: in the rest of d such an id
 * means something made inside d, which no receiver knows.
 */
static void merge_moves(const struct merge *m, struct dict_delta *d, enum dict_kind kind)
{
	struct renames old = {.move = d->moved[kind], .nr = d->nmoved[kind]};

	for (size_t i = 0; i < m->renames[kind].nr; i++) {
		struct dict_move move = m->renames[kind].move[i];

		if (!move_find(&old, move.from))
			d->moved[kind][d->nmoved[kind]++] = move;
	}
	if (d->nmoved[kind])
		qsort(d->moved[kind], d->nmoved[kind], sizeof(struct dict_move), move_compare);
}

static void merge_dict(const struct merge *m, struct dict_delta *d, struct dict_delta *e)
{
	for (int k = 0; k < DICT_NR; k++) {
		size_t kept = 0;

		merge_moves(m, d, k);
		for (size_t i = 0; i < d->nreleased[k]; i++)
			if (!move_find(&m->renames[k], d->released[k][i]))
				d->released[k][kept++] = d->released[k][i];
		if (e->nreleased[k])
			memcpy(d->released[k] + kept, e->released[k],
			       e->nreleased[k] * sizeof(uint32_t));
		d->nreleased[k] = kept + e->nreleased[k];
		if (e->nr[k])
			memcpy(dict_entries(d, k) + d->nr[k] * dict_shapes[k].size,
			       dict_entries(e, k), e->nr[k] * dict_shapes[k].size);
		d->nr[k] += e->nr[k];
		e->nr[k] = 0; /* the strings' bytes are d's now */
		d->ntemps[k] += e->ntemps[k] + m->fresh[k];
	}
}

static bool is_same_row(const struct slice_row *a, const struct slice_row *b)
{
	return a->path == b->path && a->task == b->task && a->event == b->event && a->cpu == b->cpu;
}

static void merge_row(struct merge *m, struct slice *dst, const struct slice_row *r)
{
	uint64_t h = hash_mix((uint64_t)r->path << 32 | r->task,
			      (uint64_t)r->event << 16 | r->cpu);
	size_t i = hash_u64(h) & (m->nslots - 1);
	struct slice_row *found;

	for (; m->slots[i]; i = (i + 1) & (m->nslots - 1)) {
		found = &dst->rows[m->slots[i] - 1];
		if (is_same_row(found, r)) {
			found->samples += r->samples;
			found->weight += r->weight;
			return;
		}
	}
	dst->rows[dst->nrows++] = *r;
	m->slots[i] = (uint32_t)dst->nrows;
}

static void merge_own_rows(struct merge *m, struct slice *s)
{
	size_t nr = s->nrows;

	s->nrows = 0;
	for (size_t i = 0; i < nr; i++) {
		struct slice_row r = s->rows[i];

		merge_row(m, s, &r);
	}
}

static void merge_rows(struct merge *m, struct slice *dst, const struct slice *src)
{
	merge_own_rows(m, dst);
	for (size_t i = 0; i < src->nrows; i++)
		merge_row(m, dst, &src->rows[i]);
}

int slice_combine(struct slice *s)
{
	struct merge m = {.renaming = false};
	int ret = slots_make(&m, s->nrows);

	if (!ret)
		merge_own_rows(&m, s);
	free(m.slots);
	return ret;
}

static void merge_account(struct slice_account *a, const struct slice_account *b)
{
	a->exact &= b->exact;
	a->throttles += b->throttles;
	a->samples += b->samples;
	a->counted += b->counted;
	a->attributed += b->attributed;
	for (int c = 0; c < LOST_NR; c++) {
		a->lost[c] += b->lost[c];
		a->lost_samples[c] += b->lost_samples[c];
	}
	a->unsampled += b->unsampled;
	for (int i = 0; i < UNSAMPLED_NR; i++)
		a->unsampled_why[i] += b->unsampled_why[i];
	a->pending = b->pending;
	a->stat_ns += b->stat_ns;
	a->stat_idle += b->stat_idle;
	a->stat_stolen += b->stat_stolen;
	a->stat_user += b->stat_user;
	a->stat_kernel += b->stat_kernel;
	a->enabled += b->enabled;
	a->starved += b->starved;
	a->others += b->others;
}

static void merge_accounts(struct slice *dst, const struct slice *src)
{
	for (size_t i = 0; i < src->naccounts; i++) {
		const struct slice_account *b = &src->accounts[i];
		size_t j = 0;

		while (j < dst->naccounts &&
		       (dst->accounts[j].event != b->event || dst->accounts[j].cpu != b->cpu))
			j++;
		if (j < dst->naccounts)
			merge_account(&dst->accounts[j], b);
		else
			dst->accounts[dst->naccounts++] = *b;
	}
}

static void merge_gauges(struct slice *dst, const struct slice *src)
{
	for (size_t i = 0; i < src->ngauges; i++) {
		if (i < dst->ngauges)
			slice_gauge_add(&dst->gauges[i], &src->gauges[i]);
		else
			dst->gauges[dst->ngauges++] = src->gauges[i];
	}
}

static void merge_counters(struct slice *dst, const struct slice *src)
{
	if (!src->ncounters)
		return;
	memcpy(dst->counters + dst->ncounters, src->counters,
	       src->ncounters * sizeof(*src->counters));
	dst->ncounters = slice_counters_fold(dst->counters, dst->ncounters + src->ncounters);
}

static void merge_fields(struct slice *dst, const struct slice *src)
{
	if (!src->nfields)
		return;
	memcpy(dst->fields + dst->nfields, src->fields, src->nfields * sizeof(*src->fields));
	dst->nfields =
		slice_fields_limit(dst->fields, dst->nfields + src->nfields, SLICE_FIELDS_MOST);
}

static void merge_throttles(struct slice *dst, const struct slice *src)
{
	if (!src->nthrottles)
		return;
	memcpy(dst->throttles + dst->nthrottles, src->throttles,
	       src->nthrottles * sizeof(*src->throttles));
	dst->nthrottles = slice_throttles_fold(dst->throttles, dst->nthrottles + src->nthrottles);
}

static void merge_aux(struct slice *dst, struct slice *src)
{
	for (size_t i = 0; i < src->naux; i++) {
		if (i < dst->naux)
			slice_aux_add(&dst->aux[i], &src->aux[i]);
		else
			dst->aux[dst->naux++] = src->aux[i];
	}
	if (src->nsnapshots)
		memcpy(dst->snapshots + dst->nsnapshots, src->snapshots,
		       src->nsnapshots * sizeof(*src->snapshots));
	dst->nsnapshots += src->nsnapshots;
	src->nsnapshots = 0; /* the texts are dst's now */
	if (!src->pt)
		return;
	slice_pt_free(dst->pt);
	dst->pt = src->pt;
	src->pt = NULL;
}

static void merge_self(struct slice_self *a, const struct slice_self *b)
{
	struct slice_self was = *a;

	*a = *b;
	slice_self_add(a, &was);
	a->merged++;
}

static void merge_hosts(struct slice *dst, const struct slice *src)
{
	for (size_t i = 0; i < src->nhosts; i++) {
		struct slice_host was = i < dst->nhosts ? dst->hosts[i] : (struct slice_host){0};

		dst->hosts[i] = src->hosts[i];
		slice_host_add(&dst->hosts[i], &was);
	}
	if (src->nhosts > dst->nhosts)
		dst->nhosts = src->nhosts;
}

static void merge_changes(struct slice *dst, struct slice *src)
{
	if (src->nchanges)
		memcpy(dst->changes + dst->nchanges, src->changes,
		       src->nchanges * sizeof(*src->changes));
	dst->nchanges += src->nchanges;
	if (src->nlists)
		memcpy(dst->lists + dst->nlists, src->lists, src->nlists * sizeof(*src->lists));
	dst->nlists += src->nlists;
	if (!src->between)
		return;
	free(dst->between);
	dst->between = src->between;
	src->between = NULL;
}

static void merge_logs(struct slice *dst, struct slice *src)
{
	if (src->nlogs)
		memcpy(dst->logs + dst->nlogs, src->logs, src->nlogs * sizeof(*src->logs));
	dst->nlogs += src->nlogs;
	src->nlogs = 0; /* the texts are dst's now */
}

static void merge_logged(struct slice *dst, struct slice *src)
{
	if (src->nlogged)
		memcpy(dst->logged + dst->nlogged, src->logged,
		       src->nlogged * sizeof(*src->logged));
	dst->nlogged += src->nlogged;
	src->nlogged = 0; /* the texts are dst's now */
	slice_logging_add(&dst->logging, &src->logging);
	slice_logged_trim(dst->logged, &dst->nlogged, SLICE_LOGGED_MOST, &dst->logging);
}

static void merge_codes(struct slice *dst, struct slice *src)
{
	if (src->ncodes)
		memcpy(dst->codes + dst->ncodes, src->codes, src->ncodes * sizeof(*src->codes));
	dst->ncodes += src->ncodes;
	src->ncodes = 0;
}

int slice_merge(struct slice *dst, struct slice *src)
{
	struct merge m = {.renaming = false};
	int ret = 0;

	for (int k = 0; !ret && k < DICT_NR; k++)
		ret = renames_collect(&m, k, &dst->dict, &src->dict);
	if (!ret)
		ret = merge_reserve(&m, dst, src);
	if (!ret) {
		if (m.renaming) {
			slice_change_ids(&m, dst, id_rename);
			slice_change_ids(&m, src, id_shift);
		}
		merge_dict(&m, &dst->dict, &src->dict);
		merge_rows(&m, dst, src);
		merge_accounts(dst, src);
		merge_counters(dst, src);
		merge_fields(dst, src);
		merge_throttles(dst, src);
		slice_move_latency(dst, src);
		merge_gauges(dst, src);
		merge_aux(dst, src);
		merge_self(&dst->self, &src->self);
		merge_hosts(dst, src);
		merge_changes(dst, src);
		merge_logged(dst, src);
		merge_logs(dst, src);
		merge_codes(dst, src);
		dst->end = src->end;
		dst->wall = src->wall;
		dst->last = src->last;
		memcpy(dst->helpers, src->helpers, sizeof(dst->helpers));
		dst->recording = src->recording;
		dst->progress = src->progress;
		slice_free(src);
	}
	for (int k = 0; k < DICT_NR; k++)
		free(m.renames[k].move);
	free(m.slots);
	return ret;
}
