/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"
#include "files/jit/jitcode.h"

#define LATER (JITCODE_EARLY_NS * 10)

static void load(struct jitcode *j, uint64_t start, uint64_t size, const char *name, uint64_t time)
{
	struct jitcode_function f = {.start = start, .size = size, .index = start};

	assert_int_equal(jitcode_load(j, &f, name, time), 0);
}

static void check(const struct jitcode *j, uint64_t addr, uint64_t time, const char *name)
{
	const struct jitcode_function *f = jitcode_find(j, addr, time);

	if (!name) {
		assert_null(f);
		return;
	}
	assert_non_null(f);
	assert_string_equal(f->name, name);
}

static void test_by_time(void **state)
{
	struct jitcode *j = jitcode_create();

	(void)state;
	load(j, 0x1000, 0x100, "a", LATER);
	load(j, 0x1000, 0x80, "b", LATER + 10);
	check(j, 0xfff, UINT64_MAX, NULL);
	check(j, 0x1000, LATER + 9, "a");
	check(j, 0x1000, LATER + 10, "b");
	check(j, 0x107f, UINT64_MAX, "b");
	check(j, 0x1080, LATER + 20, "a"); /* what nothing covers stays */
	check(j, 0x10ff, LATER, "a");
	check(j, 0x1100, LATER, NULL);
	check(j, 0x1000, LATER - 1, "b"); /* told a little late: only what stands now can be meant */
	check(j, 0x10ff, LATER - 1, "a");
	check(j, 0x10ff, LATER - JITCODE_EARLY_NS - 1, NULL);
	assert_int_equal(jitcode_count(j), 2);
	load(j, 0x1000, 0x100, "c", LATER + 30);
	check(j, 0x1090, LATER + 29, "a");
	check(j, 0x1010, LATER + 29, "b");
	check(j, 0x1010, LATER + 30, "c");
	jitcode_settle(j, LATER + 30);
	assert_int_equal(jitcode_count(j), 1);
	check(j, 0x1010, LATER + 29, "c");
	jitcode_free(j);
}

static void test_hole(void **state)
{
	struct jitcode *j = jitcode_create();

	(void)state;
	load(j, 0x1000, 0x1000, "outer", 1);
	load(j, 0x1400, 0x100, "inner", 2);
	check(j, 0x13ff, 3, "outer");
	check(j, 0x1400, 3, "inner");
	check(j, 0x1500, 3, "outer");
	check(j, 0x1fff, 3, "outer");
	load(j, 0x1300, 0x180, "across", 4);
	check(j, 0x12ff, 5, "outer");
	check(j, 0x147f, 5, "across");
	check(j, 0x1480, 5, "inner");
	check(j, 0x1480, 1, "outer");
	load(j, 0, UINT64_MAX, "all", 6);
	check(j, 0x1480, 6, "all");
	check(j, 0, 6, "all");
	jitcode_settle(j, 7);
	assert_int_equal(jitcode_count(j), 1);
	jitcode_free(j);
}

static void test_move(void **state)
{
	struct jitcode *j = jitcode_create();

	(void)state;
	load(j, 0x1000, 0x100, "a", LATER);
	load(j, 0x1040, 0x10, "patch", LATER + 1);
	assert_int_equal(jitcode_move(j, 0x1000, 0x5000, 7, LATER + 2), -ENOENT); /* another's index */
	assert_int_equal(jitcode_move(j, 0x1001, 0x5000, 0x1000, LATER + 2), -ENOENT);
	assert_int_equal(jitcode_move(j, 0x1000, 0x5000, 0x1000, LATER + 2), 0);
	check(j, 0x1000, LATER + 1, "a");
	check(j, 0x1000, LATER + 2, NULL);
	check(j, 0x1045, LATER + 2, "patch");
	check(j, 0x1050, LATER + 2, NULL);
	check(j, 0x5040, LATER + 2, "a");
	/* over where it was */
	assert_int_equal(jitcode_move(j, 0x5000, 0x5080, 0x1000, LATER + 3), 0);
	check(j, 0x5000, LATER + 3, NULL);
	check(j, 0x5080, LATER + 3, "a");
	check(j, 0x517f, LATER + 3, "a");
	check(j, 0x5080, LATER + 2, "a");
	jitcode_free(j);
}

static void test_refused(void **state)
{
	struct jitcode *j = jitcode_create();
	struct jitcode_function f = {.start = 8, .size = 0};

	(void)state;
	budget_set_limit(2ull << 30);
	assert_int_equal(jitcode_load(j, &f, "", 1), -EINVAL);
	f = (struct jitcode_function){.start = UINT64_MAX, .size = 2};
	assert_int_equal(jitcode_load(j, &f, "", 1), -EINVAL);
	for (uint64_t i = 0; i < JITCODE_MAX; i++)
		load(j, i * 16, 16, "f", 1);
	f = (struct jitcode_function){.start = UINT32_MAX, .size = 2};
	assert_int_equal(jitcode_refused(j), 0);
	assert_int_equal(jitcode_load(j, &f, "one more", 1), -EFBIG);
	assert_int_equal(jitcode_refused(j), 1);
	assert_true(jitcode_bytes(j) < JITCODE_BYTES);
	jitcode_free(j);
}

/* More than its part of the limit: the last ones go without. */
static void test_budget(void **state)
{
	struct jitcode *j = jitcode_create();
	struct budget_figures figures;
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	for (; !ret; nr++) {
		struct jitcode_function f = {.start = nr * 16, .size = 16};

		ret = jitcode_load(j, &f, "f", 1);
	}
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(jitcode_refused(j), 1);
	assert_int_equal(jitcode_count(j), nr - 1);
	budget_figures(&figures);
	assert_in_range(figures.of[BUDGET_JIT], BUDGET_MIN / 8, BUDGET_MIN / 4);
	jitcode_free(j);
	budget_figures(&figures);
	assert_int_equal(figures.taken, 0);
	budget_set_limit(BUDGET_DEFAULT);
}

/* Against bytes that each know whose they are. */
static void test_against_model(void **state)
{
	enum { SPAN = 512, ROUNDS = 2000 };
	static char model[ROUNDS][SPAN];
	struct jitcode *j = jitcode_create();
	uint32_t random = 12345;

	(void)state;
	for (int t = 1; t < ROUNDS; t++) {
		uint32_t start, size;
		char name[2] = {(char)('a' + t % 26), 0};

		random = random * 1664525 + 1013904223;
		start = (random >> 8) % SPAN;
		size = 1 + (random >> 20) % 60;
		size = start + size > SPAN ? SPAN - start : size;
		memcpy(model[t], model[t - 1], SPAN);
		memset(model[t] + start, name[0], size);
		load(j, start, size, name, LATER + (uint64_t)t);
		if (t > 20)
			jitcode_settle(j, LATER + (uint64_t)t - 20);
		for (int back = 0; back < 20 && back < t; back++) {
			uint32_t at = (random >> 4) % SPAN;
			const struct jitcode_function *f =
				jitcode_find(j, at, LATER + (uint64_t)(t - back));
			char is = f && f->born <= LATER + (uint64_t)(t - back) ? f->name[0] : 0;

			assert_int_equal(is, model[t - back][at]);
		}
	}
	jitcode_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_time), cmocka_unit_test(test_hole),
		cmocka_unit_test(test_move),    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
