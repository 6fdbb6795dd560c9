/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is inlined, from the slice to rows, trees and files:
 *
 *   main ▶ work, in which four is inlined, in which twice is, in which twice is     (deep)
 *   main ▶ work, at a place where nothing is                                        (plain)
 *   main ▶ work (at the deep place) ▶ leaf: the call is in the innermost twice       (called)
 *
 * The frames are said first without, and again with what is inlined after rows were counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/export/export.h"
#include "report/export/export_folded.h"
#include "report/export/export_parts.h"
#include "model/core/stacks.h"
#include "model/tree/tree.h"
#include "tests/skip.h"

enum { S_OBJECT = 1, S_COMM, S_MAIN, S_WORK, S_FOUR, S_TWICE, S_LEAF, S_FILE, S_OTHER };
enum { F_MAIN = 1, F_WORK, F_PLAIN, F_LEAF, F_FOUR, F_TWICE, F_TWICE2 };
enum { P_MAIN = 1, P_DEEP, P_PLAIN, P_CALLED };
enum { DEEP = 100, PLAIN = 10, CALLED = 1, ALL = 111 };

static const char *const strings[] = {
	[S_OBJECT] = "/bin/app", [S_COMM] = "app", [S_MAIN] = "main", [S_WORK] = "work",
	[S_FOUR] = "four", [S_TWICE] = "twice", [S_LEAF] = "leaf", [S_FILE] = "/src/app.c",
	[S_OTHER] = "/src/twice.h",
};

static struct session_event events[1];
static struct session_info info;
static struct model *model;
static uint64_t now;

static void upsert(struct slice *s, enum dict_kind kind, const void *entry)
{
	assert_int_equal(slice_upsert(s, kind, entry), 0);
}

static void put_frame(struct slice *s, uint32_t id, uint32_t symbol, uint32_t flags)
{
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = id, .object = 1, .symbol = symbol,
						   .addr = id * 16, .flags = flags});
}

static void put_path(struct slice *s, uint32_t id, uint32_t parent, uint32_t frame)
{
	upsert(s, DICT_PATH, &(struct dict_path){id, parent, frame});
}

static void put_cast(struct slice *s, uint32_t flags)
{
	for (uint32_t i = 1; i < sizeof(strings) / sizeof(*strings); i++)
		upsert(s, DICT_STRING,
		       &(struct dict_string){i, (uint32_t)strlen(strings[i]), strings[i]});
	upsert(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = S_OBJECT, .kind = OBJECT_FILE,
						     .state = OBJECT_READY});
	upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = S_COMM, .pid = 7, .tid = 7});
	for (uint32_t i = S_MAIN; i <= S_LEAF; i++)
		upsert(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = i, .object = 1});
	put_frame(s, F_MAIN, S_MAIN, 0);
	put_frame(s, F_WORK, S_WORK, flags);
	put_frame(s, F_PLAIN, S_WORK, 0);
	put_frame(s, F_LEAF, S_LEAF, 0);
	put_path(s, P_MAIN, 0, F_MAIN);
	put_path(s, P_DEEP, P_MAIN, F_WORK);
	put_path(s, P_PLAIN, P_MAIN, F_PLAIN);
	put_path(s, P_CALLED, P_DEEP, F_LEAF);
}

static void put_rows(struct slice *s)
{
	static const struct {
		uint32_t path, weight;
	} rows[] = {{P_DEEP, DEEP}, {P_PLAIN, PLAIN}, {P_CALLED, CALLED}};

	for (size_t i = 0; i < 3; i++) {
		struct slice_row *r = slice_add_row(s);

		assert_non_null(r);
		*r = (struct slice_row){.path = rows[i].path, .task = 1, .samples = 1,
					.weight = rows[i].weight};
	}
}

static void put_inlined(struct slice *s, uint32_t id, uint32_t symbol, uint32_t level, uint32_t inner)
{
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = id, .object = 1, .symbol = symbol,
						   .addr = F_WORK * 16, .flags = FRAME_INLINED,
						   .file = level == 3 ? S_OTHER : S_FILE,
						   .line = 10 * level, .level = level, .inner = inner});
}

/* The innermost first: what refers to a frame comes behind it. */
static void put_lines(struct slice *s)
{
	put_inlined(s, F_TWICE2, S_TWICE, 3, 0);
	put_inlined(s, F_TWICE, S_TWICE, 2, F_TWICE2);
	put_inlined(s, F_FOUR, S_FOUR, 1, F_TWICE);
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_WORK, .object = 1, .symbol = S_WORK,
						   .addr = F_WORK * 16, .file = S_FILE, .line = 5,
						   .inner = F_FOUR});
}

static void add(struct slice *s)
{
	s->start = now;
	s->end = now += 100000000;
	assert_int_equal(model_add(model, s), 0);
}

static struct slice *begin_slice(void)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	return s;
}

static int setup(void **state)
{
	(void)state;
	snprintf(events[0].name, sizeof(events[0].name), "cpu-clock");
	events[0].unit = "ns";
	info = (struct session_info){.events = events, .nevents = 1, .cpus = 1};
	model = model_create(&info, 0);
	now = 0;
	return model ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	model_free(model);
	return 0;
}

/* Rows first, lines after. */
static void tell_late(void)
{
	struct slice *s = begin_slice();

	put_cast(s, FRAME_PENDING);
	put_rows(s);
	add(s);
	s = begin_slice();
	put_lines(s);
	add(s);
}

/* --- rows --------------------------------------------------------------------------------- */

static const struct row *row_of(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return &rows->row[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void check_rows(struct window w)
{
	struct query q = {.group = GROUP_FUNCTION};
	const struct rows *rows = model_rows(model, &q, w);

	assert_non_null(rows);
	assert_int_equal(row_of(rows, "main")->total, ALL);
	assert_int_equal(row_of(rows, "work")->self, DEEP + PLAIN);
	assert_int_equal(row_of(rows, "work")->total, ALL);
	assert_int_equal(row_of(rows, "four")->self, 0);
	assert_int_equal(row_of(rows, "four")->total, DEEP + CALLED);
	assert_int_equal(row_of(rows, "twice")->self, 0);
	assert_int_equal(row_of(rows, "twice")->total, DEEP + CALLED); /* once, not twice */
	assert_int_equal(row_of(rows, "leaf")->total, CALLED);
	assert_int_equal(rows->nr, 5);
	q.group = GROUP_OBJECT;
	rows = model_rows(model, &q, w);
	assert_int_equal(rows->nr, 1);
	assert_int_equal(rows->row[0].total, ALL);
}

static void test_rows(void **state)
{
	(void)state;
	tell_late();
	check_rows(WINDOW_ALL);
	check_rows((struct window){0, now});
}

/* A total that was added up before the lines came would miss them: PENDING holds it back. */
static void test_pending(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct slice *s = begin_slice();
	const struct rows *rows;

	(void)state;
	put_cast(s, FRAME_PENDING);
	put_rows(s);
	add(s);
	rows = model_rows(model, &q, WINDOW_ALL);
	assert_int_equal(rows->nr, 3);
	assert_int_equal(row_of(rows, "work")->self, DEEP + PLAIN);
	s = begin_slice();
	put_lines(s);
	add(s);
	check_rows(WINDOW_ALL);
}

/* Who says them may lie. */
static void test_circle(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct slice *s = begin_slice();

	(void)state;
	put_cast(s, 0);
	put_inlined(s, F_FOUR, S_FOUR, 1, F_FOUR);
	put_inlined(s, F_TWICE, S_TWICE, 1, F_FOUR);
	put_inlined(s, F_FOUR, S_FOUR, 1, F_TWICE);
	put_inlined(s, F_TWICE2, S_TWICE, UINT32_MAX, F_WORK);
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_WORK, .object = 1, .symbol = S_WORK,
						   .addr = F_WORK * 16, .inner = F_TWICE2});
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_MAIN, .object = 1, .symbol = S_MAIN,
						   .addr = F_MAIN * 16, .inner = F_MAIN});
	put_rows(s);
	add(s);
	assert_int_equal(model_rows(model, &q, WINDOW_ALL)->nr, 3);
}

/* --- trees -------------------------------------------------------------------------------- */

/* The node at a path of names from the root. */
static const struct tree_node *node_at(const struct tree *t, const char *const *names)
{
	const struct tree_node *n = &t->node[0];

	for (; *names; names++) {
		uint32_t child = n->child;

		while (child && strcmp(t->node[child].name, *names))
			child = t->node[child].next;
		if (!child)
			fail_msg("no %s below %s", *names, n->name);
		n = &t->node[child];
	}
	return n;
}

#define AT(t, ...) node_at(t, (const char *const[]){__VA_ARGS__, NULL})

static void test_top_down(void **state)
{
	struct tree_query q = {.order = TREE_TOP_DOWN};
	const struct tree_node *n;
	const struct tree *t;

	(void)state;
	tell_late();
	t = model_tree(model, &q, (struct window){0, now});
	assert_non_null(t);
	n = AT(t, "main", "work");
	assert_int_equal(n->self, PLAIN);
	assert_int_equal(n->total, ALL);
	assert_false(n->flags & TREE_INLINED);
	n = AT(t, "main", "work", "four");
	assert_true(n->flags & TREE_INLINED);
	assert_int_equal(n->self, 0);
	assert_string_equal(n->file, "/src/app.c");
	assert_int_equal(n->line, 10);
	n = AT(t, "main", "work", "four", "twice", "twice");
	assert_int_equal(n->self, DEEP);
	assert_int_equal(n->total, DEEP + CALLED);
	assert_string_equal(n->file, "/src/twice.h");
	assert_int_equal(n->line, 30);
	assert_int_equal(AT(t, "main", "work", "four", "twice", "twice", "leaf")->self, CALLED);
}

static void test_bottom_up(void **state)
{
	struct tree_query q = {.order = TREE_BOTTOM_UP};
	const struct tree *t;

	(void)state;
	tell_late();
	t = model_tree(model, &q, (struct window){0, now});
	assert_non_null(t);
	assert_int_equal(AT(t, "twice")->total, DEEP);
	assert_int_equal(AT(t, "twice", "twice", "four", "work", "main")->self, DEEP);
	assert_int_equal(AT(t, "leaf", "twice", "twice", "four", "work", "main")->self, CALLED);
	assert_int_equal(AT(t, "work", "main")->self, PLAIN);
}

/* The root's total is the row's, callers and callees alike. */
static void test_rooted(void **state)
{
	struct query rows_query = {.group = GROUP_FUNCTION};
	struct tree_query q = {.order = TREE_TOP_DOWN};
	const struct tree *t;

	(void)state;
	tell_late();
	q.function = row_of(model_rows(model, &rows_query, (struct window){0, now}), "twice")->key;
	t = model_tree(model, &q, (struct window){0, now});
	assert_int_equal(t->node[0].total, DEEP + CALLED);
	assert_int_equal(AT(t, "twice")->self, DEEP);
	assert_int_equal(AT(t, "twice", "leaf")->self, CALLED);
	q.order = TREE_BOTTOM_UP;
	t = model_tree(model, &q, (struct window){0, now});
	assert_int_equal(t->node[0].total, DEEP + CALLED);
	assert_int_equal(AT(t, "four", "work", "main")->total, DEEP + CALLED);
}

/* --- files -------------------------------------------------------------------------------- */

static void test_folded(void **state)
{
	struct tree_query q = {.order = TREE_TOP_DOWN};
	const struct tree *t;
	const char *path = "";
	struct out o;

	(void)state;
	tell_late();
	t = model_tree(model, &q, (struct window){0, now});
	out_init(&o, -1, -1);
	for (uint32_t i = 1; i < t->nr; i++)
		if (t->node[i].self == DEEP)
			path = folded_path(&o, t, i);
	assert_string_equal(path, "main;work;four (inlined);twice (inlined);twice (inlined)");
	out_clear(&o);
}

static size_t depth_of(const struct stacks *s, uint32_t path)
{
	size_t depth = 0;

	for (; path != STACKS_NONE; path = s->paths[path].parent)
		depth++;
	return depth;
}

static void test_stacks(void **state)
{
	struct query q = {0};
	struct stacks *s;

	(void)state;
	tell_late();
	s = stacks_create(model, &q, WINDOW_ALL, STACKS_INLINED);
	for (size_t i = 0; i < s->nr; i++)
		if (s->stacks[i].weight == CALLED)
			assert_int_equal(depth_of(s, s->stacks[i].path), 6);
	stacks_free(s);
	s = stacks_create(model, &q, WINDOW_ALL, 0);
	for (size_t i = 0; i < s->nr; i++) {
		uint32_t f = s->paths[s->stacks[i].path].frame;

		if (s->stacks[i].weight != DEEP)
			continue;
		assert_int_equal(depth_of(s, s->stacks[i].path), 2);
		assert_string_equal(s->functions[s->frames[f].function].name, "work");
		assert_int_equal(s->frames[f].line, 5);
		f = s->frames[f].inner;
		assert_string_equal(s->functions[s->frames[f].function].name, "four");
		assert_string_equal(s->functions[s->frames[f].function].file, "/src/app.c");
		f = s->frames[s->frames[f].inner].inner;
		assert_int_equal(s->frames[f].level, 3);
		assert_int_equal(s->frames[f].inner, STACKS_NONE);
	}
	stacks_free(s);
}

/* What go's pprof makes of it, where it is there. */
static void test_pprof(void **state)
{
	static char path[] = "/tmp/ringtop-test-XXXXXX";
	struct query q = {0};
	struct export_source src = {.model = model, .query = &q, .window = WINDOW_ALL, .version = "test"};
	char command[256], line[256];
	bool found = false;
	FILE *f;

	(void)state;
	tell_late();
	close(mkstemp(path));
	assert_int_equal(export_write(&export_pprof, path, &src, NULL), 0);
	f = popen("command -v go >/dev/null && echo yes", "r");
	found = fgets(line, sizeof(line), f) != NULL;
	pclose(f);
	if (!found) {
		unlink(path);
		SKIP("no go, whose pprof would judge");
	}
	snprintf(command, sizeof(command), "go tool pprof -lines -traces %s 2>&1", path);
	f = popen(command, "r");
	found = false;
	while (fgets(line, sizeof(line), f))
		found |= strstr(line, "twice /src/twice.h:30 (inline)") != NULL;
	pclose(f);
	unlink(path);
	assert_true(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pending, setup, teardown),
		cmocka_unit_test_setup_teardown(test_circle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_top_down, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bottom_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rooted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stacks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pprof, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
