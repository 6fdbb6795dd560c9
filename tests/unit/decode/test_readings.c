/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"
#include "files/decode/readings.h"

static uint64_t since(struct readings *r, uint64_t id, uint32_t tid, uint64_t value)
{
	uint64_t n;
	bool gap;

	assert_true(readings_since(r, id, tid, value, false, &n, &gap));
	return n;
}

static bool is_gap(struct readings *r, uint64_t id, uint64_t value, bool fresh_gap)
{
	uint64_t n;
	bool gap;

	assert_true(readings_since(r, id, 0, value, fresh_gap, &n, &gap));
	return gap;
}

/* Counters of many threads, each by itself, through all growth. */
static void by_counter_and_thread(void **state)
{
	struct readings r = {.slots = 0};

	(void)state;
	for (uint64_t round = 1; round <= 3; round++)
		for (uint32_t tid = 0; tid < 1000; tid++)
			for (uint64_t id = 1; id <= 3; id++)
				assert_int_equal(since(&r, id, tid, round * (id + tid)), id + tid);
	assert_int_equal(r.used, 3000);
	readings_clear(&r);
	assert_int_equal(since(&r, 2, 7, 5), 5);
	readings_clear(&r);
}

/* A thread of a number that another one had counts from 0. */
static void numbers_come_again(void **state)
{
	struct readings r = {.slots = 0};

	(void)state;
	assert_int_equal(since(&r, 1, 9, 100), 100);
	assert_int_equal(since(&r, 1, 9, 30), 30);
	assert_int_equal(since(&r, 1, 9, 31), 1);
	readings_clear(&r);
}

/* Each counter is told of a gap once; one that is new only where the caller knows of one. */
static void gaps(void **state)
{
	struct readings r = {.slots = 0};

	(void)state;
	assert_false(is_gap(&r, 1, 10, false));
	assert_false(is_gap(&r, 2, 10, false));
	readings_gap(&r);
	assert_true(is_gap(&r, 1, 20, true));
	assert_false(is_gap(&r, 1, 30, false));
	assert_true(is_gap(&r, 2, 20, false)); /* some batches later */
	assert_false(is_gap(&r, 2, 30, false));
	assert_true(is_gap(&r, 3, 10, true));
	assert_false(is_gap(&r, 4, 10, false));
	readings_clear(&r);
}

/* What there is no room for is said, and what is known stays right. */
static void bounded(void **state)
{
	struct readings r = {.slots = 0};
	uint64_t n;
	uint32_t tid = 0;
	bool gap;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	while (readings_since(&r, 1, tid, 5, false, &n, &gap))
		tid++;
	assert_in_range(tid, 10000, READINGS_MOST);
	assert_int_equal(since(&r, 1, tid / 2, 8), 3);
	assert_false(readings_since(&r, 1, tid, 5, false, &n, &gap));
	readings_clear(&r);
	budget_set_limit(BUDGET_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_counter_and_thread), cmocka_unit_test(numbers_come_again), cmocka_unit_test(gaps),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
