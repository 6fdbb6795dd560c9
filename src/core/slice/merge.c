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

#include "base/compare.h"
#include "base/hash.h"
#include "base/vec.h"

/* --- which ids must be renamed ------------------------------------------------- */

/* Renames in the earlier slice, sorted by `from`. */
struct renames {
	struct dict_move *move;
	size_t nr, cap;
};

/* Index + 1 by hash, of one part at a time. */
struct slots {
	uint32_t *at;
	size_t nr;
};

struct merge {
	struct renames renames[DICT_NR];
	uint32_t shift[DICT_NR]; /* added to the later slice's temporary ids */
	uint32_t fresh[DICT_NR]; /* temporary ids taken on top of both slices' own */
	bool renaming;
	struct slots slots; /* enough for the elements of any part with keys */
};

COMPARE_BY(move_compare, struct dict_move, from)

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

/* Return the ids of `d`'s entries, sorted, to be freed.  NULL with *nr not 0: out of memory. */
static uint32_t *delta_ids(const struct dict_delta *d, enum dict_kind kind, size_t *nr)
{
	uint32_t *ids;

	*nr = d->nr[kind];
	ids = *nr ? malloc(*nr * sizeof(*ids)) : NULL;
	if (!ids)
		return NULL;
	for (size_t i = 0; i < *nr; i++)
		ids[i] = dict_entry_id(d, kind, i);
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

static int slots_make(struct slots *s, size_t elements)
{
	for (s->nr = 64; s->nr < 2 * elements;)
		s->nr *= 2;
	s->at = malloc(s->nr * sizeof(*s->at));
	return s->at ? 0 : -ENOMEM;
}

static int merge_reserve(struct merge *m, struct slice *dst, const struct slice *src)
{
	struct dict_delta *d = &dst->dict;
	size_t most = 0;
	bool ok = dict_delta_reserve_all(d, &src->dict);

	for (int k = 0; ok && k < DICT_NR; k++)
		ok = vec_reserve(&d->moved[k], &d->cap_moved[k], d->nmoved[k] + m->renames[k].nr,
				 sizeof(struct dict_move));
	for (const struct slice_part *p = slice_parts; ok && p < slice_parts + PART_NR; p++) {
		size_t nr, more;

		part_elements(dst, p, &nr);
		part_elements(src, p, &more);
		most = p->key && nr + more > most ? nr + more : most;
		ok = part_reserve(dst, src, p);
	}
	return ok ? slots_make(&m->slots, most) : -ENOMEM;
}

/* --- nothing below fails ------------------------------------------------------- */

static void id_rename(void *arg, enum dict_kind kind, uint32_t *id)
{
	const struct merge *m = arg;
	const struct dict_move *move = move_find(&m->renames[kind], *id);

	if (move)
		*id = move->to;
}

static void id_shift(void *arg, enum dict_kind kind, uint32_t *id)
{
	const struct merge *m = arg;

	if (*id >= DICT_TEMP)
		*id += m->shift[kind];
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
		d->nreleased[k] = kept;
		d->ntemps[k] += m->fresh[k];
		e->nmoved[k] = 0; /* these are among the renames */
	}
	dict_delta_append(d, e);
}

/* Put an element behind the first *nr, or add it to the one of these that has its key. */
static void combine_element(struct slots *s, const struct slice_part *p, char *elements, size_t *nr,
			    const char *element)
{
	size_t i = hash_bytes(element, p->key) & (s->nr - 1);

	for (; s->at[i]; i = (i + 1) & (s->nr - 1)) {
		char *found = elements + (s->at[i] - 1) * p->size;

		if (!memcmp(found, element, p->key)) {
			p->add(found, element);
			return;
		}
	}
	if (elements + *nr * p->size != element)
		memcpy(elements + *nr * p->size, element, p->size);
	s->at[i] = (uint32_t)++*nr;
}

/* Sum up elements of equal keys.  Return the number left. */
static size_t combine(struct slots *s, const struct slice_part *p, char *elements, size_t nr)
{
	size_t kept = 0;

	memset(s->at, 0, s->nr * sizeof(*s->at));
	for (size_t i = 0; i < nr; i++)
		combine_element(s, p, elements, &kept, elements + i * p->size);
	return kept;
}

int part_combine(enum part_id id, void *elements, size_t *nr)
{
	struct slots s;
	int ret = slots_make(&s, *nr);

	if (ret)
		return ret;
	*nr = combine(&s, &slice_parts[id], elements, *nr);
	free(s.at);
	return 0;
}

size_t part_add_up(enum part_id id, void *to, size_t was, const void *from, size_t nr)
{
	const struct slice_part *p = &slice_parts[id];

	for (size_t i = 0; i < nr && i < was; i++)
		p->add((char *)to + i * p->size, (const char *)from + i * p->size);
	if (nr <= was)
		return was;
	memcpy((char *)to + was * p->size, (const char *)from + was * p->size,
	       (nr - was) * p->size);
	return nr;
}

static void merge_part(struct merge *m, enum part_id id, struct slice *dst, struct slice *src)
{
	const struct slice_part *p = &slice_parts[id];
	size_t nr, all;
	char *from = part_elements(src, p, &nr), *to = part_elements(dst, p, &all);

	if (p->flags & PART_BY_INDEX) {
		part_set_number(dst, p, part_add_up(id, to, all, from, nr));
		return;
	}
	part_append(dst, src, p);
	if (p->compare || p->text)
		part_fold(dst, p);
	else if (p->key)
		part_set_number(dst, p, combine(&m->slots, p, to, all + nr));
	else if (p->fold && nr)
		p->fold(dst);
}

static void merge_self(struct slice_self *a, const struct slice_self *b)
{
	struct slice_self was = *a;

	*a = *b;
	slice_self_add(a, &was);
	a->merged++;
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
			slice_visit_ids(dst, id_rename, &m);
			slice_visit_ids(src, id_shift, &m);
		}
		merge_dict(&m, &dst->dict, &src->dict);
		slice_logging_add(&dst->logging, &src->logging);
		for (int id = 0; id < PART_NR; id++)
			merge_part(&m, id, dst, src);
		merge_self(&dst->self, &src->self);
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
	free(m.slots.at);
	return ret;
}
