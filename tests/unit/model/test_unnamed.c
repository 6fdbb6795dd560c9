/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unnamed code of a process is one row, in windows and totals, until it has names: then what ran before has them, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/model.h"
#include "model/compare/profile.h"
#include "model/core/stacks.h"
#include "model/tree/tree.h"

#define MS 1000000ull

static struct session_event events[1] = {{.name = "cpu-clock", .unit = "ns", .period = MS}};
static struct session_info info = {.nevents = 1, .events = events, .live = true, .cpus = 1};

static void say(struct slice *s, enum dict_kind kind, const void *v)
{
	assert_int_equal(slice_upsert(s, kind, v), 0);
}

static void say_string(struct slice *s, uint32_t id, const char *text)
{
	say(s, DICT_STRING, &(struct dict_string){.id = id, .text = text, .len = (uint32_t)strlen(text)});
}

static struct slice *begin(unsigned tick)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = tick * 100 * MS;
	s->end = s->start + 100 * MS;
	return s;
}

static void add_row(struct slice *s, uint32_t path, uint32_t samples)
{
	struct slice_row *r = slice_add_row(s);

	assert_non_null(r);
	*r = (struct slice_row){.path = path, .task = 1, .samples = samples, .weight = samples * MS};
}

/* Process 42 with two addresses: the second one calls the first. */
static struct slice *first(void)
{
	struct slice *s = begin(0);

	say_string(s, 1, "[JIT] 42 java");
	say_string(s, 2, "jcmd");
	say_string(s, 3, "java");
	say(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 1, .why = 2, .kind = OBJECT_ANON, .state = OBJECT_NAMELESS});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 1, .object = 1, .addr = 0x1000});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 2, .object = 1, .addr = 0x2000});
	say(s, DICT_PATH, &(struct dict_path){.id = 2, .frame = 2});
	say(s, DICT_PATH, &(struct dict_path){.id = 1, .frame = 1, .parent = 2});
	say(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = 3, .proc_comm = 3, .pid = 42, .tid = 42});
	add_row(s, 1, 10);
	add_row(s, 2, 5);
	return s;
}

/* One of them gets a name, in the object of what has names. */
static struct slice *named(void)
{
	struct slice *s = begin(1);

	say_string(s, 4, "[jit]");
	say_string(s, 5, "hot");
	say(s, DICT_OBJECT, &(struct dict_object){.id = 2, .name = 4, .kind = OBJECT_JIT, .state = OBJECT_READY});
	say(s, DICT_SYMBOL, &(struct dict_symbol){.id = 1, .name = 5, .object = 2, .addr = 0x1000, .size = 16});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 1, .object = 2, .symbol = 1, .addr = 0x1000});
	add_row(s, 1, 1);
	return s;
}

/* The process is another program's by now, and its addresses are said again. */
static struct slice *renamed(void)
{
	struct slice *s = begin(1);

	say_string(s, 6, "[JIT] 42 node");
	say(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 6, .why = 2, .kind = OBJECT_ANON, .state = OBJECT_NAMELESS});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 1, .object = 1, .addr = 0x1000});
	say(s, DICT_FRAME, &(struct dict_frame){.id = 2, .object = 1, .addr = 0x2000});
	add_row(s, 1, 1);
	return s;
}

static const struct row *find(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return &rows->row[i];
	return NULL;
}

static void check(struct model *m, struct window w, const char *name, uint64_t self, uint64_t total, size_t nr)
{
	const struct query q = {.group = GROUP_FUNCTION};
	const struct rows *rows = model_rows(m, &q, w);
	const struct row *r;

	assert_non_null(rows);
	assert_int_equal(rows->nr, nr);
	r = find(rows, name);
	assert_non_null(r);
	assert_int_equal(r->self, self * MS);
	assert_int_equal(r->total, total * MS);
	assert_string_equal(r->task, "java");
}

/* What is exported as flat tables (pprof, Firefox): one function, with each address a place in it. */
static void check_stacks(struct model *m, struct window w)
{
	const struct query q = {.group = GROUP_FUNCTION};
	struct stacks *s = stacks_create(m, &q, w, STACKS_ALL_EVENTS);

	assert_non_null(s);
	assert_int_equal(s->nfunctions, 1);
	assert_string_equal(s->functions[0].name, "[JIT] 42 java");
	assert_true(s->functions[0].place);
	assert_int_equal(s->nframes, 2);
	assert_int_equal(s->frames[0].addr + s->frames[1].addr, 0x3000);
	stacks_free(s);
}

/* Blocks of time know what the row has, so that a change of it can be named. */
static void check_profile(struct model *m, struct window w, uint64_t weight)
{
	const struct query q = {.group = GROUP_FUNCTION};
	struct profile p;
	uint64_t sum = 0;

	assert_int_equal(profile_take(m, &q, w, &p), 0);
	assert_int_equal(p.nrows, 1);
	assert_int_equal(p.rows[0].weight, weight * MS);
	for (size_t i = 0; i < p.rows[0].nr; i++)
		sum += p.counts[p.rows[0].first + i].weight;
	assert_int_equal(sum, weight * MS);
	profile_clear(&p);
}

static void test_one_row(void **state)
{
	const struct window all = {0, UINT64_MAX}, begun = {0, 100 * MS};
	const struct tree_query tree = {.q = {.show_self = true}, .limit = TREE_LIMIT};
	struct model *m = model_create(&info, 0);
	const struct tree *t;

	(void)state;
	assert_non_null(m);
	assert_int_equal(model_add(m, first()), 0);
	check(m, begun, "[JIT] 42 java", 15, 15, 1);
	check_profile(m, begun, 15);
	check(m, all, "[JIT] 42 java", 15, 15, 1); /* a path counts once, whatever is on it */
	check_stacks(m, begun);
	t = model_tree(m, &tree, begun);
	assert_non_null(t);
	for (size_t i = 1; i < t->nr; i++)
		assert_string_equal(t->node[i].name, "[JIT] 42 java");
	assert_int_equal(model_add(m, named()), 0);
	check(m, begun, "hot", 10, 10, 2);
	check(m, begun, "[JIT] 42 java", 5, 15, 2);
	check(m, all, "hot", 11, 11, 2);
	check(m, all, "[JIT] 42 java", 5, 16, 2);
	model_free(m);
}

static void test_renamed(void **state)
{
	const struct window all = {0, UINT64_MAX};
	struct model *m = model_create(&info, 0);

	(void)state;
	assert_non_null(m);
	assert_int_equal(model_add(m, first()), 0);
	check(m, all, "[JIT] 42 java", 15, 15, 1);
	assert_int_equal(model_add(m, renamed()), 0);
	check(m, all, "[JIT] 42 node", 16, 16, 1);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_row), cmocka_unit_test(test_renamed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
