/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's times as they come for events of CPUs and of tasks, alone on the hardware, in turns, and in error:
 * how long each was to count is known here, because the times are made of it.
 */
#include "kernel/capture/multiplex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/capture/open.h"

static struct perf_count times(uint64_t enabled, uint64_t running)
{
	return (struct perf_count){.enabled = enabled, .running = running};
}

struct seen {
	struct multiplex_sum sum;
	struct multiplex_mark mark;
};

static void look(struct seen *s, struct perf_count now, struct perf_count witness, bool spread)
{
	multiplex_add(&s->sum, &s->mark, &now, &witness, spread, true);
}

/* An event of a CPU: the kernel's own times. */
static void test_cpu(void **state)
{
	struct seen s = {.sum = {0}};

	(void)state;
	look(&s, times(1000, 500), times(1010, 1010), false);
	look(&s, times(3000, 1250), times(3010, 3010), false);
	assert_int_equal(s.sum.enabled, 3000);
	assert_int_equal(s.sum.running, 1250);
}

/* A thread that was here for a quarter of its time, and had a counter all the while: nothing was missed. */
static void test_elsewhere(void **state)
{
	struct seen s = {.sum = {0}};

	(void)state;
	for (uint64_t t = 1; t <= 50; t++)
		look(&s, times(t * 100000, t * 25000), times(t * 100000 + 700, t * 25000), true);
	assert_int_equal(s.sum.enabled, 50 * 25000);
	assert_int_equal(s.sum.running, 50 * 25000);
}

/* A thread that takes turns was here for a quarter, with a counter for a tenth. */
static void test_elsewhere_in_turns(void **state)
{
	struct seen s = {.sum = {0}};

	(void)state;
	for (uint64_t t = 1; t <= 50; t++)
		look(&s, times(t * 100000, t * 10000), times(t * 100000, t * 25000), true);
	assert_int_equal(s.sum.enabled, 50 * 25000);
	assert_int_equal(s.sum.running, 50 * 10000);
}

/* Read a moment after its witness, it can be ahead, and that is no more at the end than at one reading. */
static void test_read_later(void **state)
{
	struct seen s = {.sum = {0}};

	(void)state;
	for (uint64_t t = 1; t <= 1000; t++)
		look(&s, times(t * 100000 + 40, t * 50000 + 20 * (t % 2)), times(t * 100000, t * 50000), true);
	assert_int_equal(s.sum.enabled, 1000 * 50000);
	assert_in_range(s.sum.running, 1000 * 50000, 1000 * 50000 + 20);
}

/* While it is stopped its witness goes on: of the rest the thread's part here is taken. */
static void test_stopped(void **state)
{
	struct seen s = {.sum = {0}};

	(void)state;
	look(&s, times(100000, 50000), times(100000, 50000), true);
	look(&s, times(100000, 50000), times(500000, 250000), true);
	assert_int_equal(s.sum.enabled, 50000);
	look(&s, times(200000, 100000), times(700000, 350000), true);
	assert_int_equal(s.sum.enabled, 100000);
	assert_int_equal(s.sum.running, 100000);
}

/* An event in error cannot be read: what the witness saw is time without a counter, if the event was to count. */
static void test_error(void **state)
{
	const struct perf_count first = times(100000, 100000), then = times(300000, 300000);

	(void)state;
	for (int spread = 0; spread < 2; spread++) {
		struct seen s = {.sum = {0}};

		look(&s, times(100000, 100000), first, spread);
		multiplex_add(&s.sum, &s.mark, NULL, &then, spread, true);
		assert_int_equal(s.sum.enabled, 300000);
		assert_int_equal(s.sum.running, 100000);
	}
	for (int spread = 0; spread < 2; spread++) {
		struct seen s = {.sum = {0}};

		look(&s, times(100000, 100000), first, spread);
		multiplex_add(&s.sum, &s.mark, NULL, &then, spread, false);
		assert_int_equal(s.sum.enabled, 100000);
	}
}

/* The times of a task's event on one CPU say, without a witness, for how long it ran, and no more. */
static void test_no_witness(void **state)
{
	struct seen s = {.sum = {0}}, all = {.sum = {0}};
	const struct perf_count now = times(100000, 30000);

	(void)state;
	multiplex_add(&s.sum, &s.mark, &now, NULL, true, true);
	assert_int_equal(s.sum.enabled, 30000);
	assert_int_equal(s.sum.running, 30000);
	multiplex_add(&all.sum, &all.mark, &now, NULL, false, true);
	assert_int_equal(all.sum.enabled, 100000);
	assert_int_equal(all.sum.running, 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),	       cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_elsewhere_in_turns), cmocka_unit_test(test_read_later),
		cmocka_unit_test(test_stopped),	       cmocka_unit_test(test_error),
		cmocka_unit_test(test_no_witness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
