/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows by source line: all that the functions have, each sample in the line of its code.
 *
 *   main ▶ work at app.c:5, in which step is inlined at app.c:20, in which turn is at turn.h:30   (deep)
 *   main ▶ work at app.c:20, which step has too                                                   (plain)
 *   main ▶ other in lib.so, in which turn is inlined at turn.h:30                                 (elsewhere)
 *   main ▶ bare, in lib.so, without lines                                                         (none)
 *   main itself, at app.c:40, from where work is called; the others are called from app.c:41      (root)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/rows/codes.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"

enum { S_APP = 1, S_LIB, S_COMM, S_MAIN, S_WORK, S_STEP, S_TURN, S_OTHER, S_BARE, S_FILE, S_HEADER, S_SELF, S_NR };
enum { F_ROOT = 1, F_CALLER, F_DEEP, F_STEP, F_TURN, F_PLAIN, F_ELSEWHERE, F_TURN2, F_BARE, F_LATE, F_SELF };
enum { P_ROOT = 1, P_CALLER, P_DEEP, P_PLAIN, P_ELSEWHERE, P_BARE, P_LATE, P_SELF };
enum { DEEP = 1000, PLAIN = 200, ELSEWHERE = 40, BARE = 7, ROOT = 3, LATE = 5, SELF = 11 };

static const char *const strings[S_NR] = {
	[S_APP] = "/bin/app", [S_LIB] = "/lib/lib.so", [S_COMM] = "app", [S_MAIN] = "main", [S_WORK] = "work",
	[S_STEP] = "step", [S_TURN] = "turn", [S_OTHER] = "other", [S_BARE] = "bare", [S_FILE] = "/src/app.c",
	[S_HEADER] = "/src/include/turn.h", [S_SELF] = "[ringtop]",
};

static struct session_event events[1];
static struct session_info info;
static struct model *model;
static uint64_t now;

static void upsert(struct slice *s, enum dict_kind kind, const void *entry)
{
	assert_int_equal(slice_upsert(s, kind, entry), 0);
}

static const struct dict_frame frames[] = {
	{.id = F_TURN, .object = 1, .symbol = S_TURN, .addr = 0x100, .flags = FRAME_INLINED, .file = S_HEADER, .line = 30, .level = 2},
	{.id = F_STEP, .object = 1, .symbol = S_STEP, .addr = 0x100, .flags = FRAME_INLINED, .file = S_FILE, .line = 20, .level = 1,
	 .inner = F_TURN},
	{.id = F_DEEP, .object = 1, .symbol = S_WORK, .addr = 0x100, .file = S_FILE, .line = 5, .inner = F_STEP},
	{.id = F_PLAIN, .object = 1, .symbol = S_WORK, .addr = 0x140, .file = S_FILE, .line = 20},
	{.id = F_TURN2, .object = 2, .symbol = S_TURN, .addr = 0x200, .flags = FRAME_INLINED, .file = S_HEADER, .line = 30, .level = 1},
	{.id = F_ELSEWHERE, .object = 2, .symbol = S_OTHER, .addr = 0x200, .file = S_FILE, .line = 90, .inner = F_TURN2},
	{.id = F_BARE, .object = 2, .symbol = S_BARE, .addr = 0x300},
	{.id = F_ROOT, .object = 1, .symbol = S_MAIN, .addr = 0x400, .file = S_FILE, .line = 40},
	{.id = F_CALLER, .object = 1, .symbol = S_MAIN, .addr = 0x410, .file = S_FILE, .line = 41},
	{.id = F_SELF, .object = 1, .symbol = S_SELF, .addr = 0x500, .flags = FRAME_SELF},
};

static const struct {
	uint32_t id, parent, frame, weight;
} paths[] = {
	{P_ROOT, 0, F_ROOT, ROOT},
	{P_CALLER, 0, F_CALLER, 0},
	{P_DEEP, P_ROOT, F_DEEP, DEEP},
	{P_PLAIN, P_ROOT, F_PLAIN, PLAIN},
	{P_ELSEWHERE, P_CALLER, F_ELSEWHERE, ELSEWHERE},
	{P_BARE, P_CALLER, F_BARE, BARE},
	{P_LATE, P_CALLER, F_LATE, LATE},
	{P_SELF, 0, F_SELF, SELF},
};

static void put_cast(struct slice *s)
{
	for (uint32_t i = 1; i < S_NR; i++)
		upsert(s, DICT_STRING, &(struct dict_string){i, (uint32_t)strlen(strings[i]), strings[i]});
	for (uint32_t i = 1; i <= 2; i++)
		upsert(s, DICT_OBJECT, &(struct dict_object){.id = i, .name = i == 1 ? S_APP : S_LIB, .kind = OBJECT_FILE,
							     .state = OBJECT_READY});
	upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = S_COMM, .pid = 7, .tid = 7});
	for (uint32_t i = S_MAIN; i < S_NR; i++)
		upsert(s, DICT_SYMBOL, &(struct dict_symbol){.id = i, .name = i, .object = 1});
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		upsert(s, DICT_FRAME, &frames[i]);
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_LATE, .object = 1, .symbol = S_WORK, .addr = 0x180,
						   .flags = FRAME_PENDING});
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		upsert(s, DICT_PATH, &(struct dict_path){paths[i].id, paths[i].parent, paths[i].frame});
}

static void put_rows(struct slice *s)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct slice_row *r = paths[i].weight ? slice_add_row(s) : NULL;

		if (r)
			*r = (struct slice_row){.path = paths[i].id, .task = 1, .samples = 1, .weight = paths[i].weight};
	}
}

static struct slice *begin_slice(void)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = now;
	s->end = now += 100000000;
	return s;
}

static void add(struct slice *s)
{
	assert_int_equal(model_add(model, s), 0);
}

static int setup(void **state)
{
	struct slice *s;

	(void)state;
	snprintf(events[0].name, sizeof(events[0].name), "cpu-clock");
	events[0].unit = "ns";
	info = (struct session_info){.events = events, .nevents = 1, .cpus = 1};
	now = 0;
	model = model_create(&info, 0);
	if (!model)
		return -1;
	s = begin_slice();
	put_cast(s);
	put_rows(s);
	add(s);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	model_free(model);
	return 0;
}

static const struct query by_line = {.group = GROUP_LINE, .show_self = true, .trend = true};

/* As it is called: "app.c:20", or the function that has no line. */
static struct row row_of(const struct query *q, struct window w, const char *name)
{
	const struct rows *rows = model_rows(model, q, w);
	char text[256];

	assert_non_null(rows);
	for (size_t i = 0; i < rows->nr; i++) {
		model_row_name(&rows->row[i], text, sizeof(text));
		if (!strcmp(text, name) || (!rows->row[i].line && !strcmp(rows->row[i].function, name)))
			return rows->row[i];
	}
	fail_msg("no row %s", name);
	return rows->row[0];
}

static uint64_t sum_self(const struct rows *rows)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->nr; i++)
		sum += rows->row[i].self;
	return sum;
}

static void check_rows(struct window w)
{
	struct query q = by_line;
	struct row r = row_of(&q, w, "turn.h:30");

	assert_int_equal(r.self, DEEP + ELSEWHERE);
	assert_int_equal(r.total, DEEP + ELSEWHERE);
	assert_string_equal(r.file, "/src/include/turn.h");
	assert_int_equal(r.line, 30);
	assert_string_equal(r.function, "turn"); /* in both objects */
	assert_string_equal(r.object, "");
	r = row_of(&q, w, "app.c:20"); /* where turn was called, and work's own */
	assert_int_equal(r.self, PLAIN);
	assert_int_equal(r.total, DEEP + PLAIN);
	assert_string_equal(r.object, "/bin/app");
	assert_string_equal(r.function, ""); /* work and step */
	r = row_of(&q, w, "app.c:5");
	assert_int_equal(r.self, 0);
	assert_int_equal(r.total, DEEP);
	assert_string_equal(r.function, "work");
	r = row_of(&q, w, "app.c:40");
	assert_int_equal(r.self, ROOT);
	assert_int_equal(r.total, ROOT + DEEP + PLAIN);
	assert_string_equal(r.function, "main");
	r = row_of(&q, w, "app.c:41");
	assert_int_equal(r.self, 0);
	assert_int_equal(r.total, ELSEWHERE + BARE + LATE);
	r = row_of(&q, w, "bare");
	assert_string_equal(r.name, "[no line]");
	assert_int_equal(r.self, BARE);
	assert_string_equal(r.object, "/lib/lib.so");
	assert_false(r.flags & ROW_LINE_PENDING);
	r = row_of(&q, w, "[ringtop]");
	assert_int_equal(r.self, SELF);
	assert_true(r.flags & ROW_SELF);
}

static void test_rows(void **state)
{
	struct query functions = {.group = GROUP_FUNCTION, .show_self = true};
	uint64_t all;

	(void)state;
	check_rows(WINDOW_ALL);
	check_rows((struct window){0, now});
	all = sum_self(model_rows(model, &functions, WINDOW_ALL));
	assert_int_equal(all, DEEP + PLAIN + ELSEWHERE + BARE + ROOT + LATE + SELF);
	assert_int_equal(sum_self(model_rows(model, &by_line, WINDOW_ALL)), all);
	assert_int_equal(model_rows(model, &by_line, WINDOW_ALL)->attributed, all);
	assert_int_equal(model_rows(model, &by_line, WINDOW_ALL)->missing, 0);
}

/* What is looked for has its function's row until it is known; then all of the past is that line's. */
static void test_late(void **state)
{
	const struct window past = {0, now};
	struct row r = row_of(&by_line, past, "work");
	uint32_t named = model_row_named(model, &by_line, r.id);
	uint64_t key = r.key;
	struct slice *s;

	(void)state;
	assert_string_equal(r.name, "[reading lines]");
	assert_true(r.flags & ROW_LINE_PENDING);
	assert_int_equal(r.self, LATE);
	s = begin_slice();
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_LATE, .object = 1, .symbol = S_WORK, .addr = 0x180, .file = S_FILE,
						   .line = 20});
	add(s);
	r = row_of(&by_line, past, "app.c:20");
	assert_int_equal(r.self, PLAIN + LATE);
	assert_true(model_row_named(model, &by_line, r.id) != named);
	for (size_t i = 0; i < model_rows(model, &by_line, past)->nr; i++)
		assert_true(model_rows(model, &by_line, past)->row[i].key != key);
}

/* No debug information: the row stays its function's, and says so. */
static void test_never(void **state)
{
	struct slice *s = begin_slice();
	struct row r;

	(void)state;
	upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_LATE, .object = 1, .symbol = S_WORK, .addr = 0x180});
	add(s);
	r = row_of(&by_line, WINDOW_ALL, "work");
	assert_string_equal(r.name, "[no line]");
	assert_int_equal(r.self, LATE);
}

static uint64_t filtered(const char *text)
{
	struct query q = by_line;
	struct rowfilter *f = NULL;
	struct err err = {0};
	uint64_t sum;

	assert_int_equal(rowfilter_compile(text, &f, &err), 0);
	q.filter = f;
	q.group = GROUP_FUNCTION;
	sum = sum_self(model_rows(model, &q, WINDOW_ALL));
	q.group = GROUP_LINE;
	assert_int_equal(sum_self(model_rows(model, &q, WINDOW_ALL)), sum);
	rowfilter_free(f);
	return sum;
}

/* A word about lines is asked of each sample's, however rows are grouped. */
static void test_filter(void **state)
{
	(void)state;
	assert_int_equal(filtered("line:turn"), DEEP + ELSEWHERE);
	assert_int_equal(filtered("line:^/src/app\\.c:20$"), PLAIN);
	assert_int_equal(filtered("line:^/src/app"), PLAIN + ROOT);
	assert_int_equal(filtered("!line:turn"), PLAIN + BARE + ROOT + LATE + SELF);
	assert_int_equal(filtered("line:^$"), BARE + LATE + SELF);
	assert_int_equal(filtered("line:^$ function:^bare$"), BARE);
	assert_int_equal(filtered("line:turn object:lib"), ELSEWHERE);
	assert_int_equal(filtered("function:work"), DEEP + PLAIN + LATE);
}

static void test_sorted(void **state)
{
	struct query q = by_line;
	const struct rows *rows;
	char first[64];

	(void)state;
	q.sort = SORT_NAME;
	rows = model_rows(model, &q, WINDOW_ALL);
	for (size_t i = 1; i < rows->nr; i++) {
		const struct row *a = &rows->row[i - 1], *b = &rows->row[i];

		assert_true(strcmp(a->name, b->name) < 0 || (!strcmp(a->name, b->name) &&
			    (a->line < b->line || (a->line == b->line && strcmp(a->function, b->function) < 0))));
	}
	q.sort = SORT_SELF;
	model_row_name(&model_rows(model, &q, WINDOW_ALL)->row[0], first, sizeof(first));
	assert_string_equal(first, "turn.h:30");
}

/* The place that its code is read at, which the heat of that is by. */
static void test_code(void **state)
{
	struct code_place p;

	(void)state;
	assert_true(model_code_line(model, &by_line, row_of(&by_line, WINDOW_ALL, "turn.h:30").key, WINDOW_ALL, &p));
	assert_int_equal(p.addr, 0x100); /* DEEP is more than ELSEWHERE */
	assert_string_equal(p.object, "/bin/app");
	assert_true(model_code_line(model, &by_line, row_of(&by_line, WINDOW_ALL, "app.c:20").key, WINDOW_ALL, &p));
	assert_int_equal(p.addr, 0x140);
	assert_true(model_code_line(model, &by_line, row_of(&by_line, WINDOW_ALL, "app.c:5").key, WINDOW_ALL, &p));
	assert_int_equal(p.addr, 0x100); /* it has nothing but calls */
	assert_true(model_code_line(model, &by_line, row_of(&by_line, WINDOW_ALL, "app.c:41").key, WINDOW_ALL, &p));
	assert_int_equal(p.addr, 0x410);
	assert_true(model_code_line(model, &by_line, row_of(&by_line, WINDOW_ALL, "bare").key, WINDOW_ALL, &p));
	assert_int_equal(p.addr, 0x300);
	assert_false(model_code_line(model, &by_line, 1, WINDOW_ALL, &p));
}

/* The trend of all rows and of a few, and a row's line in time, are of its samples. */
static void test_times(void **state)
{
	struct query q = by_line;
	struct row r;
	double bins[2] = {0};
	struct timeline_part p = {.bins = {0, 200000000}, .until = 200000000};
	struct slice *s = begin_slice();

	(void)state;
	put_rows(s);
	add(s);
	r = row_of(&q, WINDOW_ALL, "app.c:20");
	assert_float_equal(r.trend[0], r.self_share, 1e-6);
	assert_int_equal(model_row_timeline(model, &q, r.id, &p, bins, 2), 200000000);
	assert_float_equal(bins[0], PLAIN, 1e-6);
	assert_float_equal(bins[1], PLAIN, 1e-6);
	q.trend = false;
	assert_non_null(model_rows(model, &q, (struct window){0, now}));
	assert_int_equal(model_trends(model, &q, (struct window){0, now}, 0, 3), 0);
	r = model_rows(model, &q, (struct window){0, now})->row[0];
	assert_float_equal(r.trend[TREND_NR - 1], r.self_share, 1e-6);
}

/* After ids have been given out anew rows are the same: by content. */
static void test_collected(void **state)
{
	uint64_t key = row_of(&by_line, WINDOW_ALL, "turn.h:30").key;

	(void)state;
	for (unsigned i = 0; i < 700; i++) { /* more than a minute: the dictionary is collected */
		struct slice *s = begin_slice();
		char name[32];
		int len = snprintf(name, sizeof(name), "/src/f%u.c", i);

		upsert(s, DICT_STRING, &(struct dict_string){S_NR + i, (uint32_t)len, name});
		upsert(s, DICT_FRAME, &(struct dict_frame){.id = F_SELF + 1 + i, .object = 1, .symbol = S_BARE, .addr = 0x1000 + i,
							   .file = S_NR + i, .line = 1});
		upsert(s, DICT_PATH, &(struct dict_path){P_SELF + 1 + i, 0, F_SELF + 1 + i});
		*slice_add_row(s) = (struct slice_row){.path = P_SELF + 1 + i, .task = 1, .samples = 1, .weight = 1};
		add(s);
		if (i % 100 == 0)
			check_rows((struct window){0, 100000000});
	}
	assert_int_equal(row_of(&by_line, WINDOW_ALL, "f699.c:1").self, 1);
	assert_int_equal(row_of(&by_line, WINDOW_ALL, "turn.h:30").key, key);
	check_rows(WINDOW_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filter, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sorted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_code, setup, teardown),
		cmocka_unit_test_setup_teardown(test_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collected, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
