/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionary's sending side, seen from a receiver that believes nothing: whatever is said refers
 * to what was said before and not released since, and ids that are given out again mean something
 * else from then on.
 */
#include "names/resolve/dictout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/budget.h"
#include "base/clock.h"

#define IDS 4096

struct receiver {
	bool known[DICT_NR][IDS];
	struct dict_object object[IDS];
	struct dict_symbol symbol[IDS];
	struct dict_frame frame[IDS];
	struct dict_path path[IDS];
	struct dict_task task[IDS];
	char string[IDS][64];
};

static void need(const struct receiver *v, enum dict_kind k, uint32_t id)
{
	assert_true(id < IDS);
	if (id)
		assert_true(v->known[k][id]);
}

static void learn(struct receiver *v, enum dict_kind k, uint32_t id)
{
	assert_true(id > 0 && id < IDS);
	v->known[k][id] = true;
}

static void take_upserts(struct receiver *v, const struct dict_delta *d)
{
	for (size_t i = 0; i < d->nr[DICT_STRING]; i++) {
		learn(v, DICT_STRING, d->strings[i].id);
		snprintf(v->string[d->strings[i].id], 64, "%s", d->strings[i].text);
	}
	for (size_t i = 0; i < d->nr[DICT_OBJECT]; i++) {
		learn(v, DICT_OBJECT, d->objects[i].id);
		v->object[d->objects[i].id] = d->objects[i];
		need(v, DICT_STRING, d->objects[i].name);
		need(v, DICT_STRING, d->objects[i].why);
	}
	for (size_t i = 0; i < d->nr[DICT_SYMBOL]; i++) {
		learn(v, DICT_SYMBOL, d->symbols[i].id);
		v->symbol[d->symbols[i].id] = d->symbols[i];
		need(v, DICT_STRING, d->symbols[i].name);
		need(v, DICT_OBJECT, d->symbols[i].object);
	}
	for (size_t i = 0; i < d->nr[DICT_FRAME]; i++) {
		learn(v, DICT_FRAME, d->frames[i].id);
		v->frame[d->frames[i].id] = d->frames[i];
		need(v, DICT_OBJECT, d->frames[i].object);
		need(v, DICT_SYMBOL, d->frames[i].symbol);
		need(v, DICT_STRING, d->frames[i].file);
		need(v, DICT_FRAME, d->frames[i].inner);
	}
	for (size_t i = 0; i < d->nr[DICT_PATH]; i++) {
		learn(v, DICT_PATH, d->paths[i].id);
		v->path[d->paths[i].id] = d->paths[i];
		need(v, DICT_PATH, d->paths[i].parent);
		need(v, DICT_FRAME, d->paths[i].frame);
	}
	for (size_t i = 0; i < d->nr[DICT_TASK]; i++) {
		learn(v, DICT_TASK, d->tasks[i].id);
		v->task[d->tasks[i].id] = d->tasks[i];
		need(v, DICT_STRING, d->tasks[i].comm);
		need(v, DICT_STRING, d->tasks[i].proc_comm);
	}
}

/* What is left must not refer to what is gone. */
static void check_all(const struct receiver *v)
{
	for (uint32_t id = 1; id < IDS; id++) {
		if (v->known[DICT_OBJECT][id])
			need(v, DICT_STRING, v->object[id].name);
		if (v->known[DICT_SYMBOL][id]) {
			need(v, DICT_STRING, v->symbol[id].name);
			need(v, DICT_OBJECT, v->symbol[id].object);
		}
		if (v->known[DICT_FRAME][id]) {
			need(v, DICT_OBJECT, v->frame[id].object);
			need(v, DICT_SYMBOL, v->frame[id].symbol);
		}
		if (v->known[DICT_PATH][id]) {
			need(v, DICT_PATH, v->path[id].parent);
			need(v, DICT_FRAME, v->path[id].frame);
		}
		if (v->known[DICT_TASK][id])
			need(v, DICT_STRING, v->task[id].comm);
	}
}

static void take_slice(struct receiver *v, struct slice *s)
{
	bool any = false;

	take_upserts(v, &s->dict);
	for (int k = 0; k < DICT_NR; k++) {
		for (size_t i = 0; i < s->dict.nreleased[k]; i++) {
			need(v, (enum dict_kind)k, s->dict.released[k][i]);
			v->known[k][s->dict.released[k][i]] = false;
			any = true;
		}
	}
	if (any)
		check_all(v);
	slice_free(s);
}

#define BEAT 100 /* ms between slices, where nothing else is said */

static uint64_t clock_ms; /* as long as all of this runs, as the session's */

static struct slice *begin_after(struct dictout *n, uint64_t ms)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	clock_ms += ms;
	dictout_begin(n, s, clock_ms * NSEC_PER_MSEC);
	return s;
}

static struct slice *begin(struct dictout *n)
{
	return begin_after(n, BEAT);
}

static uint32_t string(struct dictout *n, const char *text)
{
	return dictout_string(n, text, strlen(text));
}

static uint32_t object(struct dictout *n, const char *name)
{
	struct dict_object o = {.name = string(n, name), .state = OBJECT_READY};

	return dictout_object(n, name, strlen(name), &o);
}

static void test_once(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct slice *s = begin(n);
	uint32_t a = object(n, "/bin/a"), sym = dictout_symbol(n, a, 0x100, 8, "main"), f, path;
	struct frame_key key = {.place = 1, .addr = 0x104};
	struct dict_frame v = {.object = a, .symbol = sym, .addr = 0x104};
	bool fresh;

	(void)state;
	assert_int_equal(string(n, "x"), string(n, "x"));
	assert_int_not_equal(string(n, "x"), string(n, "y"));
	assert_int_equal(dictout_symbol(n, a, 0x100, 8, "main"), sym);
	assert_int_not_equal(dictout_symbol(n, a, 0x200, 8, "main"), sym);
	f = dictout_frame(n, &key, &v, &fresh);
	assert_true(fresh);
	assert_int_equal(dictout_frame(n, &key, &v, &fresh), f);
	assert_false(fresh);
	key.version = 1; /* a JIT has written its code anew */
	assert_int_not_equal(dictout_frame(n, &key, &v, &fresh), f);
	path = dictout_path(n, 0, f);
	assert_int_not_equal(dictout_path(n, path, f), path); /* recursion */
	assert_int_equal(dictout_path_value(n, path)->frame, f);
	assert_int_equal(dictout_frame_value(n, f)->addr, 0x104);
	assert_int_equal(dictout_object_value(n, a)->state, OBJECT_READY);
	assert_int_equal(s->dict.nr[DICT_FRAME], 2);
	assert_int_equal(s->dict.nr[DICT_PATH], 2);
	assert_int_equal(s->dict.nr[DICT_SYMBOL], 2);
	slice_free(s);
	/* In the next slice all is known, and only what changes is said. */
	s = begin(n);
	assert_int_equal(dictout_path(n, 0, f), path);
	assert_int_equal(object(n, "/bin/a"), a);
	for (int k = 0; k < DICT_NR; k++)
		assert_int_equal(s->dict.nr[k], 0);
	v.addr = 0x999;
	dictout_frame_update(n, f, &v);
	assert_int_equal(s->dict.nr[DICT_FRAME], 1);
	assert_int_equal(s->dict.frames[0].id, f);
	assert_int_equal(s->dict.frames[0].addr, 0x999);
	assert_int_equal(dictout_frame_value(n, f)->addr, 0x999);
	slice_free(s);
	dictout_free(n);
	dictout_free(NULL);
}

static uint32_t frame_at(struct dictout *n, uint32_t object, uint64_t addr, uint32_t flags)
{
	struct frame_key key = {.place = object, .addr = addr};
	struct dict_frame v = {.object = object, .addr = addr, .flags = flags};

	return dictout_frame(n, &key, &v, NULL);
}

/* Paths and frames go after a sixth of the time where they are many, but for those that wait. */
static void check_many(unsigned nr, bool gone)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct slice *s = begin(n);
	struct dict_object loading = {.name = string(n, "/bin/slow"), .state = OBJECT_LOADING};
	uint32_t ready = object(n, "/bin/a"), slow = dictout_object(n, "slow", 4, &loading);
	uint32_t waits[] = {frame_at(n, slow, 1, 0), frame_at(n, ready, 2, FRAME_PENDING)};
	uint32_t last = 0;

	for (unsigned i = 0; i < nr; i++)
		dictout_path(n, 0, last = frame_at(n, ready, 100 + i, 0));
	slice_free(s);
	s = begin_after(n, 5001);
	dictout_sweep(n, 30000);
	assert_int_equal(s->dict.nreleased[DICT_FRAME], gone ? nr : 0);
	assert_int_equal(s->dict.nreleased[DICT_PATH], gone ? nr : 0);
	assert_int_equal(dictout_frame_known(n, last), !gone);
	assert_true(dictout_frame_known(n, waits[0]) && dictout_frame_known(n, waits[1]));
	assert_false(dictout_heavy(n));
	slice_free(s);
	s = begin_after(n, 25000);
	dictout_sweep(n, 30000);
	assert_false(dictout_frame_known(n, last));
	assert_true(dictout_frame_known(n, waits[0]) && dictout_frame_known(n, waits[1]));
	slice_free(s);
	dictout_free(n);
}

static void test_many(void **state)
{
	(void)state;
	check_many(100, false);
	check_many(20000, true);
}

/* Slices without end in a moment, as first names make them, age nothing; nor does the number of them. */
static void test_early_slices(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct slice *s = begin(n);
	uint32_t unused = frame_at(n, object(n, "/bin/a"), 1, 0);

	(void)state;
	slice_free(s);
	for (unsigned i = 0; i < 5000; i++) {
		s = begin_after(n, i % 10 == 0);
		dictout_sweep(n, 30000);
		slice_free(s);
	}
	assert_true(dictout_frame_known(n, unused));
	/* One that comes after long is as good as many. */
	s = begin_after(n, 29600);
	dictout_sweep(n, 30000);
	assert_false(dictout_frame_known(n, unused));
	slice_free(s);
	dictout_free(n);
}

/* What waits stays, with what it stands on, where memory is refused, too; in the end it is told that no name comes. */
static void test_waiting(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct receiver *v = calloc(1, sizeof(*v));
	struct slice *s = begin(n);
	struct dict_object o = {.name = string(n, "/bin/slow"), .state = OBJECT_LOADING};
	uint32_t loading = frame_at(n, dictout_object(n, "slow", 4, &o), 1, 0);
	uint32_t pending = frame_at(n, object(n, "/bin/a"), 2, FRAME_PENDING);

	(void)state;
	take_slice(v, s);
	for (unsigned i = 0; i < 29; i++) {
		s = begin_after(n, 10000);
		dictout_sweep(n, 30000);
		take_slice(v, s);
	}
	assert_true(v->known[DICT_FRAME][loading] && v->known[DICT_FRAME][pending]);
	assert_int_equal(dictout_given_up(n), 0);
	s = begin_after(n, 10001);
	dictout_sweep(n, 30000);
	take_slice(v, s);
	assert_false(v->known[DICT_FRAME][loading] || v->known[DICT_FRAME][pending]);
	assert_int_equal(v->frame[pending].flags & FRAME_PENDING, 0);
	assert_int_equal(dictout_given_up(n), 2);
	dictout_free(n);
	free(v);
}

/* Refused memory takes what is not used for a sixth of the time: not what a frame that waits stands on. */
static void test_waiting_refused(void **state)
{
	char text[4096] = "x";
	struct dictout *n;
	struct receiver *v = calloc(1, sizeof(*v));
	struct slice *s;
	struct dict_object o;
	uint32_t loading;
	struct err err;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	n = dictout_create(DICTOUT_MANY);
	s = begin(n);
	o = (struct dict_object){.name = string(n, "/bin/slow"), .state = OBJECT_LOADING};
	loading = frame_at(n, dictout_object(n, "slow", 4, &o), 1, 0);
	take_slice(v, s);
	s = begin(n);
	for (unsigned i = 0; i < 10000 && dictout_string(n, text, sizeof(text)); i++)
		memcpy(text, &i, sizeof(i));
	assert_int_equal(dictout_say(n, &err), -ENOBUFS);
	slice_free(s);
	s = begin_after(n, 10000);
	dictout_sweep(n, 30000);
	assert_true(s->dict.nreleased[DICT_STRING] > 100);
	for (size_t i = 0; i < s->dict.nreleased[DICT_STRING]; i++)
		assert_int_not_equal(s->dict.released[DICT_STRING][i], o.name);
	assert_int_equal(s->dict.nreleased[DICT_OBJECT], 0);
	assert_true(dictout_frame_known(n, loading));
	slice_free(s);
	dictout_free(n);
	free(v);
}

/* Who makes many wait for what never comes takes no room for long: then they are worth no more than what is unused. */
static void test_too_many_wait(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct slice *s = begin(n);
	uint32_t nr = DICTOUT_MANY / 2 + 1, a = object(n, "/bin/a");

	(void)state;
	for (unsigned i = 0; i < nr; i++)
		frame_at(n, a, i, FRAME_PENDING);
	slice_free(s);
	s = begin_after(n, 30000);
	dictout_sweep(n, 30000);
	assert_int_equal(s->dict.nreleased[DICT_FRAME], 0);
	slice_free(s);
	s = begin_after(n, 1);
	dictout_sweep(n, 30000);
	assert_int_equal(s->dict.nreleased[DICT_FRAME], nr);
	assert_int_equal(dictout_given_up(n), nr);
	slice_free(s);
	dictout_free(n);
}

/* Used through one thing alone, everything that it stands on stays. */
static void test_kept(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct receiver *v = calloc(1, sizeof(*v));
	struct slice *s = begin(n);
	uint32_t a = object(n, "/bin/a"), unused = object(n, "/bin/unused"), parent, path, f;
	struct dict_frame value = {.object = a, .symbol = dictout_symbol(n, a, 1, 1, "f")};

	(void)state;
	f = dictout_frame(n, &(struct frame_key){.place = 1, .addr = 1}, &value, NULL);
	parent = dictout_path(n, 0, f);
	value.addr = 2;
	path = dictout_path(n, parent,
			  dictout_frame(n, &(struct frame_key){.place = 1, .addr = 2}, &value, NULL));
	take_slice(v, s);
	for (int i = 0; i < 50; i++) {
		s = begin(n);
		dictout_touch_path(n, path);
		dictout_sweep(n, 5 * BEAT);
		take_slice(v, s);
	}
	assert_true(v->known[DICT_PATH][path] && v->known[DICT_PATH][parent]);
	assert_true(v->known[DICT_FRAME][f] && v->known[DICT_OBJECT][a]);
	assert_true(dictout_frame_known(n, f));
	assert_false(v->known[DICT_OBJECT][unused]);
	for (int i = 0; i < 10; i++) {
		s = begin(n);
		dictout_sweep(n, 5 * BEAT);
		take_slice(v, s);
	}
	for (int k = 0; k < DICT_NR; k++)
		for (uint32_t id = 0; id < IDS; id++)
			assert_false(v->known[k][id]);
	assert_false(dictout_frame_known(n, f));
	dictout_free(n);
	free(v);
}

static void test_reused(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct receiver *v = calloc(1, sizeof(*v));
	struct slice *s = begin(n);
	uint32_t first = string(n, "first"), again;

	(void)state;
	take_slice(v, s);
	assert_string_equal(v->string[first], "first");
	for (int i = 0; i < 3; i++)
		take_slice(v, begin(n));
	s = begin(n);
	dictout_sweep(n, 2 * BEAT);
	take_slice(v, s);
	s = begin(n);
	again = string(n, "again");
	assert_int_equal(again, first); /* ids stay small */
	take_slice(v, s);
	assert_string_equal(v->string[again], "again");
	s = begin(n);
	assert_int_not_equal(string(n, "first"), again); /* said anew */
	assert_int_equal(s->dict.nr[DICT_STRING], 1);
	take_slice(v, s);
	dictout_free(n);
	free(v);
}

static void test_tasks(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct slice *s = begin(n);
	struct dict_task t = {.pid = 1, .tid = 2, .comm = string(n, "")};
	uint32_t id = dictout_task(n, 7, &t);

	(void)state;
	assert_int_equal(dictout_task(n, 7, &t), id);
	assert_int_equal(s->dict.nr[DICT_TASK], 1);
	t.comm = string(n, "learnt"); /* the same life, under a name learnt late */
	assert_int_equal(dictout_task(n, 7, &t), id);
	assert_int_equal(s->dict.nr[DICT_TASK], 2);
	assert_int_equal(s->dict.tasks[1].comm, t.comm);
	assert_int_not_equal(dictout_task(n, 8, &t), id); /* another life */
	slice_free(s);
	dictout_free(n);
}

/* Where programs start and end all the time, their tasks go sooner; one that is used stays. */
static void test_many_tasks(void **state)
{
	(void)state;
	for (unsigned nr = 100; nr <= 3000; nr += 2900) {
		struct dictout *n = dictout_create(DICTOUT_MANY);
		struct dict_task t = {.pid = 1, .tid = 2};
		struct slice *s = begin(n);

		for (unsigned i = 1; i <= nr; i++)
			dictout_task(n, i, &t);
		for (unsigned i = 0; i < 60; i++) {
			slice_free(s);
			s = begin(n);
			dictout_task(n, 1, &t);
		}
		dictout_sweep(n, 300 * BEAT);
		assert_int_equal(s->dict.nreleased[DICT_TASK], nr == 100 ? 0 : nr - 1);
		slice_free(s);
		dictout_free(n);
	}
}

/* A long run of everything, some of it used for a while, then never again: memory follows use. */
static void test_random(void **state)
{
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct receiver *v = calloc(1, sizeof(*v));
	size_t early = 0;

	(void)state;
	srandom(6);
	for (unsigned tick = 1; tick <= 3000; tick++) {
		struct slice *s = begin(n);

		for (unsigned i = 0; i < 20; i++) {
			unsigned what = tick / 10 * 10 + (unsigned)random() % 40;
			uint32_t path = 0;
			char name[32];

			snprintf(name, sizeof(name), "/bin/%u", what);
			for (unsigned depth = 0; depth < 1 + what % 4; depth++) {
				struct dict_frame f = {.object = object(n, name), .addr = what + depth};

				f.symbol = dictout_symbol(n, f.object, what % 5, 1, name + 1);
				path = dictout_path(n, path, dictout_frame(n, &(struct frame_key){
						  .place = what, .addr = what + depth}, &f, NULL));
			}
			assert_true(path);
			dictout_task(n, what, &(struct dict_task){.pid = (int32_t)what,
				   .comm = string(n, name), .proc_comm = string(n, "p")});
		}
		if (tick % 7 == 0)
			dictout_sweep(n, 10 * BEAT);
		take_slice(v, s);
		if (tick == 500)
			early = dictout_bytes(n);
	}
	assert_true(dictout_bytes(n) <= early * 3 / 2);
	dictout_free(n);
	free(v);
}

static uint64_t names_taken(void)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.of[BUDGET_NAMES];
}

/* Texts without end: they have an eighth, what is said beside them goes on, and the unused make room. */
static void long_names_cost_names_alone(void **state)
{
	char text[4096];
	struct slice *s = slice_create();
	struct dictout *n;
	struct err err = {.code = 0};
	uint32_t id = 1;
	unsigned said = 0;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	n = dictout_create(DICTOUT_MANY);
	dictout_begin(n, s, clock_ms * NSEC_PER_MSEC);
	memset(text, 'x', sizeof(text));
	for (; id && said < 10000; said++) {
		memcpy(text, &said, sizeof(said));
		id = dictout_string(n, text, sizeof(text));
	}
	assert_int_equal(id, 0);
	assert_in_range(said, 250, BUDGET_MIN / 8 / sizeof(text));
	assert_true(names_taken() <= BUDGET_MIN / 4);
	assert_int_equal(dictout_say(n, &err), -ENOBUFS);
	assert_non_null(strstr(err.text, "names of functions and files would take "));
	for (uint64_t i = 1; i <= 1000; i++) {
		struct frame_key key = {.place = 1, .addr = i};
		uint32_t frame = dictout_frame(n, &key, &(struct dict_frame){.addr = i}, NULL);

		assert_int_not_equal(frame, 0);
		assert_int_not_equal(dictout_path(n, 0, frame), 0);
	}
	for (int tick = 0; tick < 60 && !dictout_heavy(n); tick++)
		dictout_begin(n, s, (clock_ms += BEAT) * NSEC_PER_MSEC);
	assert_true(dictout_heavy(n));
	dictout_sweep(n, 12 * BEAT); /* a sixth of it is enough where memory is refused */
	assert_false(dictout_heavy(n));
	assert_int_equal(dictout_say(n, &err), 0);
	assert_int_not_equal(dictout_string(n, text, sizeof(text)), 0);
	dictout_free(n);
	slice_free(s);
	assert_int_equal(names_taken(), 0);
}

/* Also of a test that failed on its way: those after it are not about a lack of memory. */
static int usual_budget(void **state)
{
	(void)state;
	budget_set_limit(BUDGET_DEFAULT);
	return 0;
}

/* Rows that share all but their leaves cost a look into the dictionary for each leaf, not for each of their frames. */
static void test_shared_paths(void **state)
{
	enum { ROWS = 1000, DEPTH = 50 };
	struct dictout *n = dictout_create(DICTOUT_MANY);
	struct slice *s;
	uint32_t leaf = 0, first = 0;

	(void)state;
	for (int tick = 1; tick <= 2; tick++) {
		s = begin(n);
		for (uint32_t row = 0; row < ROWS; row++) {
			uint32_t path = 0;

			for (uint32_t frame = 1; frame < DEPTH; frame++)
				path = dictout_path(n, path, frame);
			leaf = dictout_path(n, path, DEPTH + row);
			assert_true(leaf != 0);
			if (tick == 1 && !row)
				first = leaf;
			else if (!row)
				assert_int_equal(leaf, first);
		}
		/* The inner ones once in a tick; by each row, where two of them have one place: seldom many. */
		assert_in_range(dictout_looked_up(n), tick * (ROWS + DEPTH - 1), tick * ROWS * DEPTH / 4);
		slice_free(s);
	}
	dictout_free(n);
}

/* Many paths, by stretches: the same ones in each tick, hardly looked up; kept by that; another one once they were released. */
static void test_whole_paths(void **state)
{
	enum { ROWS = 20000, DEPTH = 11, TICKS = 6 };
	struct dictout *n = dictout_create(DICTOUT_MANY);
	static uint32_t id[ROWS];
	uint32_t frame[DEPTH], path, ready;
	uint64_t before = 0;
	size_t said = 0;
	struct slice *s;

	(void)state;
	for (int tick = 1; tick <= TICKS; tick++) {
		s = begin(n);
		ready = object(n, "/bin/a");
		for (uint32_t i = 1; i < DEPTH; i++)
			frame[i] = frame_at(n, ready, i, 0);
		before = dictout_looked_up(n);
		for (uint32_t row = 0; row < ROWS; row++) {
			frame[0] = frame_at(n, ready, DEPTH + row, 0);
			path = dictout_whole_path(n, frame, DEPTH);
			assert_true(path != 0);
			if (tick == 1)
				id[row] = path;
			assert_int_equal(path, id[row]);
			assert_int_equal(dictout_path_value(n, path)->frame, frame[0]);
		}
		if (tick == 3)
			assert_true(dictout_looked_up(n) - before < ROWS / 2);
		if (tick == 2) /* half a path is none */
			assert_int_equal(dictout_whole_path(n, (uint32_t[]){0, frame[1], frame[2], frame[3]}, 4), 0);
		if (tick == 2)
			assert_int_not_equal(dictout_whole_path(n, &frame[1], 3), 0);
		if (tick == 2)
			assert_int_equal(dictout_whole_path(n, (uint32_t[]){0, frame[1], frame[2], frame[3]}, 4), 0);
		/* What is not looked up is used all the same. */
		said += s->dict.nr[DICT_PATH];
		if (tick > 3)
			dictout_sweep(n, 12 * BEAT);
		said -= s->dict.nreleased[DICT_PATH];
		assert_true(s->dict.nreleased[DICT_PATH] <= 3);
		slice_free(s);
	}
	/* Nothing of them was used for long: they are released, and said again when they come back. */
	for (int tick = 0; tick < 20; tick++)
		slice_free(begin(n));
	s = begin(n);
	dictout_sweep(n, 12 * BEAT);
	assert_int_equal(s->dict.nreleased[DICT_PATH], said);
	slice_free(s);
	s = begin(n);
	ready = object(n, "/bin/a");
	for (uint32_t i = 0; i < DEPTH; i++)
		frame[i] = frame_at(n, ready, 1 + i, 0);
	assert_int_not_equal(dictout_whole_path(n, frame, DEPTH), 0);
	assert_int_equal(s->dict.nr[DICT_PATH], DEPTH);
	slice_free(s);
	dictout_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(long_names_cost_names_alone, usual_budget),
		cmocka_unit_test(test_once),  cmocka_unit_test(test_many), cmocka_unit_test(test_early_slices),
		cmocka_unit_test(test_waiting), cmocka_unit_test_teardown(test_waiting_refused, usual_budget),
		cmocka_unit_test(test_too_many_wait), cmocka_unit_test(test_kept),
		cmocka_unit_test(test_reused), cmocka_unit_test(test_tasks), cmocka_unit_test(test_many_tasks),
		cmocka_unit_test(test_random), cmocka_unit_test(test_shared_paths),
		cmocka_unit_test(test_whole_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
