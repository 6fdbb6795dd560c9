/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slice of more than a message: its parts are in order, small enough, and all of it. */
#include "link/agent/slicesplit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STRINGS 3000u
#define ROWS	150000u
#define LENGTH	1000u

static struct slice *large(void)
{
	struct slice *s = slice_create();
	char text[LENGTH + 1];

	assert_non_null(s);
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	for (uint32_t i = 1; i <= STRINGS; i++) {
		assert_int_equal(slice_upsert(s, DICT_STRING, &(struct dict_string){i, LENGTH, text}), 0);
		assert_int_equal(slice_upsert(s, DICT_TASK, &(struct dict_task){.id = i, .comm = i, .pid = (int32_t)i}), 0);
	}
	for (uint32_t i = 0; i < ROWS; i++) {
		struct slice_row *r = slice_add_row(s);

		assert_non_null(r);
		*r = (struct slice_row){.task = 1 + i % STRINGS, .cpu = (uint16_t)(i / STRINGS), .samples = 1, .weight = i};
	}
	assert_int_equal(slice_release(s, DICT_TASK, 7), 0);
	s->start = 1000000;
	s->end = 5000000;
	s->self.cpu_ns = 77;
	return s;
}

/* What came so far. */
struct sum {
	uint64_t strings, tasks, rows, weight, released, cpu_ns, end;
};

static void take(struct sum *sum, const struct slice *s)
{
	uint64_t before = sum->strings;

	assert_true(s->dict.nr[DICT_STRING] * LENGTH + (s->dict.nr[DICT_TASK] + s->nrows) * 16 < 4u << 20);
	sum->strings += s->dict.nr[DICT_STRING];
	for (size_t i = 0; i < s->dict.nr[DICT_STRING]; i++)
		assert_int_equal(s->dict.strings[i].id, before + i + 1);
	for (size_t i = 0; i < s->dict.nr[DICT_TASK]; i++)
		assert_true(s->dict.tasks[i].comm <= sum->strings);
	sum->tasks += s->dict.nr[DICT_TASK];
	for (size_t i = 0; i < s->nrows; i++) {
		assert_true(s->rows[i].task <= sum->tasks);
		sum->weight += s->rows[i].weight;
	}
	sum->rows += s->nrows;
	sum->released += s->dict.nreleased[DICT_TASK];
	sum->cpu_ns += s->self.cpu_ns;
	assert_true(s->start == sum->end && s->end > s->start);
	sum->end = s->end;
}

static void test_parts(void **state)
{
	struct slice *s = large(), *part;
	struct sum sum = {.end = s->start};
	unsigned parts = 0;
	int ret;

	(void)state;
	for (; slicesplit_take(s, &part, &ret); parts++) {
		assert_int_equal(sum.released, 0); /* not before the last row */
		take(&sum, part);
		slice_free(part);
	}
	assert_int_equal(ret, 0);
	take(&sum, s);
	slice_free(s);
	assert_in_range(parts, 3, 10);
	assert_int_equal(sum.strings, STRINGS);
	assert_int_equal(sum.tasks, STRINGS);
	assert_int_equal(sum.rows, ROWS);
	assert_int_equal(sum.weight, (uint64_t)ROWS * (ROWS - 1) / 2);
	assert_int_equal(sum.released, 1);
	assert_int_equal(sum.cpu_ns, 77);
	assert_int_equal(sum.end, 5000000);
}

static void test_small(void **state)
{
	struct slice *s = slice_create(), *part;
	int ret;

	(void)state;
	assert_non_null(s);
	assert_false(slicesplit_take(s, &part, &ret));
	assert_int_equal(ret, 0);
	slice_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
