/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Halves of two readers: paired across CPUs, not over a loss, and not over a time in which nobody looked; of a
 * file also with losses told too late. */
#include "measure/consumers/between_queues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

#define SEC NSEC_PER_SEC

static const struct between_plan plan = {.wanted = true, .event = {0, 1}};
static struct between *b;
static struct slice *slice;

static int setup(void **state)
{
	(void)state;
	b = between_create(&plan, 2, 2);
	slice = slice_create();
	assert_non_null(b);
	assert_non_null(slice);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	between_free(b);
	slice_free(slice);
	return 0;
}

static void sample(unsigned reader, unsigned event, uint32_t tid, uint64_t time)
{
	struct sample s = {.time = time, .cpu = reader, .tid = tid, .pid = tid};

	between_consumer.sample(b, &(struct consumer_sample){.s = &s, .reader = reader, .event = event});
	between_consumer.flush(b, reader, false);
}

/* pairs, without their last, without their first, lost, and how long the pairs took in all */
static void expect(uint64_t count, uint64_t from, uint64_t to, uint64_t lost, uint64_t sum)
{
	between_step(b, 0, true);
	between_tell(b, slice);
	assert_non_null(slice->latency);
	assert_int_equal(slice->latency->count, count);
	assert_int_equal(slice->latency->unpaired_from, from);
	assert_int_equal(slice->latency->unpaired_to, to);
	assert_int_equal(slice->latency->lost, lost);
	assert_int_equal(slice->latency->sum, sum);
}

static void across_cpus(void **state)
{
	(void)state;
	sample(1, 1, 7, 350);
	sample(0, 0, 7, 100);
	sample(0, 2, 7, 200); /* another event */
	sample(0, 0, 8, 400);
	expect(1, 1, 0, 0, 250);
}

/* The thread went to the CPU that lost records: it may have ended the one and begun another there. */
static void losses(void **state)
{
	(void)state;
	sample(0, 0, 7, 100);
	between_consumer.gap(b, 1, 150, 300);
	between_consumer.flush(b, 1, false);
	sample(0, 1, 7, 400);
	sample(0, 0, 7, 500);
	sample(0, 1, 7, 510);
	expect(1, 0, 1, 1, 10);
}

/* The same of rings that were opened anew; a step before has not gone beyond it. */
static void opened_anew(void **state)
{
	(void)state;
	sample(0, 0, 6, 50);
	sample(0, 1, 6, 80);
	sample(0, 0, 7, 100);
	between_step(b, 120, false);
	between_unseen(b, 150, 300);
	sample(0, 0, 9, 200); /* in between, by a ring that was open */
	sample(0, 1, 7, 400);
	sample(1, 0, 8, 410);
	sample(1, 1, 8, 430);
	between_unseen(b, 500, 600);
	between_unseen(b, 550, 700); /* and once more, before that was over */
	sample(1, 0, 8, 800);
	sample(0, 1, 8, 900);
	expect(3, 0, 1, 2, 30 + 20 + 100);
}

static void paused(void **state)
{
	(void)state;
	sample(0, 0, 7, 100);
	between_resume(b);
	sample(0, 1, 7, 400);
	between_exit(b, 7, 500);
	expect(0, 0, 1, 1, 0);
}

/* --- of a file ---------------------------------------------------------------------------- */

static int setup_file(void **state)
{
	(void)state;
	b = between_create(&plan, 0, 0);
	slice = slice_create();
	assert_non_null(b);
	assert_non_null(slice);
	return 0;
}

static void sample_of_file(unsigned event, uint32_t cpu, uint32_t tid, uint64_t time)
{
	struct sample s = {.time = time, .cpu = cpu, .tid = tid, .pid = tid};

	assert_true(between_file_consumer.sample(b, &(struct consumer_sample){.s = &s, .reader = cpu, .event = event}));
}

/* pairs, without their first, without their last, lost */
static void tell(uint64_t time, bool last, uint64_t count, uint64_t from, uint64_t to, uint64_t lost)
{
	between_end(b, time, last, slice);
	assert_true(between_tell(b, slice));
	if (!slice->latency) {
		assert_int_equal(count + from + to + lost, 0);
		return;
	}
	assert_int_equal(slice->latency->count, count);
	assert_int_equal(slice->latency->unpaired_from, from);
	assert_int_equal(slice->latency->unpaired_to, to);
	assert_int_equal(slice->latency->lost, lost);
	free(slice->latency);
	slice->latency = NULL;
}

/* A second later, whichever CPU they are of. */
static void pairs_wait(void **state)
{
	(void)state;
	sample_of_file(0, 0, 7, 100);
	sample_of_file(1, 1, 7, 350);
	sample_of_file(0, 1, 8, 400);
	tell(SEC, false, 0, 0, 0, 0);
	between_end(b, SEC + 500, false, slice);
	assert_true(between_tell(b, slice));
	assert_int_equal(slice->latency->count, 1);
	assert_int_equal(slice->latency->sum, 250);
	free(slice->latency);
	slice->latency = NULL;
	tell(SEC + 600, true, 0, 1, 0, 0);
	assert_int_equal(slice->nlogs, 0);
}

/* On one CPU, but what came before is of both: what was open then and what came meanwhile is lost. */
static void losses_told(void **state)
{
	(void)state;
	sample_of_file(0, 0, 1, 100);
	sample_of_file(1, 0, 1, 200); /* before it */
	sample_of_file(0, 1, 2, 300); /* open on the other CPU */
	sample_of_file(1, 1, 2, 450); /* in it: of what? */
	sample_of_file(0, 0, 3, 380); /* open, the last that is seen of this CPU */
	between_file_consumer.gap(b, 0, 0, 600);
	sample_of_file(0, 0, 3, 610);
	sample_of_file(1, 1, 3, 650);
	tell(700, true, 2, 0, 0, 3);
	assert_int_equal(slice->nlogs, 0);
}

static void told_late(void **state)
{
	(void)state;
	sample_of_file(0, 0, 1, 100);
	sample_of_file(1, 1, 1, 200);
	tell(3 * SEC, false, 1, 0, 0, 0);
	sample_of_file(0, 1, 2, 3 * SEC);
	between_file_consumer.gap(b, 0, 0, 4 * SEC);
	tell(4 * SEC, false, 0, 0, 0, 1);
	assert_int_equal(slice->nlogs, 1);
	assert_non_null(strstr(slice->logs[0].text, "1 losses"));
	between_lost(b);
	between_lost(b);
	tell(5 * SEC, true, 0, 0, 0, 0);
	assert_int_equal(slice->nlogs, 2);
	assert_non_null(strstr(slice->logs[1].text, "at unknown times"));
}

/* Of no CPU: all that waits, whenever it came. */
static void lost_anywhere(void **state)
{
	(void)state;
	sample_of_file(0, UINT32_MAX, 1, 100);
	sample_of_file(1, UINT32_MAX, 1, 200);
	between_file_consumer.gap(b, UINT32_MAX, 0, 300);
	sample_of_file(0, UINT32_MAX, 1, 400);
	sample_of_file(1, UINT32_MAX, 1, 500);
	tell(SEC, true, 1, 0, 0, 2);
}

static void threads_end(void **state)
{
	(void)state;
	sample_of_file(0, 0, 5, 100);
	between_exit(b, 5, 200);
	sample_of_file(1, 0, 5, 300); /* another thread of that number */
	sample_of_file(0, 0, 6, UINT64_MAX / 2); /* no time */
	tell(SEC, true, 0, 1, 1, 1);
}

/* More than can wait are taken as they come, and none is lost. */
static void many(void **state)
{
	const unsigned nr = PAIRS_HELD + 1000;

	(void)state;
	for (unsigned i = 0; i < nr; i++)
		sample_of_file(i & 1, i % 3, 9, 1000 + i);
	tell(2000, true, nr / 2, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(across_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(losses, setup, teardown),
		cmocka_unit_test_setup_teardown(opened_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(paused, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_wait, setup_file, teardown),
		cmocka_unit_test_setup_teardown(losses_told, setup_file, teardown),
		cmocka_unit_test_setup_teardown(told_late, setup_file, teardown),
		cmocka_unit_test_setup_teardown(lost_anywhere, setup_file, teardown),
		cmocka_unit_test_setup_teardown(threads_end, setup_file, teardown),
		cmocka_unit_test_setup_teardown(many, setup_file, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
