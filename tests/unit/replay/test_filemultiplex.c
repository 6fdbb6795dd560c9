/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times that records say of counters, from their bytes to what is told of each CPU. */
#include "sources/replay/filemultiplex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/perfimage.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define CPUS  4u
#define MS    1000000ull

/* --- a file of two events, whose ids are 11, 12 and 21, 22 -------------------------------- */

static struct perfimage image;
static struct perfdata *file;
static struct filemultiplex times;
static uint64_t enabled[CPUS], starved[CPUS], record[512];
static size_t words;

static void put_event(uint64_t read_format, bool inherit, uint64_t first_id)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .sample_period = 1000,
		.config = first_id, .read_format = read_format, .inherit = inherit, .inherit_stat = inherit,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | (inherit ? 0 : PERF_SAMPLE_READ),
		.sample_id_all = 1,
	};
	size_t at = image_begin(&image, 64, 0); /* HEADER_ATTR */

	image_put(&image, &attr, sizeof(attr));
	image_put64(&image, first_id);
	image_put64(&image, first_id + 1);
	image_end(&image, at);
}

static void begin(uint64_t read_format, bool inherit)
{
	const struct perfdata_source source = {.read = image_read, .arg = &image};
	struct err err = {.code = 0};

	memset(&image, 0, sizeof(image));
	image_start_stream(&image);
	put_event(read_format, inherit, 11);
	put_event(read_format, inherit, 21);
	file = perfdata_open(&source, &err);
	if (!file)
		fail_msg("%s", err.text);
	assert_true(filemultiplex_init(&times, file, 2));
}

static int end(void **state)
{
	(void)state;
	filemultiplex_clear(&times);
	perfdata_close(file);
	file = NULL;
	return 0;
}

static void add(void *arg, unsigned event, uint32_t cpu, uint64_t more, uint64_t more_starved)
{
	assert_true(cpu < CPUS && more_starved <= more);
	if (event != *(unsigned *)arg)
		return;
	enabled[cpu] += more;
	starved[cpu] += more_starved;
}

/* What is told of an event, in all; the other's is told and forgotten. */
static void tell(unsigned event)
{
	memset(enabled, 0, sizeof(enabled));
	memset(starved, 0, sizeof(starved));
	filemultiplex_tell(&times, add, &event);
}

static uint64_t sum(const uint64_t *of)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < CPUS; i++)
		n += of[i];
	return n;
}

static void put(uint64_t v)
{
	assert_true(words < sizeof(record) / sizeof(*record));
	record[words++] = v;
}

static const struct perf_event_header *finish(uint32_t type)
{
	struct perf_event_header h = {.type = type, .misc = PERF_RECORD_MISC_USER,
				      .size = (uint16_t)(words * sizeof(*record))};

	memcpy(record, &h, sizeof(h));
	return (const void *)record;
}

/* READ of one counter of a thread, with a trailer of tid, time, CPU and id. */
static const struct perf_event_header *reading(uint32_t tid, uint64_t id, uint64_t on, uint64_t ran)
{
	words = 1;
	put(7 | (uint64_t)tid << 32);
	put(123); /* value */
	put(on);
	put(ran);
	put(id);
	put(7 | (uint64_t)tid << 32);
	put(1);
	put(0);
	put(id);
	return finish(PERF_RECORD_READ);
}

static void read_thread(uint32_t tid, uint64_t id, uint64_t on, uint64_t ran)
{
	filemultiplex_read(&times, &perfdata_event(file, 0)->layout, reading(tid, id, on, ran), 0);
}

/* A sample on a CPU that carries the times of its event alone; where the event is a group, of `nr` ids. */
static void sample(uint32_t tid, uint32_t cpu, uint64_t id, uint64_t on, uint64_t ran, uint64_t nr)
{
	const struct perfdata_event *from = perfdata_event(file, 0);
	struct sample_value v;
	struct sample s;

	words = 1;
	put(id);
	put(7 | (uint64_t)tid << 32);
	put(1);
	put(cpu);
	put(nr ? nr : 123);
	put(on);
	put(ran);
	for (uint64_t i = 0; i < nr; i++)
		put(123), put(i ? 21 : id);
	if (!nr)
		put(id);
	assert_true(record_sample(&from->layout, finish(PERF_RECORD_SAMPLE), &s));
	for (uint64_t i = 0; sample_value(&from->layout, &s, i, &v); i++)
		filemultiplex_sample(&times, perfdata_find(file, v.id), from, &s, v.id, 0);
}

/* --- threads that ended ------------------------------------------------------------------- */

/* Of one CPU, so that its times are those of the threads. */
static void test_threads(void **state)
{
	(void)state;
	begin(TIMES | PERF_FORMAT_ID, true);
	filemultiplex_counted(&times, 0, 0, 300);
	filemultiplex_counted(&times, 0, 1, 100);
	read_thread(8, 11, 100 * MS, 100 * MS);
	read_thread(9, 11, 100 * MS, 20 * MS);
	tell(0);
	assert_int_equal(sum(enabled), 200 * MS);
	assert_int_equal(sum(starved), 80 * MS);
	assert_int_equal(enabled[0], 150 * MS); /* as the counts are */
	assert_int_equal(starved[1], 20 * MS);
	tell(0);
	assert_int_equal(sum(enabled), 0);
	tell(1);
	assert_int_equal(sum(enabled), 0); /* nobody said anything of the other */
}

/* Less than a thousandth is of reading one after the other. */
static void test_whole_threads(void **state)
{
	(void)state;
	begin(TIMES | PERF_FORMAT_ID, true);
	read_thread(8, 11, 100 * MS + 20000, 100 * MS);
	tell(0);
	assert_int_equal(sum(enabled), 100 * MS + 20000);
	assert_int_equal(sum(starved), 0);
}

/* On several CPUs: the kernel's times of such events do not add up. */
static void test_threads_on_cpus(void **state)
{
	(void)state;
	begin(TIMES | PERF_FORMAT_ID, true);
	read_thread(8, 11, 4473236, 4269273);
	read_thread(8, 12, 4473236, 0);
	tell(0);
	assert_int_equal(sum(enabled), 0);
}

/* A number of a thread that ended is given again. */
static void test_threads_again(void **state)
{
	(void)state;
	begin(TIMES | PERF_FORMAT_ID, true);
	read_thread(8, 11, 100 * MS, 100 * MS);
	read_thread(8, 11, 40 * MS, 10 * MS);
	tell(0);
	assert_int_equal(sum(enabled), 140 * MS);
	assert_int_equal(sum(starved), 30 * MS);
}

/* --- samples ------------------------------------------------------------------------------ */

/* Whose samples are of several threads is of a CPU: each id has its own times. */
static void test_cpus(void **state)
{
	(void)state;
	begin(TIMES | PERF_FORMAT_ID, false);
	sample(8, 0, 11, 10 * MS, 5 * MS, 0);
	tell(0);
	assert_int_equal(sum(enabled), 0); /* it may be a task's */
	sample(9, 0, 11, 20 * MS, 10 * MS, 0);
	sample(9, 1, 12, 30 * MS, 30 * MS, 0);
	tell(0);
	assert_int_equal(sum(enabled), 50 * MS);
	assert_int_equal(sum(starved), 10 * MS);
	sample(0, 1, 12, 40 * MS, 30 * MS, 0);
	tell(0);
	assert_int_equal(sum(enabled), 10 * MS);
	assert_int_equal(sum(starved), 10 * MS);
}

/* The times of a group are those of each of its events. */
static void test_group(void **state)
{
	(void)state;
	for (unsigned event = 0; event < 2; event++) {
		begin(TIMES | PERF_FORMAT_ID | PERF_FORMAT_GROUP, false);
		sample(8, 0, 11, 10 * MS, 5 * MS, 2);
		sample(8, 1, 11, 20 * MS, 5 * MS, 2); /* it is a thread's, on all CPUs */
		tell(event);
		assert_int_equal(sum(enabled), 20 * MS);
		assert_int_equal(sum(starved), 15 * MS);
		if (!event)
			end(state);
	}
}

/* A sample of one thread on one CPU does not say how long the thread was there. */
static void test_not_known(void **state)
{
	(void)state;
	begin(TIMES | PERF_FORMAT_ID, false);
	sample(8, 0, 11, 10 * MS, 5 * MS, 0);
	sample(8, 1, 12, 10 * MS, 5 * MS, 0);
	sample(8, 0, 11, 20 * MS, 10 * MS, 0);
	tell(0);
	assert_int_equal(sum(enabled), 0);
}

/* --- what cannot be ----------------------------------------------------------------------- */

static void test_hostile(void **state)
{
	static const struct {
		uint64_t on, ran;
	} cases[] = {{5, 6}, {UINT64_MAX, 1}, {UINT64_MAX, UINT64_MAX}, {1ull << 60, 1}};
	uint64_t bad;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(TIMES | PERF_FORMAT_ID, true);
		read_thread(8, 11, 100 * MS, 100 * MS);
		read_thread(9, 11, cases[i].on, cases[i].ran);
		perfdata_problem(file, &bad);
		assert_int_equal(bad, 1);
		tell(0);
		assert_int_equal(sum(enabled), 0); /* what is there is not all */
		end(state);
	}
	/* however many there are, a sum does not turn over */
	begin(TIMES | PERF_FORMAT_ID, true);
	for (uint32_t tid = 1; tid < 1000; tid++)
		read_thread(tid, 11, 1ull << 55, 1);
	tell(0);
	assert_int_equal(sum(enabled), 0);
}

/* Records whose numbers are larger than they are. */
static void test_short(void **state)
{
	const struct record_layout *l;
	const struct perf_event_header *h;
	uint64_t bad;

	(void)state;
	begin(TIMES | PERF_FORMAT_ID | PERF_FORMAT_GROUP, true);
	l = &perfdata_event(file, 0)->layout;
	for (uint64_t nr = 2; nr; nr = nr << 5 | 31) {
		words = 1;
		put(7 | 8ull << 32);
		put(nr);
		put(100);
		put(100);
		put(123);
		put(11);
		for (unsigned i = 0; i < 4; i++)
			put(1);
		filemultiplex_read(&times, l, finish(PERF_RECORD_READ), 0);
		if (nr >> 58)
			break;
	}
	for (words = 1; words < 11; words++) {
		h = finish(PERF_RECORD_READ);
		filemultiplex_read(&times, l, h, 0);
	}
	perfdata_problem(file, &bad);
	assert_true(bad > 10);
	tell(0);
	assert_int_equal(sum(enabled), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_threads, end),
		cmocka_unit_test_teardown(test_whole_threads, end),
		cmocka_unit_test_teardown(test_threads_on_cpus, end),
		cmocka_unit_test_teardown(test_threads_again, end),
		cmocka_unit_test_teardown(test_cpus, end),
		cmocka_unit_test_teardown(test_group, end),
		cmocka_unit_test_teardown(test_not_known, end),
		cmocka_unit_test_teardown(test_hostile, end),
		cmocka_unit_test_teardown(test_short, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
