/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit and its parts: nothing more than it at any time, nothing left behind, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"

#define LIMIT (64ull << 20)
#define MB    (1ull << 20)

static int setup(void **state)
{
	(void)state;
	budget_set_limit(LIMIT);
	return 0;
}

/* Whatever a test did: nothing is taken any more. */
static int teardown(void **state)
{
	struct budget_figures f;

	(void)state;
	budget_figures(&f);
	for (int c = 0; c < BUDGET_CLASSES; c++)
		if (f.of[c])
			return -1;
	return f.taken ? -1 : 0;
}

static uint64_t taken(void)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.taken;
}

static void one_object_keeps_a_quarter(void **state)
{
	struct budget b = {.taken = 0};

	(void)state;
	assert_true(budget_take(&b, BUDGET_SYMBOLS, 16 * MB));
	assert_false(budget_refused(&b));
	assert_false(budget_take(&b, BUDGET_LINES, 1));
	assert_true(budget_refused(&b));
	budget_forgive(&b);
	assert_false(budget_refused(&b));
	/* and may read as much again */
	assert_true(budget_take(&b, BUDGET_READING, 16 * MB));
	assert_false(budget_take(&b, BUDGET_READING, 1));
	assert_int_equal(taken(), 32 * MB);
	budget_give(&b, BUDGET_READING, 16 * MB);
	budget_give(&b, BUDGET_SYMBOLS, 16 * MB);
	assert_int_equal(b.taken, 0);
	assert_int_equal(b.kept, 0);
}

/* An object's symbols and its lines: one share for both, and a refusal of one is no matter of the other's. */
static void parts_share_and_are_refused_apart(void **state)
{
	struct budget object = {.taken = 0}, lines = {.whole = &object};
	struct err err = {.code = 0};
	char *block;

	(void)state;
	assert_true(budget_take(&object, BUDGET_SYMBOLS, 10 * MB));
	assert_false(budget_take(&lines, BUDGET_LINES, 7 * MB));
	assert_true(budget_take(&lines, BUDGET_LINES, 6 * MB));
	assert_false(budget_refused(&object));
	assert_true(budget_refused(&lines));
	budget_forgive(&object);
	assert_int_equal(budget_say(&object, "its symbols", &err), 0);
	assert_int_equal(budget_say(&lines, "its lines", &err), -ENOBUFS);
	assert_string_equal(err.text, "its lines would take 17M: more than one object may use of --max-memory 64M");
	assert_false(budget_take(&object, BUDGET_SYMBOLS, MB));
	budget_forgive(&lines);
	assert_false(budget_refused(&lines));
	assert_true(budget_refused(&object));
	block = budget_alloc(&lines, BUDGET_READING, MB);
	assert_non_null(block);
	assert_false(budget_keep(block, BUDGET_LINES));
	assert_true(budget_refused(&lines));
	budget_free(block);
	budget_give(&lines, BUDGET_LINES, 6 * MB);
	budget_give(&object, BUDGET_SYMBOLS, 10 * MB);
	assert_int_equal(object.taken, 0);
	assert_int_equal(object.kept, 0);
	assert_int_equal(lines.taken, 0);
}

static void all_together_keep_the_limit(void **state)
{
	struct budget b[4] = {{.taken = 0}}, names[3] = {{.taken = 0}};
	struct budget_figures f;
	struct err err = {.code = 0};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(budget_take(&b[i], BUDGET_SYMBOLS, 16 * MB));
	assert_true(budget_tight());
	assert_false(budget_take(&b[3], BUDGET_SYMBOLS, MB));
	assert_false(budget_take(NULL, BUDGET_READING, 1));
	/* What files took is not the dictionary's, of which one part has an eighth. */
	assert_false(budget_take(&names[0], BUDGET_NAMES, 8 * MB + 1));
	assert_true(budget_take(&names[0], BUDGET_NAMES, 8 * MB));
	assert_true(budget_take(&names[1], BUDGET_NAMES, 8 * MB));
	assert_false(budget_take(&names[2], BUDGET_NAMES, 1));
	budget_figures(&f);
	assert_int_equal(f.taken, LIMIT);
	assert_int_equal(f.of[BUDGET_SYMBOLS], 48 * MB);
	assert_int_equal(f.of[BUDGET_NAMES], 16 * MB);
	assert_int_equal(b[3].taken, 0);
	assert_int_equal(budget_say(&b[3], "its symbols", &err), -ENOBUFS);
	assert_string_equal(err.text, "its symbols would take 1M: 48M of --max-memory 64M are in use");
	for (int i = 0; i < 3; i++)
		budget_give(&b[i], BUDGET_SYMBOLS, 16 * MB);
	for (int i = 0; i < 2; i++)
		budget_give(&names[i], BUDGET_NAMES, 8 * MB);
	assert_false(budget_tight());
}

/* A claim that no sum may wrap around with. */
static void absurd_sizes_are_refused(void **state)
{
	struct budget b = {.taken = 0};
	struct err err = {.code = 0};
	char *block = NULL;
	size_t cap = 0;

	(void)state;
	assert_true(budget_take(&b, BUDGET_SYMBOLS, 1));
	assert_false(budget_take(&b, BUDGET_SYMBOLS, UINT64_MAX));
	assert_false(budget_take(NULL, BUDGET_SYMBOLS, UINT64_MAX));
	assert_null(budget_alloc(&b, BUDGET_SYMBOLS, SIZE_MAX));
	assert_null(budget_zalloc(&b, BUDGET_SYMBOLS, SIZE_MAX / 2, 3));
	assert_false(budget_reserve(&b, BUDGET_SYMBOLS, &block, &cap, SIZE_MAX / 2 + 1, 4));
	budget_forgive(&b);
	assert_null(budget_alloc(&b, BUDGET_SYMBOLS, 533 * MB));
	assert_int_equal(budget_say(&b, "its symbols", &err), -ENOBUFS);
	assert_string_equal(err.text,
			    "its symbols would take 533M: more than one object may use of --max-memory 64M");
	assert_non_null(strstr(err.advice, "--max-memory"));
	budget_give(&b, BUDGET_SYMBOLS, 1);
}

static void blocks_know_what_they_took(void **state)
{
	struct budget b = {.taken = 0};
	char *block = budget_zalloc(&b, BUDGET_READING, 1000, 10);

	(void)state;
	assert_non_null(block);
	assert_int_equal((uintptr_t)block % 16, 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(block[i], 0);
	memset(block, 'x', 10000);
	assert_in_range(b.taken, 10000, 10100);
	assert_int_equal(b.kept, 0);
	block = budget_resize(block, 20000);
	assert_non_null(block);
	assert_in_range(b.taken, 20000, 20100);
	assert_int_equal(block[9999], 'x');
	assert_null(budget_resize(block, 40 * MB)); /* stays as it was */
	assert_int_equal(block[9999], 'x');
	assert_true(budget_keep(block, BUDGET_SYMBOLS));
	assert_in_range(b.kept, 20000, 20100);
	block = budget_resize(block, 100);
	assert_in_range(b.kept, 100, 200);
	budget_free(block);
	budget_free(NULL);
	assert_int_equal(b.taken, 0);
	assert_int_equal(b.kept, 0);
}

static void what_was_read_may_be_too_much_to_keep(void **state)
{
	struct budget b = {.taken = 0};
	char *block = budget_alloc(&b, BUDGET_READING, 20 * MB);

	(void)state;
	assert_non_null(block);
	assert_false(budget_keep(block, BUDGET_SYMBOLS));
	assert_true(budget_refused(&b));
	assert_int_equal(b.kept, 0);
	budget_free(block);
	assert_int_equal(b.taken, 0);
}

static void vectors_grow_until_refused(void **state)
{
	struct budget b = {.taken = 0};
	uint64_t *list = NULL;
	size_t cap = 0, nr = 0;

	(void)state;
	while (budget_reserve(&b, BUDGET_LINES, &list, &cap, nr + 1, sizeof(*list))) {
		list[nr] = nr;
		nr++;
	}
	assert_in_range(cap * sizeof(*list), 8 * MB, 16 * MB);
	assert_int_equal(nr, cap);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(list[i], i);
	budget_free(list);
}

#define ROUNDS 200000

static uint64_t most; /* seen by any thread; only raised */

static void *take_and_give(void *arg)
{
	struct budget *b = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t bytes = (i * 7919u) % (9 * MB), now;

		if (!budget_take(b, BUDGET_READING, bytes))
			continue;
		now = taken();
		if (now > __atomic_load_n(&most, __ATOMIC_RELAXED))
			__atomic_store_n(&most, now, __ATOMIC_RELAXED);
		budget_give(b, BUDGET_READING, bytes);
	}
	return NULL;
}

static void threads_never_get_more_together(void **state)
{
	struct budget b[4] = {{.taken = 0}};
	pthread_t threads[8];

	(void)state;
	budget_set_limit(20 * MB);
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &b[i / 2]), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	assert_in_range(most, 1, 20 * MB);
	for (int i = 0; i < 4; i++)
		assert_int_equal(b[i].taken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_object_keeps_a_quarter, setup, teardown),
		cmocka_unit_test_setup_teardown(parts_share_and_are_refused_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(all_together_keep_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(absurd_sizes_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(blocks_know_what_they_took, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_read_may_be_too_much_to_keep, setup, teardown),
		cmocka_unit_test_setup_teardown(vectors_grow_until_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_never_get_more_together, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
