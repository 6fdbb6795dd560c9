/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/coarsen.h"

#include <stdlib.h>

#include "base/compare.h"
#include "model/core/tally.h"

/*
 * Kept by each stage: largest rows as they are, names of the largest functions, and of each
 * object's largest.
 */
static const struct stage {
	uint32_t rows, functions, of_object;
} stages[COARSEN_STAGES] = {
	{4096, 8 * COARSEN_FUNCTIONS, 64},
	{512, COARSEN_FUNCTIONS, 16},
	{128, 128, 4},
};

struct coarsening {
	const struct stage *stage;
	struct dict *d;
	struct tally functions; /* by (event, function): their weight */
	struct tally objects;   /* by (event, object's name): number of its larger functions */
	struct tally named;     /* functions that keep their names */
};

/* Sort by event, largest first; equal ones by key, so that the order does not depend on qsort. */
static int compare_rows_by_weight(const void *a, const void *b)
{
	const struct slice_row *x = a, *y = b;

	return COMPARE(x->event, y->event) ?: COMPARE(y->weight, x->weight) ?:
	       COMPARE(x->path, y->path) ?: COMPARE(x->task, y->task) ?: COMPARE(x->cpu, y->cpu);
}

static int compare_functions_by_weight(const void *a, const void *b)
{
	const struct tally_entry *x = a, *y = b;

	return COMPARE(x->key >> 32, y->key >> 32) ?: COMPARE(y->self, x->self) ?:
	       COMPARE(x->key, y->key);
}

static bool is_kept_row(const struct dict *d, const struct slice_row *r)
{
	const struct model_path *p = &d->paths[r->path];

	return p->flags & FRAME_LOST || d->functions[p->function].flags & FUNCTION_FOLDED ||
	       dict_row_ours(d, r);
}

static bool weigh_functions(struct coarsening *t, const struct history_slice *s)
{
	for (uint32_t i = 0; i < s->nrows; i++) {
		const struct slice_row *r = &s->rows[i];
		struct tally_entry *e;

		if (is_kept_row(t->d, r))
			continue;
		e = tally_get(&t->functions, tally_key(r->event, t->d->paths[r->path].function));
		if (!e)
			return false;
		e->self += r->weight;
	}
	return true;
}

/*
 * Choose the functions that keep their names.  Leaves the slots of t->functions out of step with
 * its entries: do not look up there any more.
 */
static bool choose_functions(struct coarsening *t)
{
	uint32_t rank = 0;

	if (t->functions.nr)
		qsort(t->functions.entries, t->functions.nr, sizeof(*t->functions.entries),
		      compare_functions_by_weight);
	for (size_t i = 0; i < t->functions.nr; i++) {
		const struct tally_entry *e = &t->functions.entries[i];
		uint32_t event = (uint32_t)(e->key >> 32), function = (uint32_t)e->key;
		struct tally_entry *of = tally_get(
			&t->objects, tally_key(event, dict_function_object_name(t->d, function)));

		if (!of)
			return false;
		rank = i && event == t->functions.entries[i - 1].key >> 32 ? rank + 1 : 0;
		if ((rank < t->stage->functions || of->samples < t->stage->of_object) &&
		    !tally_get(&t->named, e->key))
			return false;
		of->samples++;
	}
	return true;
}

/* Thin all rows but the largest. */
static void coarsen_rows(struct coarsening *t, struct history_slice *s)
{
	uint32_t rank = 0;

	qsort(s->rows, s->nrows, sizeof(*s->rows), compare_rows_by_weight);
	for (uint32_t i = 0; i < s->nrows; i++) {
		struct slice_row *r = &s->rows[i];
		bool name =
			tally_find(&t->named, tally_key(r->event, t->d->paths[r->path].function));
		uint32_t path;

		rank = i && r->event == r[-1].event ? rank + 1 : 0;
		if (rank < t->stage->rows || is_kept_row(t->d, r))
			continue;
		path = name ? dict_bare_path(t->d, r->path) : dict_folded_path(t->d, r->path);
		if (!path || path == r->path)
			continue;
		r->path = path;
		s->thinned |= name ? MODEL_THIN_PATHS : MODEL_THIN_PATHS | MODEL_THIN_NAMES;
	}
}

/* --- sums by fields -------------------------------------------------------------------------- */

struct ranked {
	uint32_t list, key; /* list: event and fields */
	uint64_t count;
};

static int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return COMPARE(x->list, y->list) ?: COMPARE(y->count, x->count) ?:
	       COMPARE(x->key, y->key);
}

/* Mark the largest keys of each list as used.  False: out of memory. */
static bool choose_keys(const struct fieldpack *p, struct fieldkeys *keys, uint32_t most)
{
	struct ranked *r = malloc((p->nr + 1) * sizeof(*r));
	struct fieldpack_at at = {.nr = 0};
	struct fieldsum_row row;
	uint32_t nr = 0, rank = 0;

	if (!r)
		return false;
	while (fieldpack_next(p, &at, &row, false))
		r[nr++] = (struct ranked){(uint32_t)keys->key[row.key].event << 16 |
						  keys->key[row.key].by,
					  row.key, row.count};
	qsort(r, nr, sizeof(*r), ranked_compare);
	fieldkeys_unuse(keys);
	for (uint32_t i = 0; i < nr; i++) {
		rank = i && r[i].list == r[i - 1].list ? rank + 1 : 0;
		keys->key[r[i].key].used = rank < most;
	}
	free(r);
	return true;
}

/*
 * Add the row to the rest of its list; the rests are a pack of their own at first, as rows are
 * sorted by key.
 */
static bool add_to_rest(struct fieldpack *rests, struct fieldkeys *keys, struct fieldsum_row *row)
{
	const struct slice_field rest = {
		.event = keys->key[row->key].event, .by = keys->key[row->key].by, .rest = true};
	struct fieldpack one = {.nr = 0};
	bool ok;

	row->key = fieldkeys_get(keys, &rest);
	ok = row->key && !fieldpack_put(&one, row) && !fieldpack_add(rests, &one);
	fieldpack_clear(&one);
	return ok;
}

bool coarsen_unused(struct history_slice *s, struct fieldkeys *keys)
{
	struct fieldpack kept = {.nr = 0}, rests = {.nr = 0};
	struct fieldpack_at at = {.nr = 0};
	struct fieldsum_row row;
	bool ok = true;

	while (ok && fieldpack_next(&s->fields, &at, &row, true)) {
		bool stays = keys->key[row.key].used || keys->key[row.key].rest;

		ok = stays ? !fieldpack_put(&kept, &row) : add_to_rest(&rests, keys, &row);
	}
	ok = ok && !fieldpack_add(&kept, &rests);
	if (ok && rests.nr) {
		s->thinned |= MODEL_THIN_FIELDS;
		fieldpack_clear(&s->fields);
		fieldpack_trim(&kept);
		s->fields = kept;
		history_slice_measure(s);
	} else {
		fieldpack_clear(&kept);
	}
	fieldpack_clear(&rests);
	return ok;
}

bool coarsen_slice(struct history_slice *s, struct dict *d, struct fieldkeys *keys)
{
	struct coarsening t = {.stage = &stages[s->thin], .d = d};
	bool ok = true;

	if (s->nrows > t.stage->rows) {
		ok = weigh_functions(&t, s) && choose_functions(&t);
		if (ok)
			coarsen_rows(&t, s);
		ok = ok && history_slice_add_up(s);
	}
	if (s->fields.nr > t.stage->rows && choose_keys(&s->fields, keys, t.stage->rows))
		coarsen_unused(s, keys);
	s->thin++;
	tally_clear(&t.functions);
	tally_clear(&t.objects);
	tally_clear(&t.named);
	return ok;
}
