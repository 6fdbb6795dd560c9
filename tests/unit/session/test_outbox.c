/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices on their way: order, the bound, and when the descriptor can be read. */
#include "measure/session/outbox.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static bool readable(const struct outbox *o)
{
	struct pollfd fd = {.fd = o->fd, .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

static struct slice *slice_of(uint64_t number)
{
	struct slice *s = slice_create();
	struct slice_row *row;
	uint32_t id = (uint32_t)number;

	assert_non_null(s);
	s->start = number;
	s->end = number + 1;
	row = slice_add_row(s);
	assert_non_null(row);
	*row = (struct slice_row){.path = id, .task = id, .samples = 1, .weight = number};
	return s;
}

static uint64_t weight_of(const struct slice *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nrows; i++)
		sum += s->rows[i].weight;
	return sum;
}

static void test_order(void **state)
{
	struct outbox o;
	struct slice *s;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	assert_false(readable(&o));
	assert_int_equal(outbox_take(&o, &s), 0);
	assert_null(s);
	for (uint64_t i = 1; i <= 3; i++)
		outbox_put(&o, slice_of(i));
	for (uint64_t i = 1; i <= 3; i++) {
		assert_true(readable(&o)); /* as long as there is one */
		assert_int_equal(outbox_take(&o, &s), 0);
		assert_int_equal(s->start, i);
		slice_free(s);
	}
	assert_false(readable(&o));
	assert_int_equal(outbox_take(&o, &s), 0);
	assert_null(s);
	outbox_put(&o, slice_of(9)); /* left there: cleared with it */
	outbox_clear(&o);
}

static void test_end(void **state)
{
	struct outbox o;
	struct slice *s;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	outbox_put(&o, slice_of(1));
	outbox_end(&o, -ESHUTDOWN);
	assert_int_equal(outbox_take(&o, &s), 0); /* what is left comes first */
	assert_non_null(s);
	slice_free(s);
	assert_true(readable(&o)); /* the end is news once, and the answer for ever */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(outbox_take(&o, &s), -ESHUTDOWN);
		assert_null(s);
		assert_false(readable(&o));
	}
	outbox_put(&o, slice_of(2)); /* an answer to what was asked after the end */
	assert_true(readable(&o));
	assert_int_equal(outbox_take(&o, &s), 0);
	assert_int_equal(s->start, 2);
	slice_free(s);
	assert_int_equal(outbox_take(&o, &s), -ESHUTDOWN);
	assert_false(readable(&o));
	outbox_clear(&o);
}

/* A front end that never takes: bounded, in order, and nothing dropped. */
static void test_late(void **state)
{
	const uint64_t nr = 10 * OUTBOX_MAX;
	uint64_t sum = 0, merged = 0, taken = 0, end = 1;
	struct outbox o;
	struct slice *s;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	for (uint64_t i = 1; i <= nr; i++) {
		outbox_put(&o, slice_of(i));
		assert_true(o.nr <= OUTBOX_MAX);
	}
	outbox_end(&o, -ESHUTDOWN);
	while (!outbox_take(&o, &s)) {
		assert_int_equal(s->start, end); /* no gap, no overlap */
		end = s->end;
		sum += weight_of(s);
		merged += s->self.merged;
		taken++;
		slice_free(s);
	}
	assert_int_equal(taken, OUTBOX_MAX);
	assert_int_equal(sum, nr * (nr + 1) / 2);
	assert_int_equal(merged, nr - OUTBOX_MAX);
	assert_int_equal(end, nr + 1);
	outbox_clear(&o);
}

/* Slices that wait get longer evenly: no slice is merged again with each that comes, which would take ever longer. */
static void test_late_evenly(void **state)
{
	const uint64_t nr = 64 * OUTBOX_MAX;
	struct outbox o;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	for (uint64_t i = 1; i <= nr; i++)
		outbox_put(&o, slice_of(i));
	for (unsigned i = 0; i < o.nr; i++)
		assert_in_range(o.slice[i]->end - o.slice[i]->start, 1, 4 * nr / OUTBOX_MAX);
	outbox_clear(&o);
}

#define CHANGE_EVERY 40

static struct slice *accounted(uint64_t number)
{
	struct slice *s = slice_of(number);
	struct slice_account *a = slice_add_account(s);

	assert_non_null(a);
	*a = (struct slice_account){.exact = true, .samples = 1, .counted = 3 * number, .attributed = number, .pending = number,
				    .lost[LOST_OVERWRITTEN] = number, .lost_samples[LOST_OVERWRITTEN] = 2};
	if (number % CHANGE_EVERY == 0)
		assert_non_null(slice_add_change(s));
	return s;
}

/* The account of a front end that was late is that of one that was not, and an event's change is where it was. */
static void test_late_accounts(void **state)
{
	const uint64_t nr = 10 * OUTBOX_MAX, sum = nr * (nr + 1) / 2;
	struct slice_account all = {0};
	unsigned changes = 0;
	struct outbox o;
	struct slice *s;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	for (uint64_t i = 1; i <= nr; i++)
		outbox_put(&o, accounted(i));
	outbox_end(&o, -ESHUTDOWN);
	while (!outbox_take(&o, &s)) {
		assert_int_equal(s->naccounts, 1);
		all.samples += s->accounts[0].samples;
		all.counted += s->accounts[0].counted;
		all.attributed += s->accounts[0].attributed;
		all.lost[LOST_OVERWRITTEN] += s->accounts[0].lost[LOST_OVERWRITTEN];
		all.lost_samples[LOST_OVERWRITTEN] += s->accounts[0].lost_samples[LOST_OVERWRITTEN];
		all.pending = s->accounts[0].pending;
		assert_true(!s->nchanges || (s->nchanges == 1 && s->start % CHANGE_EVERY == 0));
		changes += (unsigned)s->nchanges;
		slice_free(s);
	}
	assert_int_equal(changes, nr / CHANGE_EVERY);
	assert_int_equal(all.samples, nr);
	assert_int_equal(all.counted, 3 * sum);
	assert_int_equal(all.attributed, sum);
	assert_int_equal(all.lost[LOST_OVERWRITTEN], sum);
	assert_int_equal(all.lost_samples[LOST_OVERWRITTEN], 2 * nr);
	assert_int_equal(all.pending, nr);
	outbox_clear(&o);
}

static bool failing;

/* Instead of libc's: what slices grow by. */
void *reallocarray(void *data, size_t nr, size_t size)
{
	return failing || (size && nr > SIZE_MAX / size) ? NULL : realloc(data, nr * size);
}

/* No memory to merge what waits: it waits as it is, and what has no room even then is counted. */
static void test_no_memory(void **state)
{
	uint64_t sum = 0;
	struct outbox o;
	struct slice *s;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	for (uint64_t i = 1; i <= OUTBOX_MAX + OUTBOX_SPARE + 2; i++) {
		s = slice_of(i);
		while (s->nrows < s->cap_rows) /* nothing more fits without memory */
			*slice_add_row(s) = (struct slice_row){.path = 1, .task = 1};
		failing = true;
		outbox_put(&o, s);
		failing = false;
		assert_int_equal(o.lost, i > OUTBOX_MAX + OUTBOX_SPARE ? i - OUTBOX_MAX - OUTBOX_SPARE : 0);
	}
	outbox_end(&o, -ESHUTDOWN);
	while (!outbox_take(&o, &s)) {
		sum += weight_of(s);
		slice_free(s);
	}
	assert_int_equal(sum, (OUTBOX_MAX + OUTBOX_SPARE) * (OUTBOX_MAX + OUTBOX_SPARE + 1) / 2);
	outbox_clear(&o);
}

#define SENT 5000

static void *sender(void *arg)
{
	for (uint64_t i = 1; i <= SENT; i++)
		outbox_put(arg, slice_of(i));
	outbox_end(arg, -ESHUTDOWN);
	return NULL;
}

/* One puts, one takes, waiting on the descriptor alone: no wake-up is missed. */
static void test_threads(void **state)
{
	uint64_t sum = 0, end = 1;
	struct pollfd fd;
	struct outbox o;
	struct slice *s;
	pthread_t t;

	(void)state;
	assert_int_equal(outbox_init(&o), 0);
	fd = (struct pollfd){.fd = o.fd, .events = POLLIN};
	assert_int_equal(pthread_create(&t, NULL, sender, &o), 0);
	for (;;) {
		assert_int_equal(poll(&fd, 1, 10000), 1);
		if (outbox_take(&o, &s))
			break;
		if (!s)
			continue;
		assert_int_equal(s->start, end);
		end = s->end;
		sum += weight_of(s);
		slice_free(s);
	}
	pthread_join(t, NULL);
	assert_int_equal(sum, (uint64_t)SENT * (SENT + 1) / 2);
	outbox_clear(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_end),
		cmocka_unit_test(test_late), cmocka_unit_test(test_late_evenly), cmocka_unit_test(test_late_accounts),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
