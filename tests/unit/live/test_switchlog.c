/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of runs, each in order or the reverse of it: nothing is missing, and all is in order of time. */
#include "sources/consumers/switchlog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return below ? (seed >> 8) % below : 0;
}

static void push(struct switchlog_list *l, uint64_t time)
{
	const struct switchlog said = {.time = time, .thread = (uint32_t)l->nr};

	assert_true(VEC_PUSH(l->said, l->nr, l->cap, said));
}

/* `step`: from one time to the next, where it is not drawn. */
static void add_run(struct switchlog_list *l, size_t nr, int64_t time, int64_t step)
{
	for (size_t i = 0; i < nr; i++, time += step)
		push(l, (uint64_t)time);
}

/* Where that was which is there now: each number once; of equal times in the order in which they came. */
static void check(struct switchlog_list *l)
{
	size_t nr = l->nr;
	uint64_t *times = test_malloc((nr + 1) * sizeof(*times));
	bool *seen = test_calloc(nr + 1, sizeof(*seen));

	for (size_t i = 0; i < nr; i++)
		times[i] = l->said[i].time;
	switchlog_sort(l);
	assert_int_equal(l->nr, nr);
	for (size_t i = 0; i < nr; i++) {
		uint32_t was = l->said[i].thread;

		assert_true(was < nr && !seen[was]);
		seen[was] = true;
		assert_int_equal(l->said[i].time, times[was]);
		assert_true(!i || l->said[i - 1].time <= l->said[i].time);
		assert_true(!i || l->said[i - 1].time < l->said[i].time || l->said[i - 1].thread < was);
	}
	test_free(times);
	test_free(seen);
	switchlog_clear(l);
}

static void test_few(void **state)
{
	struct switchlog_list l = {.nr = 0};

	(void)state;
	check(&l);
	add_run(&l, 1, 5, 0);
	check(&l);
	add_run(&l, 100, 5, 0);
	check(&l);
	add_run(&l, 2, 5, -1);
	check(&l);
}

/* Each reader's batches, backwards, one reader behind the other. */
static void test_batches(void **state)
{
	struct switchlog_list l = {.nr = 0};

	(void)state;
	for (unsigned reader = 0; reader < 7; reader++)
		for (unsigned batch = 1; batch < 40; batch++)
			add_run(&l, 100, batch * 1000 + reader, -9);
	check(&l);
}

/* Runs that grow shorter and shorter are the most that wait to be merged. */
static void test_shorter(void **state)
{
	struct switchlog_list l = {.nr = 0};

	(void)state;
	for (size_t nr = 1 << 16; nr; nr = nr * 3 / 4)
		add_run(&l, nr, 1000000 + (int64_t)draw(100000), nr % 2 ? 3 : -2);
	check(&l);
}

static void test_any(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 2000; n++) {
		struct switchlog_list l = {.nr = 0};
		unsigned runs = draw(20);

		for (unsigned r = 0; r < runs; r++)
			add_run(&l, draw(n % 2 ? 6 : 60), 200 + draw(50), (int64_t)draw(7) - 3);
		check(&l);
	}
}

/* As a tick does: what was left over is in order, and more comes behind it. */
static void test_again(void **state)
{
	struct switchlog_list l = {.nr = 0};

	(void)state;
	add_run(&l, 50, 1000, -2);
	switchlog_sort(&l);
	add_run(&l, 50, 1001, -2);
	add_run(&l, 1, 0, 0);
	switchlog_sort(&l);
	for (size_t i = 1; i < l.nr; i++)
		assert_true(l.said[i - 1].time < l.said[i].time);
	assert_int_equal(l.nr, 101);
	switchlog_clear(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few), cmocka_unit_test(test_batches), cmocka_unit_test(test_shorter),
		cmocka_unit_test(test_any), cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
