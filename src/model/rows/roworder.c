/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows/roworder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/vec.h"

const struct show_word group_words[] = {
	[GROUP_FUNCTION] = {"function", NULL}, [GROUP_OBJECT] = {"object", ""},
	[GROUP_TASK] = {"task", ""}, [GROUP_THREAD] = {"thread", NULL}, [GROUP_CPU] = {"cpu", ""},
	[GROUP_HOST] = {"host", ""}, [GROUP_COMMAND] = {"command", ""},
	[GROUP_PATTERN] = {"pattern", "threads whose names differ only in numbers"},
	[GROUP_USER] = {"user", ""}, [GROUP_CGROUP] = {"cgroup", ""},
	[GROUP_PARENT] = {"parent", "the name of the process that forked"},
	[GROUP_LINE] = {"line", "of the source"}, [GROUP_NR] = {NULL, NULL},
};

const struct show_word sort_words[] = {
	[SORT_SELF] = {"self", "the default; of a group its share"}, [SORT_TOTAL] = {"total", ""},
	[SORT_NAME] = {"name", ""}, [SORT_OBJECT] = {"object", ""}, [SORT_TASK] = {"task", ""},
	[SORT_SAMPLES] = {"samples", ""}, [SORT_PID] = {"pid", ""},
	[SORT_PEAK] = {"peak", "the highest tenth of the time"},
	[SORT_CHANGE] = {"change", "against the previous interval; not in totals"},
	[SORT_THROTTLED] = {"throttled", "with --group cgroup"},
	[SORT_COUNT] = {"count", NULL}, [SORT_SUM] = {"sum", NULL}, [SORT_KEY] = {"key", NULL},
	[SORT_AVERAGE] = {"average", NULL}, [SORT_MINIMUM] = {"minimum", NULL},
	[SORT_MAXIMUM] = {"maximum", NULL}, [SORT_NR] = {NULL, NULL},
};

void roworder_clear(struct roworder *o)
{
	free(o->order);
	free(o->items);
	free(o->functions);
	*o = (struct roworder){.cap = 0};
}

size_t roworder_bytes(const struct roworder *o)
{
	return o->cap * sizeof(*o->order) + o->cap_items * sizeof(*o->items) +
	       o->cap_functions * sizeof(*o->functions);
}

uint64_t roworder_key(const struct model *m, const struct group *g, uint64_t key)
{
	/* one of several rows with this key */
	return g->slot != g->id ? hash_mix(key, g->slot % m->info->nhosts + 1) : key;
}

double roworder_whole(const struct rows_work *w, bool lost)
{
	return (double)w->rows.attributed + (lost ? (double)w->rows.dropped : 0);
}

double roworder_change(const struct rows_work *w, const struct group *g, double now)
{
	const struct tally_entry *e;

	if (!w->attributed_before)
		return NAN;
	e = tally_find(&w->before, tally_key(g->id, g->slot));
	return now - share_of_whole(e ? (double)e->self : 0, (double)w->attributed_before);
}

/* --- what is compared first ------------------------------------------------------------- */

/* Return a sort key that rises as the number falls. */
static uint64_t falling(double n)
{
	uint64_t bits;

	if (isnan(n)) /* unknown for one row means unknown for all */
		return 0;
	n += 0.0; /* makes -0.0 0.0 */
	memcpy(&bits, &n, sizeof(bits));
	return ~(bits >> 63 ? ~bits : bits | 1ull << 63);
}

/* Return the largest point of the trend, rounded as in rows. */
static double peak_of(const struct rows_work *w, size_t i, bool lost)
{
	double peak = 0;

	for (int t = 0; t < TREND_NR; t++)
		peak = fmax(peak, (double)(float)share_of_whole(
					  w->trend[i][t],
					  w->weight[t] + (lost ? w->dropped_weight[t] : 0)));
	return peak;
}

static bool is_lost(const struct model *m, size_t i)
{
	return m->dict.functions[m->work->groups[i].id].flags & FUNCTION_LOST;
}

/* Return the first sort key of group i; names have their ranks. */
static uint64_t first_by(const struct model *m, const struct query *q, size_t i)
{
	const struct rows_work *w = m->work;
	const struct group *g = &w->groups[i];
	bool lost = is_lost(m, i);
	double whole = roworder_whole(w, lost), self = share_of_whole((double)g->self, whole);

	switch (q->sort) {
	case SORT_TOTAL:
		return falling(share_of_whole((double)g->total, whole));
	case SORT_PEAK:
		return falling(peak_of(w, i, lost));
	case SORT_CHANGE:
		return falling(roworder_change(w, g, self));
	case SORT_NAME:
		return m->names.of[g->id].name;
	case SORT_SAMPLES:
		return ~g->samples;
	case SORT_PID: /* functions have none */
		return 0;
	default:
		return falling(self);
	}
}

/* --- texts that few groups have --------------------------------------------------------- */

struct text {
	const char *text;
	uint64_t id;
};

static int text_compare(const void *a, const void *b)
{
	return strcmp(((const struct text *)a)->text, ((const struct text *)b)->text);
}

static uint32_t group_text(const struct model *m, const struct query *q, const struct group *g)
{
	if (q->sort == SORT_OBJECT)
		return dict_function_object_name(&m->dict, g->id);
	return groups_task_name(g);
}

/* Set the ROW_BY keys to ranks of objects' or tasks' names.  Return 0 or -ENOMEM. */
static int rank_texts(struct roworder *o, const struct model *m, const struct query *q)
{
	const struct rows_work *w = m->work;
	struct tally met = {.nr = 0};
	struct text *texts;
	int ret = 0;

	for (size_t i = 0; i < w->ngroups && !ret; i++)
		ret = tally_get(&met, group_text(m, q, &w->groups[i])) ? 0 : -ENOMEM;
	texts = malloc((met.nr + 1) * sizeof(*texts));
	if (ret || !texts) {
		free(texts);
		tally_clear(&met);
		return -ENOMEM;
	}
	for (size_t i = 0; i < met.nr; i++)
		texts[i] = (struct text){dict_string(&m->dict, (uint32_t)met.entries[i].key),
					 met.entries[i].key};
	qsort(texts, met.nr, sizeof(*texts), text_compare);
	for (size_t i = 0, rank = 0; i < met.nr; i++) { /* no text and an empty one have one rank */
		rank += i && strcmp(texts[i].text, texts[i - 1].text) != 0;
		tally_find(&met, texts[i].id)->self = rank;
	}
	for (size_t i = 0; i < w->ngroups; i++)
		o->order[i].key[ROW_BY] = tally_find(&met, group_text(m, q, &w->groups[i]))->self;
	free(texts);
	tally_clear(&met);
	return 0;
}

/* --- sorting ---------------------------------------------------------------------------- */

static int rising(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static const char *host_of(const struct model *m, const struct group *g)
{
	return g->nhosts == 1 ? groups_host_name(m->info, g->host) : "";
}

/* Compare groups with equal names: by host, then by key. */
static int alike_compare(const void *left, const void *right, void *arg)
{
	const struct model *m = arg;
	const struct group *a = &m->work->groups[((const struct radix_item *)left)->value];
	const struct group *b = &m->work->groups[((const struct radix_item *)right)->value];
	int order = strcmp(host_of(m, a), host_of(m, b));

	return order ? order : rising(roworder_key(m, a, m->dict.functions[a->id].key),
				      roworder_key(m, b, m->dict.functions[b->id].key));
}

/* Range of a sort key's values: the least, and the bits needed for the differences from it. */
struct span {
	uint64_t least;
	unsigned bits;
};

static struct span key_span(const struct roworder *o, size_t nr, int k)
{
	uint64_t least = nr ? o->order[0].key[k] : 0, most = least;

	for (size_t i = 1; i < nr; i++) {
		uint64_t key = o->order[i].key[k];

		least = key < least ? key : least;
		most = key > most ? key : most;
	}
	return (struct span){least,
			     most > least ? 64 - (unsigned)__builtin_clzll(most - least) : 0};
}

/*
 * Pack as many keys up to `last` into one number as it has room for, the last one lowest.  Return
 * the key before them, or -1.
 */
static int pack_keys(struct roworder *o, const struct span *spans, int last,
		     struct radix_item *items, size_t nr)
{
	int first = last;

	for (unsigned bits = spans[last].bits; first && bits + spans[first - 1].bits <= 64; first--)
		bits += spans[first - 1].bits;
	for (size_t i = 0; i < nr; i++) {
		const struct row_order *order = &o->order[items[i].value];
		uint64_t number = order->key[first] - spans[first].least;

		for (int k = first + 1; k <= last; k++)
			number = (spans[k].bits < 64 ? number << spans[k].bits : 0) |
				 (order->key[k] - spans[k].least);
		items[i].key = number;
	}
	return first - 1;
}

/*
 * Sort by the last keys first: sorting is stable, so their order stays where the keys before them
 * are equal.
 */
static void sort_numbers(struct roworder *o, size_t nr)
{
	struct radix_item *items = o->items, *spare = o->items + o->cap_items / 2;
	struct span spans[ROW_KEYS];

	for (int k = 0; k < ROW_KEYS; k++)
		spans[k] = key_span(o, nr, k);
	for (size_t i = 0; i < nr; i++)
		items[i].value = (uint32_t)i;
	for (int k = ROW_KEYS - 1; k >= 0;) {
		k = pack_keys(o, spans, k, items, nr);
		o->sorted = radix_sort(items, spare, nr);
		spare = o->sorted == items ? spare : items;
		items = o->sorted;
	}
}

static bool sort_keys_equal(const struct roworder *o, size_t i, size_t k)
{
	return o->sorted[i].key == o->sorted[k].key &&
	       !memcmp(&o->order[o->sorted[i].value], &o->order[o->sorted[k].value],
		       sizeof(*o->order));
}

static void sort_alike(struct roworder *o, struct model *m, size_t nr)
{
	size_t begin = 0;

	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && sort_keys_equal(o, begin, i))
			continue;
		if (i - begin > 1)
			qsort_r(o->sorted + begin, i - begin, sizeof(*o->sorted), alike_compare, m);
		begin = i;
	}
}

/* --- weights in place of shares --------------------------------------------------------- */

#define LOST_FEW    16
#define WEIGHT_MOST (1ull << 50) /* below this, shares of two different weights differ */

/*
 * Weights stand for shares of one total, as they take fewer bits.  Rows of dropped samples are
 * shares of a larger total: they are few, and each is inserted by comparing it with other rows.
 */
struct by_weight {
	bool self, total; /* rows are sorted by that weight; neither: not by weights */
	uint32_t lost[LOST_FEW];
	size_t nlost;
};

static struct by_weight by_weight(const struct model *m, const struct query *q)
{
	const struct rows_work *w = m->work;
	struct by_weight by = {.total = q->sort == SORT_TOTAL};

	by.self = !by.total && q->sort != SORT_OBJECT && q->sort != SORT_TASK &&
		  q->sort != SORT_PEAK && q->sort != SORT_CHANGE && q->sort != SORT_NAME &&
		  q->sort != SORT_SAMPLES && q->sort != SORT_PID;
	for (size_t i = 0; i < w->ngroups && (by.self || by.total); i++) {
		const struct group *g = &w->groups[i];

		if (!w->rows.attributed || g->self >= WEIGHT_MOST || g->total >= WEIGHT_MOST)
			by.self = by.total = false;
		if (!is_lost(m, i))
			continue;
		if (by.nlost == LOST_FEW)
			by.self = by.total = false;
		else
			by.lost[by.nlost++] = (uint32_t)i;
	}
	return by;
}

static struct row_order order_by_share(const struct model *m, const struct query *q, size_t i)
{
	const struct group *g = &m->work->groups[i];

	return (struct row_order){
		{first_by(m, q, i), ~g->self, ~g->total, m->names.of[g->id].rank}};
}

/* Keys that are equal in all rows take no bits: mostly total equals self. */
static struct row_order order_by_weight(const struct by_weight *by, const struct model *m,
					const struct group *g)
{
	return (struct row_order){{~(by->total ? g->total : g->self), by->total ? ~g->self : 0,
				   by->total ? 0 : (g->self - g->total) ^ 1ull << 63,
				   m->names.of[g->id].rank}};
}

static void reverse_first_key(struct row_order *order, const struct query *q)
{
	if (q->reverse)
		order->key[ROW_BY] = ~order->key[ROW_BY];
}

static bool stands_before(struct model *m, const struct query *q, uint32_t a, uint32_t b)
{
	struct row_order x = order_by_share(m, q, a), y = order_by_share(m, q, b);
	int order = 0;

	reverse_first_key(&x, q);
	reverse_first_key(&y, q);
	for (int k = 0; k < ROW_KEYS && !order; k++)
		order = rising(x.key[k], y.key[k]);
	return (order ? order
		      : alike_compare(&(struct radix_item){.value = a},
				      &(struct radix_item){.value = b}, m)) < 0;
}

static bool is_dropped_group(const struct by_weight *by, uint32_t group)
{
	size_t i = 0;

	while (i < by->nlost && by->lost[i] != group)
		i++;
	return i < by->nlost;
}

static void place_lost(struct roworder *o, struct model *m, const struct query *q,
		       const struct by_weight *by)
{
	size_t nr = 0;

	for (size_t i = 0; by->nlost && i < m->work->ngroups; i++)
		if (!is_dropped_group(by, o->sorted[i].value))
			o->sorted[nr++] = o->sorted[i];
	for (size_t i = 0; i < by->nlost; i++) {
		size_t at = SEARCH_WHILE(k, 0, nr,
					 stands_before(m, q, o->sorted[k].value, by->lost[i]));

		memmove(o->sorted + at + 1, o->sorted + at, (nr++ - at) * sizeof(*o->sorted));
		o->sorted[at].value = by->lost[i];
	}
}

int roworder_sort(struct roworder *o, struct model *m, const struct query *q)
{
	const struct rows_work *w = m->work;
	struct by_weight by = by_weight(m, q);
	int ret;

	if (!vec_reserve(&o->order, &o->cap, w->ngroups, sizeof(*o->order)) ||
	    !vec_reserve(&o->items, &o->cap_items, 2 * w->ngroups, sizeof(*o->items)) ||
	    !vec_reserve(&o->functions, &o->cap_functions, w->ngroups, sizeof(*o->functions)))
		return -ENOMEM;
	for (size_t i = 0; i < w->ngroups; i++)
		o->functions[i] = w->groups[i].id;
	ret = nameorder_rank(&m->names, &m->dict, m->collections, o->functions, w->ngroups);
	if (ret)
		return ret;
	for (size_t i = 0; i < w->ngroups; i++)
		o->order[i] = by.self || by.total ? order_by_weight(&by, m, &w->groups[i])
						  : order_by_share(m, q, i);
	if (q->sort == SORT_OBJECT || q->sort == SORT_TASK)
		ret = rank_texts(o, m, q);
	for (size_t i = 0; i < w->ngroups; i++)
		reverse_first_key(&o->order[i], q);
	if (ret || !w->ngroups)
		return ret;
	sort_numbers(o, w->ngroups);
	sort_alike(o, m, w->ngroups);
	if (by.self || by.total)
		place_lost(o, m, q, &by);
	return 0;
}

/* --- sorting ---------------------------------------------------------------------------- */

static int compare_numbers_falling(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* Compare shares, not weights: those of dropped samples refer to a larger total. */
static int share_compare(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_row_names(const struct row *a, const struct row *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : strcmp(a->function, b->function);
}

/* Compare by time, which is known in a window of less than a second, too. */
static int throttled_compare(const struct row *a, const struct row *b)
{
	if (a->periods && b->periods)
		return compare_numbers_falling(a->throttled_ns, b->throttled_ns);
	return compare_numbers_falling(a->periods != 0, b->periods != 0);
}

static int sort_compare(const struct row *a, const struct row *b, enum sort_by sort)
{
	switch (sort) {
	case SORT_TOTAL:
		return share_compare(a->total_share, b->total_share);
	case SORT_PEAK:
		return share_compare(a->peak, b->peak);
	case SORT_CHANGE: /* NAN for one row means NAN for all, which are equal here */
		return share_compare(a->change, b->change);
	case SORT_THROTTLED:
		return throttled_compare(a, b);
	case SORT_NAME:
		return compare_row_names(a, b);
	case SORT_OBJECT:
		return strcmp(a->object, b->object);
	case SORT_TASK:
		return strcmp(a->task, b->task);
	case SORT_SAMPLES:
		return compare_numbers_falling(a->samples, b->samples);
	case SORT_PID:
		return a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid)
					: (a->tid > b->tid) - (a->tid < b->tid);
	default:
		return share_compare(a->self_share, b->self_share);
	}
}

int roworder_compare(const void *left, const void *right, void *arg)
{
	const struct row *a = left, *b = right;
	const struct query *q = arg;
	int order = sort_compare(a, b, q->sort);

	if (order)
		return q->reverse ? -order : order;
	order = compare_numbers_falling(a->self, b->self);
	if (!order)
		order = compare_numbers_falling(a->total, b->total);
	if (!order)
		order = compare_row_names(a, b);
	if (!order)
		order = strcmp(a->object, b->object);
	if (!order)
		order = strcmp(a->host, b->host);
	return order ? order : compare_numbers_falling(b->key, a->key);
}

static int fill_throttled(struct model *m, const struct query *q, struct window window, struct row *r)
{
	struct rows_work *w = m->work;
	const struct partsum *all = model_partsum(m, PART_THROTTLES, window);
	bool whole = window_is_all(window);
	struct window of = whole ? (struct window){m->total.start, m->total.end} : model_kept(m, window);

	for (size_t i = 0; all && all->nr && i < w->ngroups; i++, r++) {
		const struct group *g = &w->groups[i];
		int host = m->info->nhosts > 1 && q->by_host ? g->host : (int)q->host - 1;
		struct slice_throttle sum = {.ns = 0};

		partsum_add_up(all, PART_THROTTLES, g->id, host, &sum);
		r->periods = sum.periods;
		r->throttled = sum.throttled;
		r->throttled_ns = sum.ns;
		r->throttled_share = !whole && of.to - of.from < NSEC_PER_SEC ? NAN : share_of_whole((double)sum.ns, (double)(of.to - of.from));
	}
	return all ? 0 : -ENOMEM;
}

int roworder_fill(struct model *m, const struct query *q, struct window w, struct row *rows)
{
	return q->group == GROUP_CGROUP ? fill_throttled(m, q, w, rows) : 0;
}
