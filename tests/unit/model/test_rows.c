/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of rows, whatever of it is kept from one question to the next, and that what was answered is not kept too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/rows/rowfilter.h"
#include "model/rows/groups.h"
#include "model/core/model.h"
#include "model/rows/rows.h"
#include "core/slice/slice.h"
#include "tests/scatter.h"

#define TICK	(100 * NSEC_PER_MSEC)
#define OBJECTS 5u
#define NAMED	600u  /* functions with names; others have addresses */
#define PLACES	1000u /* of code */

static struct session_event event = {.name = "faults", .unit = "", .period = 1};
static const struct session_info info = {.host = "h", .target = "t", .cpus = 2, .nevents = 1, .events = &event, .live = true};

/* What is measured: a weight for each sample; what stands for dropped samples, each so many functions; calls. */
static struct {
	uint64_t weight;
	uint32_t lost;
	bool calls;
} made = {.weight = 1};

static void put(struct slice *s, enum dict_kind kind, const void *entry)
{
	assert_int_equal(slice_upsert(s, kind, entry), 0);
}

static void put_string(struct slice *s, uint32_t id, const char *text)
{
	put(s, DICT_STRING, &(struct dict_string){id, (uint32_t)strlen(text), text});
}

/* Alike for 30 bytes and more, some whole parts of others, some the same in two objects. */
static void name_of(uint32_t i, char text[128])
{
	static const char *const ends[] = {"", "a", "ab", "(int)", "(int) const", "\xc3\xa4"};

	snprintf(text, 128, "%s%llu%s", i % 3 ? "some::namespace::long_enough::f" : "g", (unsigned long long)scatter(i) % 150,
		 ends[i % 6]);
}

static bool is_lost(uint32_t i)
{
	return made.lost && i % made.lost == 0;
}

static void put_place(struct slice *s, uint32_t i, bool named)
{
	char text[128];

	if (named) {
		name_of(i, text);
		if (is_lost(i))
			snprintf(text, sizeof(text), "[lost %u]", i);
		put_string(s, 100 + i, text);
		put(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = 100 + i, .object = 1 + i % OBJECTS});
	}
	put(s, DICT_FRAME, &(struct dict_frame){.id = i, .symbol = named ? i : 0, .addr = 0x1000 + i * 16, .object = 1 + i % OBJECTS,
						.flags = is_lost(i) ? FRAME_LOST : 0});
	put(s, DICT_PATH, &(struct dict_path){.id = i, .frame = i, .parent = made.calls && i % 4 == 0 ? i - 1 : 0});
}

static void put_object(struct slice *s, uint32_t i, enum object_state state)
{
	put(s, DICT_OBJECT, &(struct dict_object){.id = i, .name = i, .kind = OBJECT_FILE, .state = state});
}

static struct slice *begin(uint64_t tick)
{
	struct slice *s = slice_create();
	char text[64];

	assert_non_null(s);
	s->start = tick * TICK;
	s->end = s->start + TICK;
	for (uint32_t i = 1; !tick && i <= OBJECTS; i++) {
		snprintf(text, sizeof(text), "/lib/libx-%u.so", 7 - i);
		put_string(s, i, text);
		put_object(s, i, OBJECT_READY);
	}
	for (uint32_t i = 0; !tick && i < 3; i++) {
		snprintf(text, sizeof(text), "task-%u", i);
		put_string(s, 20 + i, text);
		put(s, DICT_TASK, &(struct dict_task){.id = 1 + i, .comm = 20 + i, .pid = 10 + (int)i, .tid = 10 + (int)i});
	}
	return s;
}

/* Those of [from, to) that are there, most with one sample. */
static void put_rows(struct slice *s, uint32_t from, uint32_t to, uint64_t tick)
{
	for (uint32_t i = from; i < to; i++) {
		struct slice_row *r = slice_add_row(s);
		uint32_t n = 1 + (scatter(i * 31 + tick) % 8 == 0);

		assert_non_null(r);
		*r = (struct slice_row){.path = i, .task = 1 + (uint32_t)(scatter(i + tick) % 3), .cpu = i & 1, .samples = n, .weight = n * made.weight};
	}
}

/* --- the order -------------------------------------------------------------------------- */

static int numbers(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int weights(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int order_of(const struct row *a, const struct row *b, enum sort_by sort, bool reverse)
{
	int order = 0;

	if (sort == SORT_NAME)
		order = strcmp(a->name, b->name);
	else if (sort == SORT_OBJECT)
		order = strcmp(a->object, b->object);
	else if (sort == SORT_TASK)
		order = strcmp(a->task, b->task);
	else if (sort == SORT_SAMPLES)
		order = numbers((double)a->samples, (double)b->samples);
	else if (sort == SORT_PEAK)
		order = numbers(a->peak, b->peak);
	else if (sort == SORT_CHANGE)
		order = a->change == a->change ? numbers(a->change, b->change) : 0;
	else
		order = numbers(sort == SORT_TOTAL ? a->total_share : a->self_share, sort == SORT_TOTAL ? b->total_share : b->self_share);
	if (order)
		return reverse ? -order : order;
	order = weights(a->self, b->self);
	order = order ? order : weights(a->total, b->total);
	order = order ? order : strcmp(a->name, b->name);
	order = order ? order : strcmp(a->object, b->object);
	return order ? order : a->key < b->key ? -1 : 1;
}

static size_t check_order(struct model *m, struct window w)
{
	static const enum sort_by sorts[] = {SORT_SELF, SORT_TOTAL, SORT_NAME, SORT_OBJECT, SORT_TASK, SORT_SAMPLES, SORT_PEAK, SORT_CHANGE};
	const struct rows *r = NULL;

	for (size_t i = 0; i < 2 * sizeof(sorts) / sizeof(*sorts); i++) {
		struct query q = {.sort = sorts[i / 2], .reverse = i & 1, .show_self = true};

		r = model_rows(m, &q, w);
		assert_non_null(r);
		for (size_t k = 1; k < r->nr; k++)
			assert_true(order_of(&r->row[k - 1], &r->row[k], q.sort, q.reverse) < 0);
	}
	return r->nr;
}

/* Those that are made when they are looked at are the same, whoever asked for others meanwhile. */
static void check_parts(struct model *m, struct window w)
{
	const struct query q = {.sort = SORT_SELF, .show_self = true, .in_part = true}, names = {.sort = SORT_NAME, .show_self = true};
	struct query all = q;
	struct row one[PLACES + 2];
	const struct rows *r;
	size_t nr;

	r = model_rows(m, &names, w);
	assert_non_null(r);
	r = model_rows(m, &q, w);
	assert_non_null(r);
	nr = r->nr;
	assert_true(nr > 2 && nr <= PLACES + 2);
	assert_null(r->row);
	for (size_t i = nr; i-- > 0;) {
		uint64_t key = model_row_key(m, i);
		const struct row *part = model_rows_part(m, &q, w, i, 1);

		assert_non_null(part);
		assert_true(part->key == key && model_row_key(m, i) == key);
		one[i] = *part;
		if (i % 64)
			continue;
		assert_non_null(model_rows(m, &names, w));
		assert_non_null(model_rows(m, &q, w));
	}
	assert_null(model_rows_part(m, &q, w, nr, 1));
	assert_non_null(model_rows_part(m, &q, w, nr - 1, SIZE_MAX));
	all.in_part = false;
	assert_non_null(model_rows(m, &names, w));
	r = model_rows(m, &all, w);
	assert_true(r && r->nr == nr);
	for (size_t i = 0; i < nr; i++)
		assert_true(one[i].key == r->row[i].key && one[i].self == r->row[i].self && one[i].total == r->row[i].total &&
			    one[i].samples == r->row[i].samples && one[i].flags == r->row[i].flags &&
			    one[i].self_share == r->row[i].self_share && one[i].id == r->row[i].id);
}

/* Functions that come in any order, leave the window, get names and are collected. */
static void check_orders(void)
{
	struct model *m = model_create(&info, 1 << 20);

	assert_non_null(m);
	for (uint64_t tick = 0; tick < 60; tick++) {
		struct slice *s = begin(tick);
		uint32_t from = 1 + (uint32_t)(scatter(tick) % (PLACES - 300)), to = from + 300;

		for (uint32_t i = from; i < to; i++)
			put_place(s, i, i < NAMED && (tick > 30 || i % 2)); /* half of them get their names late */
		put_rows(s, from, to, tick);
		assert_int_equal(model_add(m, s), 0);
		if (tick % 7 == 0 || tick > 55) {
			uint64_t now = model_now(m);

			assert_true(check_order(m, (struct window){now > 20 * TICK ? now - 20 * TICK : 0, now}) >= 100);
			assert_true(check_order(m, WINDOW_ALL) >= 100);
			check_parts(m, (struct window){now > 20 * TICK ? now - 20 * TICK : 0, now});
		}
	}
	model_free(m);
}

static void test_order(void **state)
{
	(void)state;
	check_orders();
}

/* Shares of two wholes in one list: what was dropped is a share of more. */
static void test_order_lost(void **state)
{
	(void)state;
	made.calls = true;
	made.lost = 7; /* many */
	check_orders();
	made.lost = 97; /* few */
	check_orders();
	made.lost = 0;
	check_orders();
	made.calls = false;
}

/* Weights that differ by less than their shares can tell. */
static void test_order_heavy(void **state)
{
	(void)state;
	for (made.weight = 1ull << 30; made.weight <= 1ull << 50; made.weight <<= 10)
		check_orders();
	made.weight = 1;
}

/* --- what is kept ----------------------------------------------------------------------- */

static const struct row *find(struct model *m, const struct query *q, struct window w, const char *name)
{
	const struct rows *r = model_rows(m, q, w);

	assert_non_null(r);
	for (size_t i = 0; i < r->nr; i++)
		if (!strcmp(r->row[i].name, name))
			return &r->row[i];
	return NULL;
}

/* A window that stands still, and all that may change in it. */
static void test_stands_still(void **state)
{
	struct model *m = model_create(&info, 0);
	struct query q = {.sort = SORT_SELF, .show_self = true}, tasks = {.group = GROUP_TASK, .sort = SORT_SELF};
	const struct window w = {0, TICK};
	struct slice *s = begin(0);
	struct rowfilter *f = NULL;
	char name[128];

	(void)state;
	assert_non_null(m);
	put_object(s, 2, OBJECT_LOADING);
	put_place(s, 1, false); /* of object 2 */
	put_place(s, 2, true);
	put_rows(s, 1, 3, 0);
	assert_int_equal(model_add(m, s), 0);
	name_of(1, name);
	assert_int_equal(model_rows(m, &q, w)->nr, 2);
	assert_null(find(m, &q, w, name));
	assert_true(find(m, &q, w, "[0x1010]")->flags & ROW_LOADING);

	s = begin(1); /* the name comes; the window has no more rows for it */
	put_object(s, 2, OBJECT_READY);
	put_place(s, 1, true);
	put_rows(s, 1, 3, 1);
	assert_int_equal(model_add(m, s), 0);
	assert_int_equal(model_rows(m, &q, w)->nr, 2);
	assert_non_null(find(m, &q, w, name));
	assert_int_equal(find(m, &q, w, name)->flags & ROW_LOADING, 0);
	assert_int_equal(model_rows(m, &q, WINDOW_ALL)->samples, model_rows(m, &q, (struct window){0, 2 * TICK})->samples);

	assert_int_equal(find(m, &tasks, w, "task-0") ? find(m, &tasks, w, "task-0")->flags & ROW_EXITED : 0, 0);
	assert_int_equal(rowfilter_compile("function:nothing_of_this", &f, NULL), 0);
	q.filter = f;
	assert_int_equal(model_rows(m, &q, w)->nr, 0);
	rowfilter_free(f);
	assert_int_equal(rowfilter_compile("function:::|g", &f, NULL), 0); /* where the other one was, maybe */
	q.filter = f;
	assert_int_equal(model_rows(m, &q, w)->nr, 2);
	rowfilter_free(f);
	q.filter = NULL;
	q.limit = 1;
	assert_int_equal(model_rows(m, &q, w)->nr, 1);
	assert_int_equal(model_rows(m, &q, w)->all, 2);
	model_zero(m);
	assert_int_equal(model_rows(m, &q, w)->nr, 0);
	assert_int_equal(model_rows(m, &q, WINDOW_ALL)->nr, 0);
	model_free(m);
}

/* What is kept of a model, and what the same one says that keeps nothing. */
static void same_rows(struct model *kept, struct model *fresh, const struct query *q, struct window w)
{
	const struct rows *is, *ought;

	is = model_rows(kept, q, w);
	rows_forget(fresh);
	ought = model_rows(fresh, q, w);
	assert_non_null(is);
	assert_non_null(ought);
	assert_int_equal(is->nr, ought->nr);
	assert_int_equal(is->attributed, ought->attributed);
	assert_int_equal(is->samples, ought->samples);
	assert_int_equal(is->shown, ought->shown);
	for (size_t i = 0; i < is->nr; i++) {
		const struct row *a = &is->row[i], *b = &ought->row[i];

		assert_string_equal(a->name, b->name);
		assert_string_equal(a->object, b->object);
		assert_int_equal(a->key, b->key);
		assert_int_equal(model_row_key(kept, i), b->key);
		assert_int_equal(a->flags, b->flags);
		assert_int_equal(a->self, b->self);
		assert_int_equal(a->total, b->total);
		assert_int_equal(a->samples, b->samples);
	}
}

enum { TURNS = 400, QUESTIONS = 7 };

static void make_questions(struct query q[QUESTIONS], struct rowfilter *f[2])
{
	assert_int_equal(rowfilter_compile("function:7", &f[0], NULL), 0);
	assert_int_equal(rowfilter_compile("function:::", &f[1], NULL), 0);
	for (size_t i = 0; i < QUESTIONS; i++)
		q[i] = (struct query){.sort = SORT_SELF, .show_self = true};
	q[1].sort = SORT_NAME;
	q[2].reverse = true;
	q[3].group = GROUP_OBJECT;
	q[4].group = GROUP_TASK;
	q[5].filter = f[0];
	q[6].filter = f[1];
}

/* The same slice into both. */
static void add_to_both(struct model *a, struct model *b, uint64_t tick, uint32_t from, uint32_t to, bool named)
{
	for (int i = 0; i < 2; i++) {
		struct slice *s = begin(tick);

		for (uint32_t p = from; p < to; p++)
			put_place(s, p, named);
		put_rows(s, 1, to, tick);
		assert_int_equal(model_add(i ? b : a, s), 0);
	}
}

/* Several questions in turn, of which some answers are kept; and slices, names, windows, filters that come between. */
static void test_in_turn(void **state)
{
	struct model *kept = model_create(&info, 0), *fresh = model_create(&info, 0);
	struct query q[QUESTIONS];
	struct rowfilter *f[2];
	uint64_t tick = 0, random = 1;
	uint32_t places = 1;

	(void)state;
	assert_non_null(kept);
	assert_non_null(fresh);
	make_questions(q, f);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct window past = {0, 2 * TICK}, last = {tick > 5 ? (tick - 5) * TICK : 0, tick * TICK};

		random = scatter(random + turn);
		if (turn < 4 || random % 8 == 0) { /* new ones have no names yet */
			add_to_both(kept, fresh, tick++, places, places + 20, random & 256);
			places = places + 20 < NAMED ? places + 20 : places;
		} else if (random % 8 == 1) { /* which come */
			add_to_both(kept, fresh, tick++, places / 2, places, true);
		} else if (random % 64 == 2) {
			model_zero(kept);
			model_zero(fresh);
		}
		same_rows(kept, fresh, &q[(random >> 16) % QUESTIONS], WINDOW_ALL);
		same_rows(kept, fresh, &q[(random >> 20) % QUESTIONS], past);
		same_rows(kept, fresh, &q[(random >> 24) % QUESTIONS], last);
		same_rows(kept, fresh, &q[(random >> 16) % QUESTIONS], last);
	}
	rowfilter_free(f[0]);
	rowfilter_free(f[1]);
	model_free(kept);
	model_free(fresh);
}

/* How often groups were added up. */
static uint64_t answers(const struct model *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ROWS_KEPT; i++)
		sum += m->works[i]->taken;
	return sum;
}

/* Whoever goes to another view and comes back finds the rows as they were. */
static void test_comes_back(void **state)
{
	struct model *m = model_create(&info, 0);
	struct query q = {.sort = SORT_NAME, .show_self = true}, tasks = {.group = GROUP_TASK, .sort = SORT_SELF};
	const struct window w = {0, TICK};
	struct slice *s;
	uint64_t was;

	(void)state;
	assert_non_null(m);
	s = begin(0);
	put_place(s, 1, true);
	put_rows(s, 1, 2, 0);
	assert_int_equal(model_add(m, s), 0);
	assert_non_null(model_rows(m, &q, w));
	assert_non_null(model_rows(m, &tasks, w));
	was = answers(m);
	for (int i = 0; i < 10; i++)
		assert_non_null(model_rows(m, i % 2 ? &q : &tasks, w));
	assert_int_equal(answers(m), was);
	q.hide_kernel = true;
	assert_non_null(model_rows(m, &q, w));
	assert_int_equal(answers(m), was + 1);
	model_free(m);
}

/* Of some rows what is the same of all. */
static void same_trends(struct model *m, struct query q, struct window w, size_t least)
{
	struct query whole = q;
	float trend[PLACES][TREND_NR];
	const struct rows *r;
	size_t nr;

	whole.trend = true;
	r = model_rows(m, &whole, w);
	assert_non_null(r);
	nr = r->nr;
	assert_true(nr >= least);
	for (size_t i = 0; i < nr; i++)
		memcpy(trend[i], r->row[i].trend, sizeof(trend[i]));
	rows_forget(m); /* else those are taken that have theirs */
	for (size_t from = 0; from < nr; from += 7) {
		r = model_rows(m, &q, w);
		assert_non_null(r);
		assert_int_equal(r->nr, nr);
		assert_int_equal(model_trends(m, &q, w, from, 10), 0);
		for (size_t i = from; i < from + 10 && i < nr; i++)
			assert_memory_equal(r->row[i].trend, trend[i], sizeof(trend[i]));
	}
	assert_int_equal(model_trends(m, &q, w, nr, 10), 0);
}

static void test_trends(void **state)
{
	struct model *m = model_create(&info, 0);
	struct query q = {.sort = SORT_NAME, .show_self = true};
	const struct window w = {5 * TICK, 25 * TICK};
	struct rowfilter *f;

	(void)state;
	assert_non_null(m);
	for (uint64_t tick = 0; tick < 30; tick++) {
		struct slice *s = begin(tick);

		for (uint32_t i = 1; !tick && i < 200; i++)
			put_place(s, i, true);
		put_rows(s, 1 + (uint32_t)tick, 150 + (uint32_t)tick, tick);
		assert_int_equal(model_add(m, s), 0);
	}
	same_trends(m, q, w, 100);
	/* Rows have what passes alone, a part of what is called so. */
	assert_int_equal(rowfilter_compile("function:7 task:-1", &f, NULL), 0);
	q.filter = f;
	same_trends(m, q, w, 2);
	rowfilter_free(f);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_order_lost), cmocka_unit_test(test_order_heavy),
		cmocka_unit_test(test_stands_still),
		cmocka_unit_test(test_in_turn), cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_trends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
