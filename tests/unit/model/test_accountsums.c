/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of accounts of events that had a counter for a part of the time: what they would have counted is known here. */
#include "model/core/accountsums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Samples of a period of 10; what was counted of a period that did not end is pending. */
static struct account_span span(int cpu, uint64_t counted, uint64_t enabled, uint64_t starved)
{
	return (struct account_span){.a = {.cpu = (int16_t)cpu, .exact = true, .counted = counted, .samples = counted / 10,
					   .attributed = counted / 10 * 10, .pending = counted % 10, .enabled = enabled,
					   .starved = starved}};
}

static struct account sum(const struct account_span *spans, unsigned nr)
{
	struct account a = {.exact = true};
	uint64_t lost = 0;

	for (unsigned i = 0; i < nr; i++)
		account_add(&a, &spans[i]);
	account_finish(&a);
	for (int c = 0; c < LOST_CAUSES; c++)
		lost += a.lost[c];
	assert_int_equal(a.lost_all, lost);
	assert_int_equal(a.counted, a.attributed + lost + a.pending);
	return a;
}

/* 240 units of which 116 were counted, in 29 of 60 ns: the rest was nobody's to see. */
static void test_turns(void **state)
{
	const struct account_span s = span(0, 116, 60, 31);
	struct account a = sum(&s, 1);

	(void)state;
	assert_int_equal(a.counted, 240);
	assert_int_equal(a.lost[LOST_MULTIPLEXED], 124);
	assert_int_equal(a.attributed, 110);
	assert_int_equal(a.lost_samples[LOST_MULTIPLEXED], 12);
	assert_false(a.exact);
	assert_false(a.unknown);
	assert_true(fabs(a.attributed_share - 110.0 / 234) < 1e-9);
	assert_true(fabs(model_counter_share(&a) - 29.0 / 60) < 1e-9);
}

static void test_whole(void **state)
{
	const struct account_span s = span(0, 240, 60, 0), untold = span(0, 240, 0, 0);
	struct account a = sum(&s, 1);

	(void)state;
	assert_int_equal(a.counted, 240);
	assert_int_equal(a.lost_all, 0);
	assert_true(a.exact);
	assert_true(model_counter_share(&a) == 1);
	a = sum(&untold, 1); /* an older ringtop's */
	assert_int_equal(a.counted, 240);
	assert_int_equal(a.lost_all, 0);
	assert_true(a.exact);
	assert_true(isnan(model_counter_share(&a)));
}

/* A CPU that is busy shares its counters, one that is not does not: each stands for itself. */
static void test_each_cpu(void **state)
{
	const struct account_span s[] = {span(0, 1000, 100, 50), span(1, 10, 100, 0)};

	(void)state;
	assert_int_equal(sum(s, 2).counted, 2010);
}

/* Where there was no counter at all, the others stand for it; where there was none anywhere, nobody does. */
static void test_never(void **state)
{
	const struct account_span s[] = {span(0, 1000, 100, 50), span(1, 0, 100, 100), span(2, 0, 0, 0)};
	struct account a = sum(s, 3);

	(void)state;
	assert_int_equal(a.counted, 4000);
	assert_false(a.unknown);
	a = sum(s + 1, 2);
	assert_true(a.unknown);
	assert_false(a.exact);
	assert_int_equal(a.counted, 0);
	assert_true(isnan(a.attributed_share));
	a = sum(s + 2, 1); /* an event that was not to count, as of a task that slept, counted nothing */
	assert_false(a.unknown);
	assert_true(a.exact);
}

/* A wire may carry anything; the sum is no number that nobody can hold. */
static void test_hostile(void **state)
{
	const struct account_span s[] = {span(0, UINT64_MAX / 2, UINT64_MAX, UINT64_MAX - 1), span(1, 0, UINT64_MAX / 2, UINT64_MAX / 2)};

	(void)state;
	sum(s, 2);
	assert_int_equal(account_multiplexed(5, 7, 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns), cmocka_unit_test(test_whole), cmocka_unit_test(test_each_cpu),
		cmocka_unit_test(test_never), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
