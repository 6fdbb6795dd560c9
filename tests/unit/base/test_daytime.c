/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/daytime.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

#define HOUR (3600 * NSEC_PER_SEC)

static const uint64_t midnight = 1767225600ull * NSEC_PER_SEC; /* of a day, in UTC */

/* What it means in the 25 hours from midnight on, as ns since then. */
static uint64_t meant(const char *text)
{
	struct err err = {.code = 0};
	uint64_t wall;

	if (daytime_parse(text, midnight, midnight + 25 * HOUR, &wall, &err))
		fail_msg("%s: %s", text, err.text);
	return wall - midnight;
}

static void test_meant(void **state)
{
	(void)state;
	assert_int_equal(meant("-600"), 25 * HOUR - 600 * NSEC_PER_SEC);
	assert_int_equal(meant("-0"), 25 * HOUR);
	assert_int_equal(meant("-1000000"), 0);
	assert_int_equal(meant("-99999999999999999999"), 0);
	assert_int_equal(meant("03:00"), 3 * HOUR);
	assert_int_equal(meant("3:00:01"), 3 * HOUR + NSEC_PER_SEC);
	assert_int_equal(meant("00:59:58"), 24 * HOUR + 3598 * NSEC_PER_SEC); /* the last one */
}

static void test_none(void **state)
{
	static const char *const bad[] = {"", "-", "3", "24:00", "12:60", "12:00x", "12:00:60", "12:00:", "-5x", "x", "--5"};
	struct err err = {.code = 0};
	uint64_t wall;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (daytime_parse(bad[i], midnight, midnight + HOUR, &wall, &err) != -EINVAL)
			fail_msg("'%s' is a time", bad[i]);
	assert_int_equal(daytime_parse("03:00", midnight, midnight + HOUR, &wall, &err), -EINVAL);
	assert_non_null(err.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_meant), cmocka_unit_test(test_none)};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
