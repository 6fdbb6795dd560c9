/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of how late a picture is, by a clock made of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui/app/lateness.h"

#define TICK  (100 * NSEC_PER_MSEC)
#define BEGUN (1000 * NSEC_PER_SEC) /* the clock at the session's time 0 */

/* Slices of 100 ms that end in the second after `from`, each of which comes so late. */
static void second(struct lateness *l, uint64_t from, uint64_t late)
{
	for (uint64_t end = from + TICK; end <= from + NSEC_PER_SEC; end += TICK)
		lateness_note(l, BEGUN + end + late, end - TICK, end);
}

/* Nothing is late before anything has come, nor between two refreshes. */
static void test_in_time(void **state)
{
	struct lateness l = {.known = false};

	(void)state;
	assert_int_equal(lateness_of(&l, BEGUN + 60 * NSEC_PER_SEC, 0, NSEC_PER_SEC), 0);
	second(&l, 0, NSEC_PER_MSEC);
	assert_int_equal(lateness_of(&l, BEGUN + NSEC_PER_SEC, NSEC_PER_SEC, NSEC_PER_SEC), 0);
	assert_int_equal(lateness_of(&l, BEGUN + 3 * NSEC_PER_SEC, NSEC_PER_SEC, NSEC_PER_SEC), 0);
	/* A user who has it made anew every 10 s looks at it for 10 s. */
	assert_int_equal(lateness_of(&l, BEGUN + 11 * NSEC_PER_SEC, NSEC_PER_SEC, 10 * NSEC_PER_SEC), 0);
	assert_true(lateness_of(&l, BEGUN + 13 * NSEC_PER_SEC, NSEC_PER_SEC, 10 * NSEC_PER_SEC) > 0);
}

/* Slices that wait for 48 s are 48 s late, to the tick that the soonest of all needed; when they are taken nothing is. */
static void test_late(void **state)
{
	struct lateness l = {.known = false};
	uint64_t behind;

	(void)state;
	second(&l, 0, 2 * NSEC_PER_MSEC);
	second(&l, NSEC_PER_SEC, 48 * NSEC_PER_SEC);
	behind = lateness_of(&l, BEGUN + 50 * NSEC_PER_SEC, 2 * NSEC_PER_SEC, NSEC_PER_SEC);
	assert_in_range(behind, 48 * NSEC_PER_SEC - TICK, 48 * NSEC_PER_SEC);
	second(&l, 50 * NSEC_PER_SEC, 2 * NSEC_PER_MSEC);
	assert_int_equal(lateness_of(&l, BEGUN + 51 * NSEC_PER_SEC, 51 * NSEC_PER_SEC, NSEC_PER_SEC), 0);
}

/* A machine whose clock is slower by 100 ppm is not late after a day. */
static void test_drift(void **state)
{
	struct lateness l = {.known = false};
	uint64_t end = 0, now = BEGUN;

	(void)state;
	for (int s = 0; s < 86400; s++) {
		end += NSEC_PER_SEC - 100000;
		now += NSEC_PER_SEC;
		lateness_note(&l, now, end - NSEC_PER_SEC, end);
		assert_int_equal(lateness_of(&l, now, end, NSEC_PER_SEC), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_time),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
