/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader keeps for the event log: the newest of either kind of ring, in order, and a count of all others. */
#include "sources/consumers/logkeep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 8u
#define SIZE 256u

static struct logkeep *keep;
static uint8_t batch[64][512]; /* records, as they stand in a ring's copy */

static int setup(void **state)
{
	(void)state;
	keep = logkeep_create(MOST, SIZE, 6);
	return keep ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	logkeep_free(keep);
	return 0;
}

/* Everything of record n follows from n. */
static void note(unsigned n, uint16_t len)
{
	struct sample s = {.h = (const void *)batch[n % 64], .time = n, .pid = n + 1, .tid = n + 2};

	memset(batch[n % 64] + 8, (int)n, len);
	s.span[SAMPLE_RAW] = (struct sample_span){8, len};
	logkeep_consumer.sample(keep, &(struct consumer_sample){.s = &s, .event = n % 3});
}

/* As if each event had been seen often: what is tried is the newest. */
static void see_all(void)
{
	logkeep_consumer.begin(keep, false);
	for (unsigned i = 0; i < 3 * LOGKEEP_EACH; i++)
		note(i, 1);
	logkeep_consumer.begin(keep, false); /* and forgotten */
}

static void batch_of(unsigned from, unsigned to, uint16_t len, bool newest_first)
{
	see_all();
	logkeep_consumer.begin(keep, newest_first);
	for (unsigned i = from; i < to; i++)
		note(newest_first ? to - 1 - (i - from) : i, len);
	logkeep_consumer.end(keep);
}

/* Handed over are the numbers from `from` to below `to`, whole and in order, and `passed` were not. */
static void assert_handed(unsigned from, unsigned to, uint16_t len, uint64_t passed)
{
	struct logbuffer *b = logkeep_hand_over(keep);

	assert_non_null(b);
	assert_int_equal(b->next - b->first, to - from);
	assert_int_equal(b->passed, passed);
	for (unsigned n = from; n < to; n++) {
		const struct logslot *s = logbuffer_slot(b, b->first + n - from);

		assert_int_equal(s->time, n);
		assert_int_equal(s->pid, n + 1);
		assert_int_equal(s->tid, n + 2);
		assert_int_equal(s->event, n % 3);
		assert_int_equal(s->len, len);
		for (unsigned i = 0; i < len; i++)
			assert_int_equal(logbuffer_bytes(b, s)[i], (uint8_t)n);
	}
	logkeep_taken(keep);
}

static void few(void **state)
{
	(void)state;
	batch_of(0, 3, 12, false);
	batch_of(3, 5, 12, true);
	assert_handed(0, 5, 12, 0);
	assert_handed(0, 0, 12, 0);
}

static void many(void **state)
{
	(void)state;
	batch_of(0, 20, 8, false);
	assert_handed(12, 20, 8, 12);
	batch_of(0, 20, 8, true);
	assert_handed(12, 20, 8, 12);
	/* Over several batches, too. */
	batch_of(0, 6, 8, false);
	batch_of(6, 11, 8, true);
	assert_handed(3, 11, 8, 3);
}

/* The bytes end before the slots do; one record goes round the end in one piece. */
static void long_ones(void **state)
{
	(void)state;
	batch_of(0, 8, 50, false); /* 56 each: 4 in 256 */
	assert_handed(4, 8, 50, 4);
	batch_of(0, 1, 300, false);
	assert_handed(0, 0, 300, 1);
}

/* Who still has the one before gets no other, and nothing is missing when it comes. */
static void late_owner(void **state)
{
	struct logbuffer *first;

	(void)state;
	batch_of(0, 2, 8, false);
	first = logkeep_hand_over(keep);
	assert_int_equal(first->next - first->first, 2);
	batch_of(2, 4, 8, false);
	assert_null(logkeep_hand_over(keep));
	batch_of(4, 5, 8, false);
	assert_int_equal(logbuffer_slot(first, 1)->time, 1);
	logkeep_taken(keep);
	assert_handed(2, 5, 8, 0);
}

/* One event by the dozen, another once, before it: it is there. */
static void first_ones(void **state)
{
	struct logbuffer *b;

	(void)state;
	logkeep_consumer.begin(keep, true);
	for (unsigned i = 100; i > 40; i--)
		note(i - i % 3, 8);
	note(1, 8);
	logkeep_consumer.end(keep);
	b = logkeep_hand_over(keep);
	assert_int_equal(b[LOGKEEP_NEWEST].next - b[LOGKEEP_NEWEST].first, MOST);
	assert_int_equal(b[LOGKEEP_FIRST].next - b[LOGKEEP_FIRST].first, 2);
	assert_int_equal(logbuffer_slot(&b[LOGKEEP_FIRST], 0)->time, 1);
	assert_int_equal(logbuffer_slot(&b[LOGKEEP_FIRST], 1)->time, 99);
	assert_int_equal(b[LOGKEEP_NEWEST].passed, 59 - MOST);
	assert_int_equal(b[LOGKEEP_FIRST].passed, 0);
	logkeep_taken(keep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(few, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test_setup_teardown(long_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(late_owner, setup, teardown),
		cmocka_unit_test_setup_teardown(first_ones, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
