/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a wait: its states are all of it, and what a state consists of is that state. */
#include "measure/consumers/waitrows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t ns[EVENT_ROLES];

static void add(void *arg, enum event_role role, const struct table_key *whose, const struct waits_path *p, uint64_t more,
		uint64_t time, bool sample)
{
	(void)arg;
	(void)whose;
	(void)p;
	(void)time;
	(void)sample;
	ns[role] += more;
}

static void tell(uint8_t state, uint64_t woken, bool unsure)
{
	static const uint64_t at = 0x1000;
	const struct waitrows rows = {add, NULL};
	const struct waits_sink sink = waitrows_sink(&rows);

	for (unsigned i = 0; i < EVENT_ROLES; i++)
		ns[i] = 0;
	sink.wait(sink.arg, &(struct wait){.pid = 7, .tid = 7, .state = state, .ended = true, .first = true, .awake = true,
						.unsure = unsure, .out = 100, .woken = woken, .in = 200, .path = {1, 1, &at}});
	assert_int_equal(ns[EVENT_OFFCPU], 100);
	assert_int_equal(ns[EVENT_RUNNABLE] + ns[EVENT_SLEEPING] + ns[EVENT_DISK] + ns[EVENT_RESTING] + ns[EVENT_UNKNOWN], 100);
	assert_int_equal(ns[EVENT_IDLE] + ns[EVENT_STOPPED], ns[EVENT_RESTING]);
	assert_true(ns[EVENT_PREEMPTED] + ns[EVENT_YIELDED] <= ns[EVENT_RUNNABLE]);
}

static void test_parts(void **state)
{
	(void)state;
	tell(WAIT_PREEMPTED, 100, false);
	assert_int_equal(ns[EVENT_PREEMPTED], 100);
	tell(WAIT_YIELDED, 100, false);
	assert_int_equal(ns[EVENT_YIELDED], 100);
	assert_int_equal(ns[EVENT_WOKEN], 0); /* it needs nobody */
	tell(WAIT_RUNNABLE, 100, false);
	assert_int_equal(ns[EVENT_RUNNABLE], 100);
	assert_int_equal(ns[EVENT_PREEMPTED] + ns[EVENT_YIELDED], 0);
	tell(WAIT_SLEEPING, 170, false);
	assert_int_equal(ns[EVENT_SLEEPING], 70);
	assert_int_equal(ns[EVENT_PREEMPTED] + ns[EVENT_YIELDED], 0); /* it stood in line */
	tell(WAIT_IDLE, 170, false);
	assert_int_equal(ns[EVENT_IDLE], 70);
	tell(WAIT_STOPPED, 170, false);
	assert_int_equal(ns[EVENT_STOPPED], 70);
	tell(WAIT_IDLE, 170, true);
	assert_int_equal(ns[EVENT_UNKNOWN], 70);
	assert_int_equal(ns[EVENT_IDLE], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
