/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A live session on a made-up kernel with two hardware counters: what is only counted, and what is sampled, of groups
 * that fit, that are too large, and that are weak; while CPUs go and come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sources/live/live.h"
#include "tests/synthring.h"

#define CPUS   2
#define MOST   8
#define TICKS  10000 /* until a test gives up; a CPU is found back after 10 to 100 */
#define PERIOD 10

static struct synthring *ring;
static struct session *session;
static struct err err;
static uint64_t counted[MOST][CPUS], enabled[MOST], sampled[MOST]; /* by the slices so far */
static bool over;

static bool open_session(const char *events, const char *counters)
{
	const struct synthring_config sc = {.cpus = CPUS, .format_lost = true, .hardware = 2};
	struct measure_config c = {.all_cpus = true, .events = &events, .nevents = 1, .period = PERIOD, .counted = &counters,
				.ncounted = counters ? 1 : 0, .screen = true, .ring_bytes = 64 << 10,
				.no_lines = true};

	memset(counted, 0, sizeof(counted));
	memset(enabled, 0, sizeof(enabled));
	memset(sampled, 0, sizeof(sampled));
	over = false;
	err = (struct err){.code = 0};
	ring = synthring_create(&sc);
	assert_non_null(ring);
	c.source = synthring_source(ring);
	session = live_open(&c, &err);
	return session;
}

static int close_session(void **state)
{
	(void)state;
	session_close(session);
	session = NULL;
	assert_int_equal(synthring_open_count(ring), 0);
	synthring_free(ring);
	return 0;
}

static void next(void)
{
	struct pollfd fd = {.fd = session->ops->fd(session), .events = POLLIN};
	struct slice *s = NULL;

	poll(&fd, 1, 1000);
	over = session_next(session, &s) == -ESHUTDOWN;
	for (size_t i = 0; s && i < s->ncounters; i++) {
		const struct slice_counter *c = &s->counters[i];

		assert_true(c->counter < MOST && c->cpu >= 0 && c->cpu < CPUS);
		counted[c->counter][c->cpu] += c->count;
		enabled[c->counter] += c->enabled;
		assert_int_equal(c->enabled, c->running);
	}
	for (size_t i = 0; s && i < s->naccounts; i++)
		sampled[s->accounts[i].event] += s->accounts[i].counted;
	slice_free(s);
}

static void finish(void)
{
	session->ops->stop(session);
	while (!over)
		next();
}

static void count(int cpu, uint64_t config, uint64_t n)
{
	synthring_count(ring, cpu, config, 7, n, 0x1000, 0);
}

/* cycles, instructions, branches: 0, 1, 4; page-faults, context-switches: 2, 3. */
static void test_weak(void **state)
{
	static const unsigned groups[] = {1, 1, 0, 1, 0};

	(void)state;
	if (!open_session("dummy", "{cycles,instructions,branches,page-faults}:W,context-switches"))
		fail_msg("%s", err.text);
	assert_int_equal(session->info.ncounters, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_string_equal(session->info.counters[i].why, "");
		assert_int_equal(session->info.counters[i].group, groups[i]);
	}
	count(0, 0, 100), count(1, 0, 1);
	count(0, 1, 200), count(1, 1, 2);
	count(0, 4, 300), count(1, 4, 3);
	count(0, 2, 400), count(1, 2, 4);
	count(0, 3, 500), count(1, 3, 5);
	synthring_pass(ring, 1000000); /* else only reads let time pass, and there may be one of each counter */
	finish();
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(counted[i][0], (i + 1) * 100);
		assert_int_equal(counted[i][1], i + 1);
	}
	assert_true(enabled[0] > 0);
	assert_int_equal(enabled[0], enabled[1]);
	assert_int_equal(enabled[0], enabled[3]);
}

/* One that must be whole tells which has no room, and the others go on. */
static void test_too_large(void **state)
{
	(void)state;
	if (!open_session("dummy", "{cycles,instructions,branches},page-faults"))
		fail_msg("%s", err.text);
	assert_string_equal(session->info.counters[1].why, "");
	assert_non_null(strstr(session->info.counters[2].why, ":W"));
	count(0, 0, 10), count(0, 1, 20), count(0, 4, 30), count(0, 2, 40);
	finish();
	assert_int_equal(counted[0][0], 10);
	assert_int_equal(counted[1][0], 20);
	assert_int_equal(counted[2][0], 0);
	assert_int_equal(enabled[2], 0);
	assert_int_equal(counted[3][0], 40);
}

static void test_cpu_goes(void **state)
{
	unsigned back = 0; /* counts since the CPU came back */

	(void)state;
	if (!open_session("dummy", "{cycles,instructions},page-faults"))
		fail_msg("%s", err.text);
	count(1, 0, 10), count(1, 2, 20);
	synthring_online(ring, 1, false);
	for (unsigned i = 0; i < TICKS && !counted[0][1]; i++)
		next();
	synthring_online(ring, 1, true);
	/* Its events may be opened anew some ticks later: counts before are lost. */
	for (; back < TICKS && counted[0][1] < 11; back++) {
		count(1, 0, 1);
		next();
	}
	assert_true(counted[0][1] > 10 && counted[0][1] <= 10 + back);
	assert_int_equal(counted[2][1], 20);
	count(1, 2, 5);
	finish();
	assert_int_equal(counted[2][1], 25);
}

static void test_sampled_weak(void **state)
{
	(void)state;
	if (!open_session("{cycles,instructions,branches}:W", NULL))
		fail_msg("%s", err.text);
	count(0, 0, 100), count(0, 1, 200), count(1, 4, 300);
	finish();
	assert_int_equal(sampled[0], 100);
	assert_int_equal(sampled[1], 200);
	assert_int_equal(sampled[2], 300);
}

static void test_sampled_too_large(void **state)
{
	(void)state;
	assert_false(open_session("{cycles,instructions,branches}", NULL));
	assert_int_equal(err.code, EINVAL);
	print_message("%s (%s)\n", err.text, err.advice);
}

#define TEST(name) cmocka_unit_test_teardown(name, close_session)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_weak), TEST(test_too_large), TEST(test_cpu_goes), TEST(test_sampled_weak),
		TEST(test_sampled_too_large),
	};

	return cmocka_run_group_tests_name("counting", tests, NULL, NULL);
}
