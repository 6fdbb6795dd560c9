/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by fields in the model: a window has exactly its own, however the history was merged, thinned or bounded. */
#include "model/fields/fieldhists.h"
#include "model/fields/fieldquery.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/fields/fieldpaths.h"
#include "model/rows/rowfilter.h"
#include "model/core/state.h"
#include "tests/fieldstacks.h"
#include "tests/scatter.h"

#define TICK (100 * NSEC_PER_MSEC)

static struct session_event events[] = {
	{.name = "sched:sched_switch", .unit = "", .period = 1, .by = "next_comm, next_pid", .by_kinds = "sn"},
	{.name = "raw_syscalls:sys_enter", .unit = "", .period = 1, .by = "id", .by_kinds = "n"},
};

static const struct session_info info = {.nevents = 2, .events = events, .live = true};

static struct slice *tick(unsigned nr)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = nr * TICK;
	s->end = s->start + TICK;
	return s;
}

static void put(struct slice *s, unsigned event, unsigned by, const char *key, uint64_t count, uint64_t value)
{
	struct slice_field *f = slice_add_field(s);
	unsigned bin = value ? 64 - (unsigned)__builtin_clzll(value) : 0;

	assert_non_null(f);
	f->event = (uint16_t)event;
	f->by = (uint16_t)by;
	snprintf(f->key, sizeof(f->key), "%s", key);
	f->count = count;
	f->sum = count * value;
	f->min = f->max = value;
	f->hist[bin] = (uint32_t)count;
}

static const struct field_rows *ask(struct model *m, unsigned event, int by, enum sort_by sort, struct window w)
{
	const struct field_query q = {.event = event, .by = by, .sort = sort};
	const struct field_rows *r = model_fields(m, &q, w);

	assert_non_null(r);
	return r;
}

static const struct field_row *row(const struct field_rows *r, const char *key)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!strcmp(r->row[i].text, key) && !r->row[i].rest)
			return &r->row[i];
	return NULL;
}

static uint64_t hist_of(struct model *m, struct window w, const struct field_row *r, unsigned bin)
{
	uint64_t hist[1][SLICE_FIELD_BINS];

	assert_int_equal(model_field_hists(m, w, r, 1, hist), 0);
	return hist[0][bin];
}

static void windowed(void **state)
{
	struct model *m = model_create(&info, 0);
	const struct field_rows *r;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct slice *s = tick(i);

		put(s, 1, 0, "1", 1, i);
		put(s, 1, 0, i % 2 ? "60" : "-7", 10, 3);
		put(s, 0, 0, "gzip\t12", 2, 1);
		assert_int_equal(model_add(m, s), 0);
	}
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, (struct window){5 * TICK, 8 * TICK});
	assert_int_equal(r->nr, 3);
	assert_int_equal(r->count, 33);
	assert_int_equal(row(r, "1")->count, 3);
	assert_int_equal(row(r, "1")->sum, 5 + 6 + 7);
	assert_int_equal(row(r, "1")->min, 5);
	assert_int_equal(row(r, "1")->max, 7);
	assert_int_equal(hist_of(m, (struct window){5 * TICK, 8 * TICK}, row(r, "1"), 3), 3);
	assert_string_equal(r->row[0].text, "60"); /* 20 of it */
	assert_string_equal(r->names, "id");
	r = ask(m, 1, FIELDS_NEWEST, SORT_KEY, WINDOW_ALL);
	assert_int_equal(r->count, 20 + 200);
	assert_string_equal(r->row[0].text, "-7");
	assert_string_equal(r->row[1].text, "1");
	assert_string_equal(r->row[2].text, "60");
	assert_int_equal(hist_of(m, WINDOW_ALL, row(r, "60"), 2), 100);
	r = ask(m, 0, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->nr, 1);
	assert_int_equal(r->row[0].count, 40);
	model_zero(m);
	assert_int_equal(ask(m, 1, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL)->nr, 0);
	model_free(m);
}

/* Ten minutes: the fine level has become seconds, and these tens of them. */
static void merged(void **state)
{
	struct model *m = model_create(&info, 0);
	uint64_t count = 0;
	const struct field_rows *r;
	struct window w, kept;

	(void)state;
	for (unsigned i = 0; i < 7200; i++) {
		struct slice *s = tick(i);
		char key[16];

		snprintf(key, sizeof(key), "%u", i % 50);
		put(s, 1, 0, key, i % 7 + 1, i);
		s->latency = calloc(1, sizeof(*s->latency));
		slice_latency_take(s->latency, 1000 + i);
		assert_int_equal(model_add(m, s), 0);
	}
	assert_true(m->history.merged > 6000);
	w = (struct window){50 * NSEC_PER_SEC, 70 * NSEC_PER_SEC};
	kept = model_kept(m, w);
	for (unsigned i = (unsigned)(kept.from / TICK); i < kept.to / TICK; i++)
		count += i % 7 + 1;
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, w);
	assert_int_equal(r->nr, 50);
	assert_int_equal(r->count, count);
	struct slice_latency l;

	model_latency(m, w, &l);
	assert_int_equal(l.count, (kept.to - kept.from) / TICK);
	assert_int_equal(l.min, 1000 + kept.from / TICK);
	assert_int_equal(l.max, 1000 + kept.to / TICK - 1);
	model_latency(m, WINDOW_ALL, &l);
	assert_int_equal(l.count, 7200);
	model_free(m);
}

/* A budget far too small: keys are folded and counted, nothing is lost, and memory stays bounded. */
static void bounded(void **state)
{
	const size_t budget = 1 << 20;
	struct model *m = model_create(&info, budget);
	const struct field_rows *r;
	struct model_memory mem;
	uint64_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		struct slice *s = tick(i);

		for (unsigned k = 0; k < 1000; k++) {
			char key[16];

			snprintf(key, sizeof(key), "%llu", (unsigned long long)n++);
			put(s, 1, 0, key, 1, k);
		}
		assert_int_equal(model_add(m, s), 0);
	}
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->count, 600000);
	assert_true(r->row[r->nr - 1].rest);
	assert_true(model_fields_folded(m) > 0);
	model_memory(m, &mem);
	assert_true(mem.bytes < 3 * budget);
	/* A window of what is kept has all samples of its slices, too. */
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, (struct window){590 * TICK, 600 * TICK});
	assert_int_equal(r->count, (model_kept(m, (struct window){590 * TICK, 600 * TICK}).to -
				    model_kept(m, (struct window){590 * TICK, 600 * TICK}).from) / TICK * 1000);
	model_free(m);
}

/* Small keys of old slices go to the rest, and the window says so. */
static void thinned(void **state)
{
	struct model *m = model_create(&info, 640 << 10);
	const struct field_rows *r;
	struct window w;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct slice *s = tick(i);

		for (unsigned k = 0; k < 1250; k++) {
			char key[16];

			snprintf(key, sizeof(key), "%u", k);
			put(s, 1, 0, key, k == 17 ? 1000 : 1, k * 77u);
		}
		assert_int_equal(model_add(m, s), 0);
	}
	assert_true(m->history.thinned > 0);
	w = (struct window){model_first(m), model_first(m) + 1};
	assert_true(model_coarsened(m, w) & MODEL_THIN_FIELDS);
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, w);
	w = model_kept(m, w);
	assert_int_equal(r->count, (w.to - w.from) / TICK * 2249);
	assert_string_equal(r->row[0].text, "17");
	assert_true(r->row[r->nr - 1].rest);
	model_free(m);
}

/* What was summed up by other fields is never among the rows. */
static void changed(void **state)
{
	struct model *m = model_create(&info, 0);
	const struct field_rows *r;
	struct slice *s = tick(0);
	struct slice_change *c;

	(void)state;
	put(s, 1, 0, "1", 5, 1);
	assert_int_equal(model_add(m, s), 0);
	s = tick(1);
	c = slice_add_change(s);
	*c = (struct slice_change){.event = 1, .on = true, .was_on = true, .by_nr = 1, .by = "comm", .by_kinds = "s"};
	*slice_add_list(s) = (struct slice_fieldlist){.event = 1, .names = "id", .kinds = "n"};
	*slice_add_list(s) = (struct slice_fieldlist){.event = 1, .by = 1, .since = TICK, .names = "comm", .kinds = "s"};
	put(s, 1, 0, "1", 2, 1);
	put(s, 1, 1, "gzip", 3, 1);
	strcpy(events[1].by, "comm");
	strcpy(events[1].by_kinds, "s");
	events[1].by_nr = 1;
	assert_int_equal(model_add(m, s), 0);
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->nr, 1);
	assert_string_equal(r->row[0].text, "gzip");
	assert_string_equal(r->names, "comm");
	assert_int_equal(r->others, 7);
	assert_int_equal(r->since, TICK);
	assert_int_equal(r->nby, 2);
	r = ask(m, 1, 0, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->row[0].count, 7);
	assert_string_equal(r->names, "id");
	assert_string_equal(r->kinds, "n");
	/* Before the change the window has the other list, under its own names. */
	r = ask(m, 1, FIELDS_NEWEST, SORT_COUNT, (struct window){0, TICK});
	assert_string_equal(r->names, "id");
	assert_int_equal(r->count, 5);
	strcpy(events[1].by, "id");
	strcpy(events[1].by_kinds, "n");
	events[1].by_nr = 0;
	model_free(m);
}

static size_t matching(struct model *m, const char *text)
{
	struct field_query q = {.event = 0, .by = FIELDS_NEWEST, .sort = SORT_COUNT};
	struct rowfilter *f = NULL;
	const struct field_rows *r;

	assert_int_equal(rowfilter_compile_keys(text, events[0].by, &f, NULL), 0);
	q.filter = f;
	r = model_fields(m, &q, WINDOW_ALL);
	assert_non_null(r);
	rowfilter_free(f);
	return r->nr;
}

static void filtered(void **state)
{
	struct model *m = model_create(&info, 0);
	struct slice *s = tick(0);
	struct err err = {.code = 0};
	struct rowfilter *f;

	(void)state;
	put(s, 0, 0, "gzip\t12", 1, 1);
	put(s, 0, 0, "gcc\t13", 1, 1);
	put(s, 0, 0, "make\t120", 1, 1);
	assert_int_equal(model_add(m, s), 0);
	assert_int_equal(matching(m, "g"), 2);
	assert_int_equal(matching(m, "12"), 2);
	assert_int_equal(matching(m, "next_comm:12"), 0);
	assert_int_equal(matching(m, "next_pid:^12$"), 1);
	assert_int_equal(matching(m, "!next_comm:^g"), 1);
	assert_int_equal(matching(m, "object:libc"), 3); /* no part of these keys */
	assert_int_equal(rowfilter_compile_keys("stack:x", events[0].by, &f, &err), -EINVAL);
	assert_non_null(strstr(err.advice, "of sums by fields next_comm, next_pid"));
	assert_int_equal(rowfilter_compile("stack:x", &f, &err), -EINVAL);
	assert_non_null(strstr(err.advice, "those of --by"));
	assert_int_equal(rowfilter_compile("next_comm:x", &f, NULL), 0); /* a function's name may have it */
	rowfilter_free(f);
	model_free(m);
}

#define MOVED_TICKS 400u
#define MOVED_KEYS  60u

/* What tick i brings of key k: 0 of most. */
static uint64_t value_of(unsigned i, unsigned k)
{
	uint64_t h = scatter((uint64_t)i << 20 | k);

	return h % 3 ? 0 : 1 + (h >> 8) % 1000;
}

static void check_moved(struct model *m, unsigned from, unsigned to)
{
	const struct field_rows *r = ask(m, 1, FIELDS_NEWEST, SORT_KEY, (struct window){from * TICK, to * TICK});
	size_t met = 0;
	char key[8];

	for (unsigned k = 0; k < MOVED_KEYS; k++) {
		uint64_t count = 0, sum = 0, min = UINT64_MAX, max = 0;
		const struct field_row *of;

		for (unsigned i = from; i < to; i++) {
			uint64_t value = value_of(i, k);

			count += value ? 2 : 0;
			sum += 2 * value;
			min = value && value < min ? value : min;
			max = value > max ? value : max;
		}
		snprintf(key, sizeof(key), "%u", k);
		of = row(r, key);
		assert_int_equal(of ? of->count : 0, count);
		if (!count)
			continue;
		met++;
		assert_int_equal(of->sum, sum);
		assert_int_equal(of->min, min);
		assert_int_equal(of->max, max);
	}
	assert_int_equal(r->nr, met);
}

/* Windows that move on, jump, and go back over what is merged by then: each is exactly what its ticks brought. */
static void moved(void **state)
{
	struct model *m = model_create(&info, 0);
	char key[8];

	(void)state;
	for (unsigned i = 0; i < MOVED_TICKS; i++) {
		struct slice *s = tick(i);

		for (unsigned k = 0; k < MOVED_KEYS; k++) {
			snprintf(key, sizeof(key), "%u", k);
			if (value_of(i, k))
				put(s, 1, 0, key, 2, value_of(i, k));
		}
		assert_int_equal(model_add(m, s), 0);
		if (i >= 60 && (i % 10 == 3 || i % 7 == 0 || i % 100 < 8))
			check_moved(m, i + 1 - (i % 3 ? 50 : 51), i + 1);
		if (i >= 100 && i % 13 == 0)
			check_moved(m, i - 90 + (unsigned)(scatter(i) % 60), i - 20);
	}
	assert_true(m->history.merged > 0);
	for (unsigned to = 60; to < 200; to += 10) /* of which slices of 1 s are left */
		check_moved(m, to - 50, to);
	model_zero(m);
	assert_int_equal(ask(m, 1, FIELDS_NEWEST, SORT_KEY, (struct window){340 * TICK, 390 * TICK})->nr, 0);
	model_free(m);
}

/* --- call paths ------------------------------------------------------------------------------ */

static struct session_event pathed_event = {.name = "sys_enter", .unit = "", .period = 1, .by = "id, stack", .by_kinds = "np"};
static const struct session_info pathed_info = {.nevents = 1, .events = &pathed_event, .live = true};

static void say(struct slice *s, enum dict_kind kind, const void *entry)
{
	assert_int_equal(slice_upsert(s, kind, entry), 0);
}

/* Functions 1 to nr are named "f1", ...; frame 10 f + i is place i in f. */
static void say_functions(struct slice *s, uint32_t nr)
{
	say(s, DICT_STRING, &(struct dict_string){1, 6, "/bin/x"});
	say(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 1, .kind = OBJECT_FILE, .state = OBJECT_READY});
	for (uint32_t f = 1; f <= nr; f++) {
		char name[16];
		int len = snprintf(name, sizeof(name), "f%u", f);

		say(s, DICT_STRING, &(struct dict_string){1 + f, (uint32_t)len, name});
		say(s, DICT_SYMBOL, &(struct dict_symbol){.id = f, .name = 1 + f, .object = 1, .addr = f * 256, .size = 256});
		for (uint32_t i = 0; i < 3; i++)
			say(s, DICT_FRAME, &(struct dict_frame){.id = 10 * f + i, .object = 1, .symbol = f, .addr = f * 256 + i});
	}
}

static void put_path(struct slice *s, const char *key, uint32_t path, uint64_t count, uint64_t value)
{
	put(s, 0, 0, key, count, value);
	s->fields[s->nfields - 1].path = path;
}

static void assert_row(struct model *m, const struct field_row *r, const char *wanted, uint64_t count)
{
	char text[FIELDSTACKS_TEXT];

	fieldstacks_text(m, r, text, sizeof(text));
	assert_string_equal(text, wanted);
	assert_int_equal(r->count, count);
}

/* Paths of the same functions are one row, at whichever places; others are others, and so are other texts. */
static void pathed(void **state)
{
	struct model *m = model_create(&pathed_info, 0);
	struct slice *s = tick(0);
	const struct field_rows *r;

	(void)state;
	say_functions(s, 3);
	say(s, DICT_PATH, &(struct dict_path){1, 0, 10});
	say(s, DICT_PATH, &(struct dict_path){2, 0, 11});
	say(s, DICT_PATH, &(struct dict_path){3, 1, 20}); /* f2 < f1 */
	say(s, DICT_PATH, &(struct dict_path){4, 2, 21}); /* the same */
	say(s, DICT_PATH, &(struct dict_path){5, 1, 30}); /* f3 < f1 */
	put_path(s, "7\t", 3, 1, 4);
	put_path(s, "7\t", 4, 2, 2);
	put_path(s, "7\t", 5, 4, 1);
	put_path(s, "8\t", 3, 8, 1);
	put_path(s, "7\t", 0, 16, 1);
	assert_int_equal(model_add(m, s), 0);
	for (int all = 0; all < 2; all++) {
		struct window w = all ? WINDOW_ALL : (struct window){0, TICK};

		r = ask(m, 0, FIELDS_NEWEST, SORT_COUNT, w);
		assert_int_equal(r->nr, 4);
		assert_int_equal(r->all, 4);
		assert_int_equal(r->count, 31);
		assert_row(m, &r->row[0], "7\t", 16);
		assert_row(m, &r->row[1], "8\tf2 < f1", 8);
		assert_row(m, &r->row[2], "7\tf3 < f1", 4);
		assert_row(m, &r->row[3], "7\tf2 < f1", 3);
		assert_int_equal(r->row[3].min, 2);
		assert_int_equal(r->row[3].max, 4);
		assert_int_equal(r->row[3].sum, 8);
		assert_int_equal(hist_of(m, w, &r->row[3], 2), 2);
		assert_int_equal(hist_of(m, w, &r->row[3], 3), 1);
		r = ask(m, 0, FIELDS_NEWEST, SORT_KEY, w);
		assert_row(m, &r->row[0], "7\t", 16);
		assert_row(m, &r->row[1], "7\tf2 < f1", 3);
		assert_row(m, &r->row[2], "7\tf3 < f1", 4);
		assert_row(m, &r->row[3], "8\tf2 < f1", 8);
	}
	model_free(m);
}

/* A name that comes later, and a function that is inlined: rows become what they are seen to be. */
static void path_named(void **state)
{
	struct model *m = model_create(&pathed_info, 0);
	struct slice *s = tick(0);
	const struct field_rows *r;

	(void)state;
	say_functions(s, 2);
	say(s, DICT_FRAME, &(struct dict_frame){.id = 90, .object = 1, .addr = 515});
	say(s, DICT_PATH, &(struct dict_path){1, 0, 10});
	say(s, DICT_PATH, &(struct dict_path){2, 1, 20});
	say(s, DICT_PATH, &(struct dict_path){3, 1, 90});
	put_path(s, "7\t", 2, 1, 1);
	put_path(s, "7\t", 3, 2, 1);
	assert_int_equal(model_add(m, s), 0);
	assert_int_equal(ask(m, 0, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL)->nr, 2);
	s = tick(1);
	say(s, DICT_FRAME, &(struct dict_frame){.id = 90, .object = 1, .symbol = 2, .addr = 515});
	assert_int_equal(model_add(m, s), 0);
	r = ask(m, 0, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->nr, 1);
	assert_row(m, &r->row[0], "7\tf2 < f1", 3);
	s = tick(2);
	say(s, DICT_STRING, &(struct dict_string){50, 5, "small"});
	say(s, DICT_SYMBOL, &(struct dict_symbol){.id = 50, .name = 50, .object = 1});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 91, .object = 1, .symbol = 50, .addr = 515, .level = 1, .flags = FRAME_INLINED});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 90, .object = 1, .symbol = 2, .addr = 515, .inner = 91});
	assert_int_equal(model_add(m, s), 0);
	r = ask(m, 0, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->nr, 2);
	assert_row(m, &r->row[0], "7\tsmall < f2 < f1", 2);
	assert_row(m, &r->row[1], "7\tf2 < f1", 1);
	model_free(m);
}

static size_t path_matching(struct model *m, const char *text)
{
	struct field_query q = {.by = FIELDS_NEWEST, .sort = SORT_COUNT};
	struct rowfilter *f = NULL;
	const struct field_rows *r;

	assert_int_equal(rowfilter_compile_keys(text, pathed_event.by, &f, NULL), 0);
	q.filter = f;
	r = model_fields(m, &q, WINDOW_ALL);
	assert_non_null(r);
	rowfilter_free(f);
	return r->nr;
}

static void path_filtered(void **state)
{
	struct model *m = model_create(&pathed_info, 0);
	struct slice *s = tick(0);

	(void)state;
	say_functions(s, 3);
	say(s, DICT_PATH, &(struct dict_path){1, 0, 10});
	say(s, DICT_PATH, &(struct dict_path){2, 1, 20});
	say(s, DICT_PATH, &(struct dict_path){3, 2, 30});
	say(s, DICT_PATH, &(struct dict_path){4, 2, 31});
	put_path(s, "7\t", 1, 1, 1);
	put_path(s, "7\t", 2, 1, 1);
	put_path(s, "7\t", 3, 1, 1);
	put_path(s, "7\t", 4, 1, 1);
	put_path(s, "2\t", 0, 1, 1);
	assert_int_equal(model_add(m, s), 0);
	assert_int_equal(path_matching(m, "f1"), 3);
	assert_int_equal(path_matching(m, "f2"), 2);
	assert_int_equal(path_matching(m, "stack:^f3$"), 1);
	assert_int_equal(path_matching(m, "!f2"), 2);
	assert_int_equal(path_matching(m, "!stack:f"), 1);
	assert_int_equal(path_matching(m, "2"), 3); /* of a function, or an id */
	assert_int_equal(path_matching(m, "id:f"), 0);
	assert_int_equal(path_matching(m, "f2 id:7"), 2);
	model_free(m);
}

/*
 * The session lets go of its paths, the history thins what is old, and the dictionary is collected: what keys speak of
 * stays, and a path is what it was.  A budget far too small: nothing is lost.
 */
static void path_kept(void **state)
{
	const size_t budget = 2 << 20;
	struct model *m = model_create(&pathed_info, budget);
	const struct field_rows *r;
	struct model_memory mem;
	uint64_t count = 0;

	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		struct slice *s = tick(i);
		uint32_t of = 1 + i % 7;

		/* f1 to f7 for good; 60 functions whose names nobody knows, new ones each time. */
		say_functions(s, 7);
		say(s, DICT_PATH, &(struct dict_path){1, 0, 10 * of});
		put_path(s, "1\t", 1, 100, 1);
		for (uint32_t p = 0; p < 60; p++) {
			say(s, DICT_FRAME, &(struct dict_frame){.id = 100 + p, .object = 1, .addr = 1000000 + (i * 60 + p) * 16});
			say(s, DICT_PATH, &(struct dict_path){2 + p, 1, 100 + p});
			put_path(s, "2\t", 2 + p, 1, 1);
			slice_release(s, DICT_PATH, 2 + p);
			slice_release(s, DICT_FRAME, 100 + p);
		}
		slice_release(s, DICT_PATH, 1);
		assert_int_equal(model_add(m, s), 0);
		count += 160;
	}
	assert_true(m->collections > 0);
	assert_true(m->fieldkeys.path_bytes > 0);
	assert_true(model_fields_folded(m) > 0);
	model_memory(m, &mem);
	assert_true(mem.bytes < 3 * budget);
	r = ask(m, 0, FIELDS_NEWEST, SORT_COUNT, WINDOW_ALL);
	assert_int_equal(r->count, count);
	for (unsigned i = 0; i < 7; i++) {
		char text[FIELDSTACKS_TEXT];

		fieldstacks_text(m, &r->row[i], text, sizeof(text));
		assert_true(r->row[i].count == 100 * 215 || r->row[i].count == 100 * 214);
		assert_int_equal(strncmp(text, "1\tf", 3), 0);
	}
	assert_true(r->row[r->nr - 1].rest);
	for (size_t i = 0; i < r->nr; i++) {
		struct fieldpaths_at at = {.path = r->row[i].path};
		const char *name, *last = "";
		char address[32], held[32] = "";

		for (; (name = model_field_frame(m, &at, address)); last = held)
			snprintf(held, sizeof(held), "%s", name);
		assert_true(r->row[i].rest || *last == 'f');
	}
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windowed), cmocka_unit_test(merged),  cmocka_unit_test(bounded),
		cmocka_unit_test(thinned),  cmocka_unit_test(changed), cmocka_unit_test(filtered),
		cmocka_unit_test(moved), cmocka_unit_test(pathed), cmocka_unit_test(path_named), cmocka_unit_test(path_filtered),
		cmocka_unit_test(path_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
