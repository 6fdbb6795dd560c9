/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of a CPU's time, and how much of it may be believed. */
#include "sources/live/idle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define MS NSEC_PER_MSEC

static void test_parse(void **state)
{
	struct cputime t;
	int cpu = -1;

	(void)state;
	assert_true(cputime_parse("cpu17 8108 7 2883 59995 982 3 31 497 11 12", &cpu, &t));
	assert_int_equal(cpu, 17);
	assert_int_equal(t.idle, (59995 + 982) * 10 * MS);
	assert_int_equal(t.irq, 34 * 10 * MS);
	assert_int_equal(t.user, 8115 * 10 * MS);
	assert_int_equal(t.kernel, (2883 + 34) * 10 * MS);
	assert_int_equal(t.stolen, 497 * 10 * MS);
	assert_true(cputime_parse("cpu0 1 2 3 4 5 6 7", &cpu, &t)); /* before 2.6.11 */
	assert_int_equal(t.stolen, 0);
	assert_false(cputime_parse("cpu  15657 0 5814 120739 1649 0 86 1094 0 0", &cpu, &t));
	assert_false(cputime_parse("intr 3 0 0", &cpu, &t));
	assert_false(cputime_parse("cpu1 2 3 4", &cpu, &t));
	assert_false(cputime_parse("", &cpu, &t));
}

/* On this machine: all online CPUs are there, and together they have been idle as long as uptime says. */
static void test_here(void **state)
{
	struct cputimes *c = cputimes_open();
	uint64_t idle = 0, ms = 0;
	int online = 0;

	(void)state;
	assert_non_null(c);
	assert_null(cputimes_of(c, 0)); /* not before a look */
	cputimes_read(c);
	for (int cpu = 0; cpu < 8192; cpu++) {
		const struct cputime *t = cputimes_of(c, cpu);

		online += t != NULL;
		idle += t ? t->idle : 0;
	}
	assert_int_equal(online, sysconf(_SC_NPROCESSORS_ONLN));
	ms = clock_ns() / MS;
	assert_true(idle / MS <= (ms + 1000) * (uint64_t)online);
	assert_null(cputimes_of(c, -1));
	cputimes_close(c);
	assert_null(cputimes_of(NULL, 0));
	cputimes_read(NULL);
	cputimes_close(NULL);
}

static void test_watch(void **state)
{
	struct idle_watch w = {.known = false};
	struct cputime t = {.idle = 5000 * MS, .stolen = 70 * MS};
	struct loss_input in = {.clock = true};

	(void)state;
	idle_look(&w, &t, 100 * MS, false);
	t.idle += 60 * MS;
	t.irq += 10 * MS;
	t.stolen += 20 * MS;
	idle_look(&w, &t, 200 * MS, true);
	idle_tell(&w, 203 * MS, &in);
	assert_int_equal(in.idle_least, 40 * MS); /* two figures, each rounded down */
	assert_int_equal(in.idle_most, 83 * MS);  /* and 3 ms since the look */
	assert_int_equal(in.idle_irq, 10 * MS);
	assert_int_equal(in.stolen, 20 * MS);
	/* While nothing counts, nothing is told of. */
	t.idle += 100 * MS;
	idle_look(&w, &t, 300 * MS, false);
	idle_tell(&w, 300 * MS, &in);
	assert_int_equal(in.idle_least, 40 * MS);
	assert_int_equal(in.idle_most, 80 * MS);
}

/* A CPU that goes: of the time up to then nobody knows.  It begins anew when it is back. */
static void test_hotplug(void **state)
{
	struct idle_watch w = {.known = false};
	struct cputime t = {.idle = 5000 * MS};
	struct loss_input in = {.clock = true};

	(void)state;
	idle_look(&w, &t, 100 * MS, false);
	idle_look(&w, NULL, 200 * MS, true);
	idle_tell(&w, 200 * MS, &in);
	assert_int_equal(in.idle_least, 0);
	assert_int_equal(in.idle_most, 120 * MS);
	t.idle = 3 * MS;
	idle_look(&w, &t, 300 * MS, true);
	t.idle += 50 * MS;
	idle_look(&w, &t, 400 * MS, true);
	idle_tell(&w, 400 * MS, &in);
	assert_int_equal(in.idle_least, 30 * MS);
	assert_int_equal(in.idle_most, 270 * MS);
	/* Gone and back between two looks: more idle time than there was time, or less than before. */
	t.idle += 500 * MS;
	idle_look(&w, &t, 500 * MS, true);
	t.idle -= 400 * MS;
	idle_look(&w, &t, 600 * MS, true);
	idle_tell(&w, 600 * MS, &in);
	assert_int_equal(in.idle_least, 30 * MS);
	assert_int_equal(in.idle_most, 470 * MS);
}

/* A task's clock: while the task sleeps it does not count, and so is never idle. */
static void test_task(void **state)
{
	struct idle_watch w = {.known = false};
	struct cputime t = {.idle = 0};
	struct loss_input in = {.clock = true, .task = true, .counted = 250 * MS};

	(void)state;
	idle_look(&w, &t, 100 * MS, false);
	t.idle = 600 * MS;
	t.stolen = 40 * MS;
	idle_look(&w, &t, 1100 * MS, true);
	idle_tell(&w, 1100 * MS, &in);
	assert_int_equal(in.idle_least, 0);
	assert_int_equal(in.idle_most, 0);
	assert_int_equal(in.stolen, 10 * MS); /* its part of it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),	cmocka_unit_test(test_here),
		cmocka_unit_test(test_watch),	cmocka_unit_test(test_hotplug),
		cmocka_unit_test(test_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
