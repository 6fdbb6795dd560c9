/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts of readers on a made-up kernel: amounts of rows, whenever their reader replies. */
#include "sources/live/accounting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "kernel/event/event.h"
#include "measure/trace/tracefields.h"
#include "tests/synthring.h"

#define PERIOD	 10
#define FIELD	 110 /* value of the field that weighs a hit */
#define REPORT	 (READER_DRAIN | READER_COUNT)
#define PATIENCE (10 * NSEC_PER_SEC)

static const pid_t everybody = -1;
static struct synthring *ring;
static struct event event;
static struct scope scope;
static struct readers readers;
static struct accounting *accounting;
static int both[] = {0, 1};

static int format_with_id(void *arg, const struct event *e, struct trace_format *f, struct err *err)
{
	static const char text[] = "name: x\nID: 1\nformat:\n\tfield:int id;\toffset:8;\tsize:4;\tsigned:1;\n";

	(void)arg;
	(void)e;
	*f = (struct trace_format){.nr = 0};
	return format_parse(text, strlen(text), f, err);
}

static int begin(void **state)
{
	const struct synthring_config config = {.cpus = 2, .format_lost = true};
	const struct tracefields_source source = {.format = format_with_id};
	struct err err;

	(void)state;
	ring = synthring_create(&config);
	assert_non_null(ring);
	event = (struct event){.name = "x", .weight = "id",
			       .attr = {.type = PERF_TYPE_TRACEPOINT, .config = 1, .sample_period = PERIOD}};
	scope = (struct scope){.events = {.events = &event, .nr = 1}, .room = 1, .target = {.kind = TARGET_SYSTEM},
			       .watched = {both, 2}, .online = {both, 2}};
	assert_int_equal(tracefields_create(&scope.events, NULL, &source, &scope.events.fields, &err), 0);
	scope.rings = (struct ringset_config){
		.source = synthring_source(ring), .events = &scope.events, .tids = &everybody, .ntids = 1,
		.overwrite = true, .sample_bytes = 4096, .sideband_bytes = 4096};
	perf_features_probe(scope.rings.source, &scope.rings.features);
	scope.now = &scope.rings;
	assert_int_equal(readers_init(&readers, &scope), 0);
	assert_int_equal(readers_create(&readers, false, 0, NULL, &err), 0);
	accounting = accounting_create(&readers, NULL);
	assert_non_null(accounting);
	for (unsigned i = 0; i < readers.nr; i++)
		assert_int_equal(reader_open(readers.reader[i].reader, &err), 0);
	assert_int_equal(readers_start(&readers, &err), 0);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	accounting_free(accounting);
	readers_clear(&readers);
	tracefields_free(scope.events.fields);
	synthring_free(ring);
	return 0;
}

/* Samples of one reader become rows of the slice. */
static void add_samples(unsigned reader, uint64_t samples)
{
	struct combine_total *sum = &accounting_sums(accounting, reader, 0)->attributed;

	sum->samples += samples;
	sum->weight += samples * PERIOD * FIELD;
}

static struct slice_account tell(unsigned reader)
{
	struct tick_now now = {.s = slice_create(), .answered = clock_ns()};
	struct slice_account told;

	assert_non_null(now.s);
	accounting_tell(accounting, &now);
	assert_int_equal(now.s->naccounts, readers.nr);
	told = now.s->accounts[reader];
	slice_free(now.s);
	return told;
}

/* The rows of a reader that has not replied yet are hits, not what these weigh. */
static void test_rows_before_the_first_reply(void **state)
{
	struct slice_account told;

	(void)state;
	synthring_hold(ring, 1, true);
	assert_false(readers_call(&readers, REPORT, 1000));
	assert_false(readers.reader[1].answered);
	add_samples(1, 3);
	told = tell(1);
	synthring_hold(ring, 1, false);
	readers_wait(&readers, PATIENCE);
	assert_int_equal(told.samples, 3);
	assert_int_equal(told.attributed, 3 * PERIOD);
	assert_int_equal(told.counted, 3 * PERIOD);
	assert_true(readers_call(&readers, REPORT, PATIENCE));
	add_samples(1, 2);
	told = tell(1);
	assert_int_equal(told.attributed, 2 * PERIOD);
	assert_int_equal(told.counted, 2 * PERIOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows_before_the_first_reply, begin, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
