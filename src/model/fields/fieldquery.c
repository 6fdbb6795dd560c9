/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window is summed once for all queries, and its rows are sorted once per query: moving the
 * selection among 100 000 rows repeats neither.
 */
#include "model/fields/fieldquery.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/vec.h"
#include "model/fields/fieldblocks.h"
#include "model/rows/rowfilter.h"
#include "model/rows/rows.h"
#include "model/core/state.h"

struct cell {
	uint64_t count, sum, min, max;
};

/* Sums of a window, or of a part of it. */
struct cells {
	struct cell *cell; /* by key */
	size_t nr;
	uint32_t *touched; /* keys that have samples */
	size_t ntouched, cap_touched;
};

#define PLACE_HIDDEN UINT32_MAX /* hidden by the filter */

struct order {
	uint64_t by;
	uint32_t place; /* index in fields_work.row */
	bool last;
};

struct fields_work {
	/* The sums of a window. */
	struct window window;
	uint64_t serial; /* the history's state that the sums are of; 0: there are no sums */
	struct cells sums, part;
	struct fieldblocks blocks;
	/* The rows for a query about it. */
	bool answered;
	uint64_t named; /* dict.changes that the names in call paths are of */
	struct field_query query;
	uint64_t filter; /* the filter's serial: the filter itself may be freed */
	struct field_row *row, *sorted;
	struct order *order;
	size_t nrows, cap_rows, cap_sorted, cap_order;
	uint32_t *place; /* by key with a call path: 1 + its row, or PLACE_HIDDEN; 0: none yet */
	size_t cap_place;
	struct field_rows rows;
};

static void cells_free(struct cells *c)
{
	free(c->cell);
	free(c->touched);
}

static size_t cells_bytes(const struct cells *c)
{
	return c->nr * sizeof(*c->cell) + c->cap_touched * sizeof(*c->touched);
}

void fields_work_free(struct fields_work *w)
{
	if (!w)
		return;
	cells_free(&w->sums);
	cells_free(&w->part);
	fieldblocks_free(&w->blocks);
	free(w->place);
	free(w->row);
	free(w->sorted);
	free(w->order);
	free(w);
}

size_t fields_work_bytes(const struct fields_work *w)
{
	return w ? cells_bytes(&w->sums) + cells_bytes(&w->part) + fieldblocks_bytes(&w->blocks) +
			       w->cap_place * sizeof(*w->place) +
			       (w->cap_rows + w->cap_sorted) * sizeof(*w->row) +
			       w->cap_order * sizeof(*w->order)
		 : 0;
}

void fields_reset(struct model *m)
{
	fieldkeys_clear(&m->fieldkeys);
	if (m->fields) {
		m->fields->serial = 0;
		fieldblocks_forget(&m->fields->blocks);
	}
}

/* --- taking -------------------------------------------------------------------------------- */

int fields_lists(struct model *m, const struct slice *s)
{
	int ret = 0;

	for (size_t i = 0; i < s->nlists && !ret; i++)
		ret = fieldkeys_name(&m->fieldkeys, &s->lists[i]);
	return ret;
}

struct taken {
	uint32_t key, place;
};

COMPARE_BY(taken_compare, struct taken, key)

static bool in_order(const struct taken *taken, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (taken[i - 1].key > taken[i].key)
			return false;
	return true;
}

/* Make room for new keys, at most once a second.  False: there is none. */
static bool make_key_room(struct model *m, const struct taken *taken, size_t nr)
{
	struct fieldkeys *k = &m->fieldkeys;

	if (k->chosen && m->now < k->chosen + NSEC_PER_SEC)
		return false;
	k->chosen = m->now + 1;
	fieldkeys_unuse(k);
	for (size_t i = m->history.nr;
	     i-- > 0 && history_at(&m->history, i)->end + NSEC_PER_SEC > m->now;)
		fieldkeys_use(k, &history_at(&m->history, i)->fields);
	for (size_t i = 0; i < nr; i++)
		k->key[taken[i].key].used = true;
	if (!fieldkeys_choose(k) || !history_unused(&m->history))
		return false;
	fieldkeys_drop(k);
	return true;
}

/* Return the number of f's key, or of its event's rest if there is no room; 0: out of memory. */
static uint32_t key_or_rest(struct model *m, const struct slice_field *f, const struct taken *taken,
			    size_t nr)
{
	const struct slice_field rest = {.event = f->event, .by = f->by, .rest = true};
	uint32_t key = fieldkeys_get(&m->fieldkeys, f);

	if (!key && make_key_room(m, taken, nr))
		key = fieldkeys_get(&m->fieldkeys, f);
	return key ? key : fieldkeys_get(&m->fieldkeys, &rest);
}

static void sum_row_of_field(const struct slice_field *f, uint32_t key, struct fieldsum_row *row)
{
	*row = (struct fieldsum_row){.key = key, .count = f->count, .sum = f->sum, .min = f->min,
				     .max = f->max > f->min ? f->max : f->min};
	for (unsigned i = 0; i < SLICE_FIELD_BINS; i++)
		row->hist[i] = f->hist[i];
}

/* Store sums that are sorted by key, merging those of one key. */
static int put_taken(struct model *m, const struct slice *s, const struct taken *taken, size_t nr,
		     struct history_slice *h)
{
	int ret = 0, r;

	for (size_t i = 0; i < nr;) {
		struct fieldsum_row row, more;

		sum_row_of_field(&s->fields[taken[i].place], taken[i].key, &row);
		for (i++; i < nr && taken[i].key == row.key; i++) {
			sum_row_of_field(&s->fields[taken[i].place], row.key, &more);
			fieldsum_add(&row, &more);
		}
		r = fieldkeys_add(&m->fieldkeys, row.key, &row);
		ret = ret ? ret : r;
		r = h ? fieldpack_put(&h->fields, &row) : 0;
		ret = ret ? ret : r;
	}
	if (h)
		fieldpack_trim(&h->fields);
	return ret;
}

int fields_take(struct model *m, struct slice *s, struct history_slice *h)
{
	struct taken *taken;
	size_t nr = 0;
	int ret = 0;

	if (!s->nfields)
		return 0;
	taken = malloc(s->nfields * sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < s->nfields; i++)
		s->fields[i].path = dict_translate(&m->dict, DICT_PATH, s->fields[i].path);
	s->nfields = slice_fields_fold(s->fields, s->nfields);
	for (size_t i = 0; i < s->nfields; i++) {
		uint32_t key = s->fields[i].event < m->info->nevents
				       ? key_or_rest(m, &s->fields[i], taken, nr)
				       : 0;

		if (key)
			taken[nr++] = (struct taken){key, (uint32_t)i};
		else
			ret = -ENOMEM;
	}
	if (!in_order(taken, nr))
		qsort(taken, nr, sizeof(*taken), taken_compare);
	if (put_taken(m, s, taken, nr, h))
		ret = -ENOMEM;
	free(taken);
	return ret;
}

/* --- summing a window ---------------------------------------------------------------------- */

/* Return a number that changes when the window's sums may: slices outside of it do not count. */
static uint64_t serial_of(const struct model *m, struct window window)
{
	return (window_is_all(window) ? 1 + m->added : history_serial(&m->history, window)) +
	       m->fieldkeys.folded;
}

static bool add_cell(struct cells *to, const struct fieldblock_row *row)
{
	struct cell *c = &to->cell[row->key];

	if (!c->count && !VEC_PUSH(to->touched, to->ntouched, to->cap_touched, row->key))
		return false;
	if (!c->count || row->min < c->min)
		c->min = row->min;
	c->max = row->max > c->max ? row->max : c->max;
	c->count += row->count;
	c->sum += row->sum;
	return true;
}

/* Clear the sums and make room for all keys.  False: out of memory. */
static bool cells_begin(struct cells *c, const struct fieldkeys *k)
{
	struct cell *cell;

	for (size_t i = 0; i < c->ntouched; i++)
		c->cell[c->touched[i]].count = c->cell[c->touched[i]].sum =
			c->cell[c->touched[i]].max = 0;
	c->ntouched = 0;
	if (c->nr >= k->nr)
		return true;
	cell = reallocarray(c->cell, k->cap, sizeof(*cell));
	if (!cell)
		return false;
	memset(cell + c->nr, 0, (k->cap - c->nr) * sizeof(*cell));
	c->cell = cell;
	c->nr = k->cap;
	return true;
}

static bool add_whole_run(const struct model *m, struct fields_work *w)
{
	for (uint32_t i = 1; i < m->fieldkeys.nr; i++) {
		const struct fieldkey *k = &m->fieldkeys.key[i];
		const struct fieldblock_row row = {
			.key = i, .count = k->count, .sum = k->sum, .min = k->min, .max = k->max};

		if (k->text && k->count && !add_cell(&w->sums, &row))
			return false;
	}
	return true;
}

static bool add_slice(struct cells *to, const struct history_slice *s)
{
	struct fieldpack_at at = {.nr = 0};
	struct fieldsum_row row;

	while (fieldpack_next(&s->fields, &at, &row, false)) {
		const struct fieldblock_row r = {.key = row.key, .count = row.count, .sum = row.sum,
						 .min = row.min, .max = row.max};

		if (r.count && !add_cell(to, &r))
			return false;
	}
	return true;
}

static bool add_block_cells(struct cells *to, const struct fieldblock *b)
{
	for (size_t i = 0; i < b->nr; i++)
		if (!add_cell(to, &b->row[i]))
			return false;
	return true;
}

/* Sum up slices [from, to) in a block.  False: out of memory, and the block is still free. */
static bool fill_block(const struct model *m, struct fields_work *w, struct fieldblock *b,
		       size_t from, size_t to)
{
	struct cells *part = &w->part;

	if (!cells_begin(part, &m->fieldkeys))
		return false;
	for (size_t i = from; i < to; i++)
		if (!add_slice(part, history_at(&m->history, i)))
			return false;
	if (!vec_reserve(&b->row, &b->cap, part->ntouched, sizeof(*b->row)))
		return false;
	for (size_t i = 0; i < part->ntouched; i++) {
		const struct cell *c = &part->cell[part->touched[i]];

		b->row[i] =
			(struct fieldblock_row){c->count, c->sum, c->min, c->max, part->touched[i]};
	}
	b->nr = part->ntouched;
	b->start = history_at(&m->history, from)->start;
	b->end = history_at(&m->history, to - 1)->end;
	return true;
}

/* Return the first slice behind the block; 0: its last slice has been merged with others since. */
static size_t behind_block(const struct history *h, const struct fieldblock *b, size_t from,
			   size_t to)
{
	while (from < to && history_at(h, from)->end < b->end)
		from++;
	return from < to && history_at(h, from)->end == b->end ? from + 1 : 0;
}

/* Return how many slices from `from` on have no block, up to FIELD_BLOCK_SLICES. */
static size_t count_unblocked(const struct history *h, const struct fieldblocks *b, size_t from,
			      size_t to)
{
	size_t end = from + 1;

	while (end < to && end - from < FIELD_BLOCK_SLICES &&
	       !fieldblocks_find(b, history_at(h, end)->start, UINT64_MAX))
		end++;
	return end - from;
}

/* Add the first of slices [from, to); returns the next one to be added, or 0: out of memory. */
static size_t add_some(const struct model *m, struct fields_work *w, size_t from, size_t to)
{
	const struct history *h = &m->history;
	const struct window window = {history_at(h, from)->start, w->window.to};
	const struct fieldblock *b =
		fieldblocks_find(&w->blocks, window.from, history_at(h, to - 1)->end);
	size_t behind = b ? behind_block(h, b, from, to) : 0, run;
	struct fieldblock *fresh;

	if (behind)
		return add_block_cells(&w->sums, b) ? behind : 0;
	run = count_unblocked(h, &w->blocks, from, to);
	fresh = run == FIELD_BLOCK_SLICES ? fieldblocks_free_one(&w->blocks, w->window) : NULL;
	if (fresh)
		return fill_block(m, w, fresh, from, from + run) && add_block_cells(&w->sums, fresh)
			       ? from + run
			       : 0;
	return add_slice(&w->sums, history_at(h, from)) ? from + 1 : 0;
}

static bool add_slices(const struct model *m, struct fields_work *w)
{
	uint64_t changed = m->history.thinned + m->fieldkeys.folded;
	size_t from, to;

	if (w->blocks.changed != changed)
		fieldblocks_forget(&w->blocks);
	w->blocks.changed = changed;
	history_range(&m->history, w->window, &from, &to);
	while (from < to) {
		from = add_some(m, w, from, to);
		if (!from)
			return false;
	}
	return true;
}

static bool same_window(struct window a, struct window b)
{
	return a.from == b.from && a.to == b.to;
}

/* Sum up the window unless the present sums are up to date.  False: out of memory. */
static bool sum_fields_window(const struct model *m, struct fields_work *w, struct window window)
{
	uint64_t serial = serial_of(m, window);
	bool ok;

	if (w->serial == serial && same_window(w->window, window))
		return true;
	w->serial = 0;
	w->answered = false;
	if (!cells_begin(&w->sums, &m->fieldkeys))
		return false;
	w->window = window;
	ok = window_is_all(window) ? add_whole_run(m, w) : add_slices(m, w);
	w->serial = ok ? serial : 0;
	return ok;
}

/* --- rows ---------------------------------------------------------------------------------- */

const char *fields_value(const char *key, unsigned i, size_t *len)
{
	for (; i; i--) {
		key = strchr(key, '\t');
		if (!key)
			return NULL;
		key++;
	}
	*len = strcspn(key, "\t");
	return key;
}

const char *fields_name(const char *names, unsigned i, size_t *len)
{
	for (; i && *names; i--) {
		names += strcspn(names, ",");
		names += strspn(names, ", ");
	}
	*len = strcspn(names, ",");
	return *len ? names : NULL;
}

static void name_rows(const struct model *m, unsigned event, struct field_rows *r)
{
	const struct session_event *e = &m->info->events[event];
	const struct slice_fieldlist *n = fieldkeys_names(&m->fieldkeys, event, r->by);

	r->names = n ? n->names : e->by_nr == r->by ? e->by : "";
	r->kinds = n ? n->kinds : e->by_kinds;
	r->since = n ? n->since : 0;
}

/* Choose the list of fields to show, and count the samples of other lists. */
static void choose_list(const struct model *m, const struct fields_work *w,
			const struct field_query *q, struct field_rows *r)
{
	const struct session_event *e = &m->info->events[q->event];
	bool any = false;

	r->by = q->by < 0 ? e->by_nr : (unsigned)q->by;
	for (size_t i = 0; i < w->sums.ntouched; i++) {
		const struct fieldkey *k = &m->fieldkeys.key[w->sums.touched[i]];

		if (k->event != q->event)
			continue;
		r->nby = k->by + 1u > r->nby ? k->by + 1u : r->nby;
		any |= k->by == r->by;
	}
	/* The event has just got another list, or has none any more: show the newest with rows. */
	if (q->by < 0 && !any && r->nby)
		r->by = r->nby - 1;
	for (size_t i = 0; i < w->sums.ntouched; i++) {
		const struct fieldkey *k = &m->fieldkeys.key[w->sums.touched[i]];

		r->others += k->event == q->event && k->by != r->by
				     ? w->sums.cell[w->sums.touched[i]].count
				     : 0;
	}
}

const char *model_field_frame(struct model *m, struct fieldpaths_at *at, char name[32])
{
	uint32_t function = fieldpaths_next(at, &m->dict);
	struct row r = {.name = NULL};

	if (function)
		rows_describe(m, function, &r, name);
	return r.name;
}

/* A call path that a filter walks by along_next(). */
struct along {
	struct model *m;
	uint32_t path;
	struct fieldpaths_at at;
	char name[32];
};

static const char *along_next(void *of, bool first)
{
	struct along *a = of;

	if (first)
		a->at = (struct fieldpaths_at){.path = a->path};
	return model_field_frame(a->m, &a->at, a->name);
}

/* A rest passes no filter: it is not known which keys it consists of. */
static bool passes(struct model *m, const struct field_query *q, const struct field_rows *r,
		   const struct fieldkey *k)
{
	struct along along = {.m = m, .path = k->path};
	const struct rowfilter_key key = {r->names, r->kinds, k->text, along_next, &along};

	return !q->filter || (!k->rest && rowfilter_match_key(q->filter, &key));
}

static void add_to_row(struct field_row *r, const struct cell *c)
{
	r->count += c->count;
	r->sum += c->sum;
	r->min = c->min < r->min ? c->min : r->min;
	r->max = c->max > r->max ? c->max : r->max;
}

/* Add a key to its row; keys whose call paths have the same functions share a row. */
static bool take_row(struct fields_work *w, struct model *m, const struct field_query *q,
		     uint32_t key)
{
	uint32_t first = fieldpaths_key(&m->fieldpaths, key);
	const struct fieldkey *k = &m->fieldkeys.key[first];
	uint32_t *place = k->path ? &w->place[first] : NULL;
	const struct cell *c = &w->sums.cell[key];

	if (k->event != q->event || k->by != w->rows.by)
		return true;
	w->rows.count += c->count;
	w->rows.sum += c->sum;
	if (place && *place) {
		if (*place != PLACE_HIDDEN)
			add_to_row(&w->row[*place - 1], c);
		return true;
	}
	w->rows.all++;
	if (!passes(m, q, &w->rows, k)) {
		if (place)
			*place = PLACE_HIDDEN;
		return true;
	}
	if (!VEC_PUSH(w->row, w->nrows, w->cap_rows,
		      (struct field_row){.key = first, .text = k->text, .path = k->path,
					 .rest = k->rest, .count = c->count, .sum = c->sum,
					 .min = c->min, .max = c->max}))
		return false;
	if (place)
		*place = (uint32_t)w->nrows;
	return true;
}

/* Make the query's rows, not sorted.  False: out of memory. */
static bool take_field_rows(struct fields_work *w, struct model *m, const struct field_query *q)
{
	size_t nr = m->fieldkeys.npaths ? m->fieldkeys.nr : 0;

	if (!fieldpaths_update(&m->fieldpaths, &m->dict, &m->fieldkeys) ||
	    !vec_reserve(&w->place, &w->cap_place, nr, sizeof(*w->place)))
		return false;
	if (nr)
		memset(w->place, 0, nr * sizeof(*w->place));
	for (size_t i = 0; i < w->sums.ntouched; i++)
		if (!take_row(w, m, q, w->sums.touched[i]))
			return false;
	return true;
}

/* Map a signed number to an unsigned one of the same order. */
static uint64_t number_order(const char *text)
{
	return *text == '-' ? ~strtoull(text + 1, NULL, 0) & INT64_MAX
			    : strtoull(text, NULL, 0) >> 1 | 1ull << 63;
}

static uint64_t text_order(const char *text)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 8; i++)
		n = n << 8 | (*text && *text != '\t' ? (unsigned char)*text++ : 0);
	return n;
}

static const char *leaf_name(struct model *m, uint32_t path, char name[32])
{
	struct fieldpaths_at at = {.path = path};
	const char *leaf = model_field_frame(m, &at, name);

	return leaf ? leaf : "";
}

static uint64_t key_order(struct model *m, char kind, const struct field_row *row)
{
	char name[32];

	return kind == 'n' ? number_order(row->text)
	       : text_order(kind == SLICE_FIELD_PATH ? leaf_name(m, row->path, name) : row->text);
}

/* Return a sort value: the row with the least comes first. */
static uint64_t row_order_value(struct model *m, const struct field_query *q,
				const struct field_rows *r, const struct field_row *row)
{
	double avg = row->count ? (double)row->sum / (double)row->count : 0;
	uint64_t bits;

	switch (q->sort) {
	case SORT_SUM:
		return ~row->sum;
	case SORT_AVERAGE:
		memcpy(&bits, &avg, sizeof(bits)); /* of a positive double the bits rise with it */
		return ~bits;
	case SORT_MINIMUM:
		return ~row->min;
	case SORT_MAXIMUM:
		return ~row->max;
	case SORT_KEY:
		return key_order(m, *r->kinds, row);
	default:
		return ~row->count;
	}
}

static int compare_values(const char *a, size_t alen, const char *b, size_t blen, char kind)
{
	size_t len = alen < blen ? alen : blen;
	int ret;

	if (kind == 'n') {
		bool below = *a == '-';

		if (below != (*b == '-'))
			return below ? -1 : 1;
		ret = alen != blen ? (alen < blen ? -1 : 1) : memcmp(a, b, len);
		return below ? -ret : ret;
	}
	ret = memcmp(a, b, len);
	return ret ? ret : (alen > blen) - (alen < blen);
}

/* Compare two paths by their functions' names, leaf first. */
static int path_compare(struct model *m, uint32_t a, uint32_t b)
{
	struct fieldpaths_at at[2] = {{.path = a}, {.path = b}};
	char name[2][32];
	int ret = 0;

	while (a != b && !ret) {
		const char *x = model_field_frame(m, &at[0], name[0]),
			   *y = model_field_frame(m, &at[1], name[1]);

		if (!x || !y)
			return !!x - !!y;
		ret = strcmp(x, y);
	}
	return ret;
}

static int key_compare(struct model *m, const struct field_row *a, const struct field_row *b,
		       const char *kinds)
{
	for (unsigned i = 0;; i++) {
		size_t alen, blen;
		const char *x = fields_value(a->text, i, &alen),
			   *y = fields_value(b->text, i, &blen);
		char kind = i < sizeof(((struct session_event *)0)->by_kinds) ? kinds[i] : 's';
		int ret;

		if (!x || !y)
			return !x - !y;
		ret = kind == SLICE_FIELD_PATH ? path_compare(m, a->path, b->path)
					       : compare_values(x, alen, y, blen, kind);
		if (ret)
			return ret;
	}
}

/* Equal rows are ordered by their place, so that they never flicker. */
static int compare_orders(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	return COMPARE(x->last, y->last) ?: COMPARE(x->by, y->by) ?: COMPARE(x->place, y->place);
}

static int key_order_compare(const void *a, const void *b, void *arg)
{
	struct model *m = arg;
	const struct fields_work *w = m->fields;
	const struct order *x = a, *y = b;

	if (x->last == y->last && x->by == y->by) {
		int ret = key_compare(m, &w->row[x->place], &w->row[y->place], w->rows.kinds);

		if (ret)
			return ret;
	}
	return compare_orders(a, b);
}

static bool sort_rows(struct model *m, struct fields_work *w, const struct field_query *q)
{
	if (!vec_reserve(&w->order, &w->cap_order, w->nrows + 1, sizeof(*w->order)) ||
	    !vec_reserve(&w->sorted, &w->cap_sorted, w->nrows + 1, sizeof(*w->sorted)))
		return false;
	for (size_t i = 0; i < w->nrows; i++)
		w->order[i] = (struct order){row_order_value(m, q, &w->rows, &w->row[i]),
					     (uint32_t)i, w->row[i].rest};
	if (q->sort == SORT_KEY)
		qsort_r(w->order, w->nrows, sizeof(*w->order), key_order_compare, m);
	else if (w->nrows)
		qsort(w->order, w->nrows, sizeof(*w->order), compare_orders);
	for (size_t i = 0, n = w->nrows; i < n; i++) {
		size_t tail = n && w->order[n - 1].last; /* the rest stays last, reversed or not */

		w->sorted[q->reverse && i < n - tail ? n - tail - 1 - i : i] =
			w->row[w->order[i].place];
	}
	return true;
}

static bool is_same_query(const struct model *m, const struct fields_work *w,
			  const struct field_query *q)
{
	if (m->fieldkeys.npaths && w->named != m->dict.changes)
		return false;
	return w->answered && w->query.event == q->event && w->query.by == q->by &&
	       w->query.sort == q->sort && w->query.reverse == q->reverse &&
	       w->filter == rowfilter_serial(q->filter);
}

static bool answer_query(struct model *m, struct fields_work *w, const struct field_query *q)
{
	if (is_same_query(m, w, q))
		return true;
	w->answered = false;
	w->named = m->dict.changes;
	w->filter = rowfilter_serial(q->filter);
	w->nrows = 0;
	w->rows = (struct field_rows){.nr = 0};
	choose_list(m, w, q, &w->rows);
	name_rows(m, q->event, &w->rows);
	if (!take_field_rows(w, m, q) || !sort_rows(m, w, q))
		return false;
	w->query = *q;
	w->rows.row = w->sorted;
	w->rows.nr = w->nrows;
	w->answered = true;
	return true;
}

const struct field_rows *model_fields(struct model *m, const struct field_query *q,
				      struct window window)
{
	if (!m->fields)
		m->fields = calloc(1, sizeof(*m->fields));
	if (!m->fields || q->event >= m->info->nevents ||
	    !sum_fields_window(m, m->fields, window) || !answer_query(m, m->fields, q))
		return NULL;
	return &m->fields->rows;
}

uint64_t model_fields_folded(const struct model *m)
{
	return m->fieldkeys.folded;
}

/* --- pairs --------------------------------------------------------------------------------- */

static void add_latency(struct slice_latency *l, const struct partsums *parts)
{
	const struct partsum *sum = partsums_of(parts, PART_LATENCY);
	const struct slice_latency *one = sum->elements;

	if (sum->nr && one->nr == l->nr)
		slice_latency_add(l, one);
}

void model_latency(const struct model *m, struct window w, struct slice_latency *l)
{
	size_t from = 0, to = 0;

	*l = (struct slice_latency){.nr = m->info->between.nr};
	if (window_is_all(w))
		add_latency(l, &m->total.parts);
	else
		history_range(&m->history, w, &from, &to);
	for (; from < to; from++)
		add_latency(l, &history_at(&m->history, from)->parts);
}
