/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much is copied of stacks where call paths are auto, by what samples take and what they may. */
#include "sources/change/autopaths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

#define MB (1u << 20)

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(autopaths_stack(999, 16 * MB, 0), 8192);
	assert_int_equal(autopaths_stack(0, 1, 8192), 8192);
	assert_int_equal(autopaths_stack(4000, 16 * MB, 4096), 2048);
	assert_int_equal(autopaths_stack(10000, 16 * MB, 8192), 1024);
	assert_int_equal(autopaths_stack(100000, 16 * MB, 8192), 0);
	/* it fits just so: enough to stay, not to begin with */
	assert_int_equal(autopaths_stack(1000, 9 * MB, 8192), 8192);
	assert_int_equal(autopaths_stack(1000, 9 * MB, 4096), 4096);
	assert_int_equal(autopaths_stack(1000, 9 * MB, 0), 4096);
}

/* Seconds of slices of 100 ms; what is wanted is done. */
static void seconds(struct autopaths *a, unsigned n, uint64_t samples, uint64_t bytes, bool shallow)
{
	for (unsigned i = 0; i < n * 10; i++) {
		if (autopaths_take(a, 100 * NSEC_PER_MSEC, samples / 10, bytes / 10, 0))
			autopaths_judge(a, shallow);
		if (a->stack != a->wanted)
			a->above = a->room = a->idle = 0;
		a->stack = a->wanted;
	}
}

static void test_begins(void **state)
{
	struct autopaths a;

	(void)state;
	autopaths_init(&a, 0, 2);
	assert_int_equal(a.budget, 2 * AUTOPATHS_BUDGET);
	seconds(&a, 60, 1000, MB, false);
	assert_int_equal(a.stack, 0);
	seconds(&a, 1, 1000, MB, true);
	assert_int_equal(a.stack, 8192);
	assert_int_equal(a.per_second, 1000);
	assert_in_range(a.rate, MB - 10, MB);
	/* what is asked for and not done yet is not asked for anew */
	a.wanted = 4096;
	autopaths_judge(&a, true);
	assert_int_equal(a.wanted, 4096);
}

static void test_budget(void **state)
{
	struct autopaths a;

	(void)state;
	autopaths_init(&a, 16 * MB, 2);
	seconds(&a, 1, 1000, MB, true);
	seconds(&a, AUTOPATHS_DOWN - 1, 4000, 34 * MB, true);
	seconds(&a, 1, 1000, 9 * MB, true);
	seconds(&a, AUTOPATHS_DOWN - 1, 4000, 34 * MB, true);
	assert_int_equal(a.stack, 8192); /* it did not stay above */
	seconds(&a, 1, 4000, 34 * MB, true);
	assert_int_equal(a.stack, 2048);
	/* what is measured counts, not what it was thought to be */
	seconds(&a, AUTOPATHS_DOWN, 4000, 17 * MB, true);
	assert_int_equal(a.stack, 1024);
	assert_false(a.over);
	seconds(&a, AUTOPATHS_DOWN, 4000, 17 * MB, true);
	assert_int_equal(a.stack, 0);
	assert_true(a.over);
	/* not at once again */
	seconds(&a, AUTOPATHS_UP - 1, 1000, MB, true);
	assert_int_equal(a.stack, 0);
	seconds(&a, 1, 1000, MB, true);
	assert_int_equal(a.stack, 8192);
	/* too many from the start */
	autopaths_init(&a, 16 * MB, 2);
	seconds(&a, 1, 100000, 9 * MB, true);
	assert_int_equal(a.stack, 0);
	assert_true(a.over);
}

static void test_more(void **state)
{
	struct autopaths a;

	(void)state;
	autopaths_init(&a, 16 * MB, 2);
	seconds(&a, 1, 4000, MB, true);
	assert_int_equal(a.stack, 2048);
	seconds(&a, AUTOPATHS_UP - 1, 1000, 3 * MB, true);
	assert_int_equal(a.stack, 2048);
	seconds(&a, 1, 1000, 3 * MB, true);
	assert_int_equal(a.stack, 8192);
}

/* Nobody is left whom copies are for: none is unwound. */
static void test_ends(void **state)
{
	struct autopaths a;

	(void)state;
	autopaths_init(&a, 16 * MB, 2);
	seconds(&a, 1, 1000, MB, true);
	seconds(&a, AUTOPATHS_IDLE, 1000, 9 * MB, false);
	assert_int_equal(a.stack, 8192);
	assert_false(autopaths_take(&a, NSEC_PER_MSEC, 1, 9000, 1)); /* one is */
	seconds(&a, AUTOPATHS_IDLE, 1000, 9 * MB, false);
	assert_int_equal(a.stack, 8192);
	seconds(&a, 1, 1000, 9 * MB, false);
	assert_int_equal(a.stack, 0);
	assert_false(a.over);
	/* and if it cannot be, it is not asked for */
	a.failed = true;
	seconds(&a, 5, 1000, MB, true);
	assert_int_equal(a.wanted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes), cmocka_unit_test(test_begins), cmocka_unit_test(test_budget),
		cmocka_unit_test(test_more),  cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
