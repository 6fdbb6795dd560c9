/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the slices of another machine are: as long as reports and the end allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/hostsession.h"

static uint32_t beat(double delay, double duration)
{
	struct options o = {.show.delay = delay, .show.duration = duration};

	return hostsession_beat_ms(&o);
}

static void beats(void **state)
{
	struct options o = {.snapshot_on = {.nr = 1}};

	(void)state;
	assert_int_equal(beat(0, 0), 1000);
	assert_int_equal(beat(1, 0), 1000);
	assert_int_equal(beat(5, 10), 1000);
	assert_int_equal(beat(0.5, 0), 500);
	assert_int_equal(beat(0.1, 0), 100);
	assert_int_equal(beat(1.5, 0), 500);
	assert_int_equal(beat(0.7, 0), 700);
	assert_int_equal(beat(1.3, 0), 100);
	assert_int_equal(beat(0.25, 0), 300); /* to whole ticks */
	assert_int_equal(beat(1, 2.5), 500);
	assert_int_equal(beat(1, 0.3), 100);
	assert_int_equal(beat(1e9, 1e9), 1000);
	assert_int_equal(hostsession_beat_ms(&o), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(beats)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
