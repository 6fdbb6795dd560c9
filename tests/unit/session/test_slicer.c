/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows made by hand to slices: no sample is in two sums, or in none, whatever fails. */
#include "measure/session/slicer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CPUS   3
#define EVENTS 2
#define HUGE   ((size_t)1 << 60)

/* No memory for rows while it is set: that is where this is called. */
static bool refusing;

void *reallocarray(void *p, size_t nr, size_t size)
{
	size_t bytes;

	if (refusing || __builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

static struct fixture {
	struct slicer slicer;
	struct table *table;
	struct combine *combine;
	struct resolver *resolver;
	struct requestqueue asks;
	struct slicer_sums sums[CPUS][EVENTS];
	struct combine_total given, rows;
	_Atomic bool closing;
	unsigned put;
	struct slice *slice; /* the newest that was put */
} f;

/* A front end that closes with the first slice after the end. */
static void put(void *arg, struct slice *s)
{
	assert_ptr_equal(arg, &f);
	for (size_t i = 0; i < s->nrows; i++) {
		f.rows.samples += s->rows[i].samples;
		f.rows.weight += s->rows[i].weight;
		assert_in_range(s->rows[i].cpu, 100, 100 + CPUS - 1);
	}
	slice_free(f.slice);
	f.slice = s;
	f.put++;
	f.closing = s->last;
}

static int setup(void **state)
{
	struct resolver_config rc = {.recorded = true, .workers = 1};

	(void)state;
	memset(&f, 0, sizeof(f));
	refusing = false;
	f.table = table_create(1, 4096, 1 << 20);
	f.combine = combine_create(f.table, 0);
	f.resolver = resolver_create(&rc, NULL);
	assert_true(f.table && f.combine && f.resolver && !requestqueue_init(&f.asks));
	slicer_init(&f.slicer, &(struct slicer_config){.resolver = f.resolver, .table = f.table,
						       .asks = &f.asks, .recorded = true,
						       .start_wall = 1000000, .put = put, .arg = &f});
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	slicer_clear(&f.slicer);
	slice_free(f.slice);
	resolver_free(f.resolver);
	combine_free(f.combine);
	table_free(f.table);
	requestqueue_clear(&f.asks);
	return 0;
}

/* `nr` places in each of two processes, on every CPU; each is sampled as often as its number says. */
static struct table_gen *sample(unsigned nr)
{
	table_enter(f.table, 0);
	for (unsigned i = 0; i < nr * CPUS * EVENTS; i++)
		for (unsigned n = 0; n <= i % 3; n++) {
			struct table_key key = {.pid = 10 + i % 2, .tid = 10 + i % 2, .nr = 1,
						.cpu = (uint16_t)(i % CPUS),
						.event = (uint16_t)(i / CPUS % EVENTS),
						.mode = PERF_RECORD_MISC_USER};

			combine_add(f.combine, &key, &(uint64_t){0x1000 + i}, 7 + i, 100);
			f.given.samples++;
			f.given.weight += 7 + i;
		}
	combine_flush(f.combine);
	table_leave(f.table, 0);
	return table_rotate(f.table);
}

static struct slicer_sums *whose(void *arg, struct table_row *row)
{
	struct slicer_sums *sums = &f.sums[row->key.cpu][row->key.event];

	assert_ptr_equal(arg, &f);
	row->key.cpu += 100;
	return sums;
}

static struct combine_total sum_of(bool refused)
{
	struct combine_total sum = {0, 0};

	for (unsigned i = 0; i < CPUS * EVENTS; i++) {
		const struct slicer_sums *s = &f.sums[i / EVENTS][i % EVENTS];

		sum.samples += refused ? s->refused.samples : s->attributed.samples;
		sum.weight += refused ? s->refused.weight : s->attributed.weight;
	}
	return sum;
}

/* What was given is in rows, or was refused; and rows are what the sums say. */
static void assert_sums(void)
{
	struct combine_total in = sum_of(false), refused = sum_of(true);

	assert_int_equal(in.samples + refused.samples, f.given.samples);
	assert_int_equal(in.weight + refused.weight, f.given.weight);
	assert_int_equal(in.samples, f.rows.samples);
	assert_int_equal(in.weight, f.rows.weight);
}

static void begin(void)
{
	assert_non_null(slicer_open(&f.slicer, 4, 2));
	slicer_begin(&f.slicer);
}

static void test_sums(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		begin();
		assert_int_equal(slicer_rows(&f.slicer, sample(10 * n), whose, &f), 0);
		assert_int_equal(slicer_rows(&f.slicer, sample(1), whose, &f), 0);
		slicer_end(&f.slicer, 100, 50 * n);
		assert_int_equal(f.put, n - 1);
		slicer_put(&f.slicer);
		assert_null(f.slicer.slice);
		assert_sums();
		assert_int_equal(f.slice->start, 50 * (n - 1));
		assert_int_equal(f.slice->end, 50 * n);
		assert_int_equal(f.slice->wall, 1000000 + 50 * n);
		assert_int_equal(f.slice->self.table_rows, 10 * n * CPUS * EVENTS);
		assert_true(f.slice->self.rss_bytes > 0);
	}
	assert_int_equal(sum_of(true).samples, 0);
}

/* What no slice could be made for is in the next one. */
static void test_no_slice(void **state)
{
	(void)state;
	assert_null(slicer_open(&f.slicer, HUGE, 0));
	assert_null(slicer_open(&f.slicer, 0, HUGE));
	begin();
	slicer_rows(&f.slicer, sample(5), whose, &f);
	slicer_end(&f.slicer, 100, 50);
	slicer_put(&f.slicer);
	assert_int_equal(f.slice->start, 0);
	assert_sums();
}

/* Rows that there is no memory for are refused, and all after them are in again. */
static void test_no_rows(void **state)
{
	struct slice *open;

	(void)state;
	begin();
	assert_int_equal(slicer_rows(&f.slicer, sample(5), whose, &f), 0);
	refusing = true;
	assert_int_equal(slicer_rows(&f.slicer, sample(50), whose, &f), -ENOMEM);
	refusing = false;
	open = f.slicer.slice;
	assert_true(sum_of(true).samples > 0);
	assert_int_equal(slicer_rows(&f.slicer, sample(50), whose, &f), 0);
	assert_ptr_equal(f.slicer.slice, open);
	slicer_end(&f.slicer, 100, 50);
	slicer_put(&f.slicer);
	assert_sums();
}

/* An answer is a slice of no length with what we are ourselves, and nothing else. */
static void test_linger(void **state)
{
	struct code_place place = {.kind = OBJECT_UNKNOWN, .object = (char *)"[unknown]"};

	(void)state;
	begin();
	slicer_rows(&f.slicer, sample(5), whose, &f);
	slicer_end(&f.slicer, 100, 50);
	slicer_put(&f.slicer);
	assert_int_equal(requestqueue_put(&f.asks, &place, NULL), 0);
	slicer_linger(&f.slicer, f.asks.fd, &f.closing);
	assert_int_equal(f.put, 2);
	assert_int_equal(f.slice->ncodes, 1);
	assert_int_equal(f.slice->nrows, 0);
	assert_true(f.slice->last);
	assert_int_equal(f.slice->start, 50);
	assert_int_equal(f.slice->end, 50);
	assert_int_equal(f.slice->self.table_rows, 0);
	assert_int_equal(f.slice->self.table_capacity, table_capacity(f.table));
	assert_sums();
}

static uint64_t age_of(uint64_t end, bool idle)
{
	begin();
	f.slicer.idle = idle;
	slicer_end(&f.slicer, 100, end);
	slicer_put(&f.slicer);
	return f.slicer.age;
}

/* What is not used ages by the time that is measured, however many slices it is; one slice is one use, however long. */
static void test_age(void **state)
{
	const uint64_t s = NSEC_PER_SEC, ms = NSEC_PER_MSEC;

	(void)state;
	assert_int_equal(age_of(10 * ms, false), 10 * ms);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(age_of(10 * ms, false), 10 * ms);
	assert_int_equal(age_of(1010 * ms, false), 1010 * ms);
	assert_int_equal(age_of(61 * s, true), 1010 * ms); /* paused */
	assert_int_equal(age_of(62 * s, false), 2010 * ms);
	assert_int_equal(age_of(3600 * s, false), 3010 * ms); /* late */
	assert_int_equal(age_of(3600 * s + 100 * ms, false), 3110 * ms);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_sums), TEST(test_no_slice), TEST(test_no_rows),
					   TEST(test_age), TEST(test_linger)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
