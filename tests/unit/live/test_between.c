/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Halves of two readers: paired across CPUs, not over a loss, and not over a time in which nobody looked. */
#include "sources/consumers/between.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(across_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(losses, setup, teardown),
		cmocka_unit_test_setup_teardown(opened_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(paused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
