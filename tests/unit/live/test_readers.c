/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is asked in a tick, on a made-up kernel: those who have news, and all when all are wanted. */
#include "sources/live/readers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sources/live/gauges.h"
#include "tests/synthring.h"

#define CONFIG	 2 /* of its event */
#define PERIOD	 10
#define REPORT	 (READER_DRAIN | READER_COUNT)
#define PATIENCE (10 * NSEC_PER_SEC)

static const pid_t everybody = -1;
static struct synthring *ring;
static struct event event;
static struct scope scope;
static struct readers readers;
static int both[] = {0, 1}, first[] = {0};

static int begin(void **state)
{
	const struct synthring_config config = {.cpus = 2, .format_lost = true};
	struct err err;

	(void)state;
	ring = synthring_create(&config);
	assert_non_null(ring);
	event = (struct event){.attr = {.type = PERF_TYPE_SOFTWARE, .config = CONFIG, .sample_period = PERIOD}};
	scope = (struct scope){.events = {.events = &event, .nr = 1}, .room = 2, .target = {.kind = TARGET_SYSTEM},
			       .watched = {both, 2}, .online = {both, 2}};
	scope.rings = (struct ringset_config){
		.source = synthring_source(ring), .events = &scope.events, .tids = &everybody, .ntids = 1,
		.overwrite = true, .sample_bytes = 4096, .sideband_bytes = 4096};
	perf_features_probe(scope.rings.source, &scope.rings.features);
	scope.now = &scope.rings;
	assert_int_equal(readers_init(&readers, &scope), 0);
	assert_int_equal(readers_create(&readers, false, 0, NULL, &err), 0);
	for (unsigned i = 0; i < readers.nr; i++) {
		assert_int_equal(reader_open(readers.reader[i].reader, &err), 0);
		ringset_enable(reader_set(readers.reader[i].reader), true);
	}
	assert_int_equal(readers_start(&readers, &err), 0);
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	return 0;
}

static int finish(void **state)
{
	(void)state;
	readers_clear(&readers);
	synthring_free(ring);
	return 0;
}

/* A tick's question to those who have news: who answered, as bits. */
static unsigned ask(void)
{
	unsigned who = 0;
	bool any = readers_plan_news(&readers, REPORT);

	assert_true(readers_ask(&readers, PATIENCE));
	for (unsigned i = 0; i < readers.nr; i++)
		who |= (unsigned)readers.reader[i].answered << i;
	assert_int_equal(any, who != 0);
	return who;
}

static uint64_t counted(unsigned i)
{
	return reader_report(readers.reader[i].reader)->input[0].counted;
}

static void test_nothing_happens(void **state)
{
	(void)state;
	assert_int_equal(ask(), 0);
	assert_int_equal(ask(), 0);
	assert_false(readers.reader[0].late || readers.reader[1].late);
}

static void test_a_sample_is_news(void **state)
{
	(void)state;
	synthring_count(ring, 1, CONFIG, 7, 25, 0x1000, 0);
	assert_int_equal(ask(), 2);
	assert_int_equal(counted(1), 25);
	assert_int_equal(ask(), 0);
	synthring_count(ring, 0, CONFIG, 7, PERIOD, 0x1000, 0);
	synthring_count(ring, 1, CONFIG, 7, PERIOD, 0x1000, 0);
	assert_int_equal(ask(), 3);
}

/* Taken when the ring woke its reader: the counts that go with it were not. */
static void test_what_was_taken_since_is_news(void **state)
{
	(void)state;
	synthring_count(ring, 0, CONFIG, 7, 50 * PERIOD, 0x1000, 0); /* more than the watermark */
	assert_int_equal(ask(), 1);
	assert_int_equal(counted(0), 50 * PERIOD);
	assert_int_equal(ask(), 0);
}

/* A part of a period moves no ring: it is told when all are asked. */
static void test_counts_wait_for_all(void **state)
{
	(void)state;
	synthring_count(ring, 1, CONFIG, 7, 5, 0x1000, 0);
	assert_int_equal(ask(), 0);
	assert_int_equal(counted(1), 0);
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	assert_int_equal(counted(1), 5);
}

static void test_a_pause_is_told_to_all(void **state)
{
	(void)state;
	readers.off = true;
	assert_int_equal(ask(), 3);
	assert_int_equal(ask(), 0);
	readers.off = false;
	assert_int_equal(ask(), 3);
	assert_int_equal(ask(), 0);
}

static void test_a_cpu_that_goes(void **state)
{
	(void)state;
	synthring_online(ring, 1, false);
	scope.online = (struct cpus){first, 1};
	assert_int_equal(ask(), 2);
	assert_int_equal(ask(), 0);
	synthring_online(ring, 1, true);
	scope.online = (struct cpus){both, 2};
	assert_int_equal(ask(), 2);
	assert_int_equal(reader_report(readers.reader[1].reader)->reopened, 1);
	assert_int_equal(ask(), 0);
}

/* Nobody saw that it was gone: the question to all finds its time standing still, and is asked on. */
static void test_a_cpu_that_was_gone(void **state)
{
	unsigned asked = 0;

	(void)state;
	synthring_online(ring, 1, false);
	synthring_online(ring, 1, true);
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	while (!reader_report(readers.reader[1].reader)->reopened && asked++ < 5)
		assert_int_equal(ask(), 2);
	assert_int_equal(reader_report(readers.reader[1].reader)->reopened, 1);
}

/* What else it was asked says nothing of its ring. */
static void test_another_question(void **state)
{
	(void)state;
	assert_true(readers_call(&readers, READER_ENABLE_NEW, PATIENCE));
	assert_int_equal(ask(), 3);
	assert_int_equal(ask(), 0);
}

static void test_one_is_late(void **state)
{
	(void)state;
	synthring_hold(ring, 0, true);
	assert_false(readers_call(&readers, REPORT, 1000));
	assert_true(readers.reader[0].late && !readers.reader[0].answered);
	readers_plan_news(&readers, REPORT);
	assert_false(readers_ask(&readers, 1000));
	synthring_hold(ring, 0, false);
	readers_wait(&readers, PATIENCE);
	assert_int_equal(ask() & 1, 1);
	assert_int_equal(ask(), 0);
}

/* Unwinders that come later take over an account that holds: what was read before waits for nobody. */
static void test_stacks_are_copied_later(void **state)
{
	struct err err;

	(void)state;
	synthring_count(ring, 1, CONFIG, 7, 3 * PERIOD, 0x1000, 0);
	assert_int_equal(ask(), 2);
	assert_int_equal(reader_report(readers.reader[1].reader)->input[0].taken, 0);
	synthring_count(ring, 1, CONFIG, 7, 2 * PERIOD, 0x1000, 0); /* taken when the rings are shut */
	assert_int_equal(readers_unwind(&readers, NULL, 8192, &err), 0);
	for (unsigned i = 0; i < readers.nr; i++)
		reader_reopen(readers.reader[i].reader, scope.now, NULL);
	assert_true(readers_call(&readers, READER_REOPEN, PATIENCE));
	for (unsigned i = 0; i < readers.nr; i++) {
		struct reader *r = readers.reader[i].reader;

		assert_int_equal(reader_report(r)->reopen_error, 0);
		sidequeue_close(reader_sideband(r), &reader_before(r)->sideband);
		ringset_close(reader_before(r));
	}
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	assert_int_equal(reader_report(readers.reader[1].reader)->input[0].taken, 5 * PERIOD);
	synthring_count(ring, 1, CONFIG, 7, 4 * PERIOD, 0x1000, 0);
	assert_int_equal(ask(), 2);
	assert_int_equal(counted(1), 9 * PERIOD);
	assert_int_equal(reader_report(readers.reader[1].reader)->input[0].taken, 9 * PERIOD);
	assert_int_equal(reader_report(readers.reader[0].reader)->input[0].taken, 0);
}

static struct slice_gauge gauge_of(struct gauges *g, unsigned reader, size_t i)
{
	struct slice *s = slice_create();
	struct slice_gauge gauge;

	assert_non_null(s);
	gauges_add(g, reader, s);
	assert_true(i < s->ngauges);
	gauge = s->gauges[i];
	slice_free(s);
	return gauge;
}

static void check_unread(const struct slice_gauge *g, uint64_t late)
{
	assert_true(g->unread == GAUGE_UNKNOWN && g->unread_max == GAUGE_UNKNOWN && g->bytes == GAUGE_UNKNOWN);
	assert_true(g->records == GAUGE_UNKNOWN && g->lost == GAUGE_UNKNOWN && g->wakeups == GAUGE_UNKNOWN);
	assert_true(g->overwritten_bytes == GAUGE_UNKNOWN && g->oldest_ns == GAUGE_UNKNOWN && g->late_ns == late);
}

/* Nothing is a figure of a ring that is not open, or whose reader has not answered. */
static void test_unread(void **state)
{
	const struct tick_parts parts = {.readers = &readers};
	struct gauges *g = gauges_create(&parts);
	struct slice_gauge gauge;

	(void)state;
	assert_non_null(g);
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	gauge = gauge_of(g, 1, 0);
	assert_int_equal(gauge.unread, 0);
	assert_int_equal(gauge.bytes, 0);
	assert_int_equal(gauge.lost, 0);
	synthring_online(ring, 1, false);
	assert_true(readers_call(&readers, READER_OFFLINE | REPORT, PATIENCE)); /* read up to the end */
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	for (size_t i = 0; i < 2; i++) {
		gauge = gauge_of(g, 1, i);
		assert_int_equal(gauge.state, RING_OFFLINE);
		check_unread(&gauge, GAUGE_UNKNOWN);
	}
	readers.reader[0].late = true;
	gauge = gauge_of(g, 0, 0);
	check_unread(&gauge, READERS_LATE_NS);
	readers.reader[0].late = false;
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_happens, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_sample_is_news, begin, finish),
		cmocka_unit_test_setup_teardown(test_what_was_taken_since_is_news, begin, finish),
		cmocka_unit_test_setup_teardown(test_counts_wait_for_all, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_pause_is_told_to_all, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_cpu_that_goes, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_cpu_that_was_gone, begin, finish),
		cmocka_unit_test_setup_teardown(test_another_question, begin, finish),
		cmocka_unit_test_setup_teardown(test_one_is_late, begin, finish),
		cmocka_unit_test_setup_teardown(test_unread, begin, finish),
		cmocka_unit_test_setup_teardown(test_stacks_are_copied_later, begin, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
