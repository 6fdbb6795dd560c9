/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of samples whose user part comes later: order, bounds, many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "core/table/table.h"
#include "sources/replay/deferred.h"

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define WORDS 4096

static struct record_layout layout;
static uint64_t bytes[WORDS];
static uint64_t now;

static int setup(void **state)
{
	struct perf_event_attr attr = {.sample_type = TYPE, .sample_id_all = 1};

	(void)state;
	record_layout_init_attr(&layout, &attr);
	now = 1000;
	return 0;
}

static int give(struct deferred *d, uint32_t type, size_t nr)
{
	struct perf_event_header h = {.type = type, .size = (uint16_t)(8 + nr * 8)};
	struct deferred_record r = {.h = (const void *)bytes, .time = now, .offset = now};

	memcpy(bytes, &h, sizeof(h));
	return deferred_put(d, &layout, &r);
}

/* A sample with a cookie (0: a whole one), of `more` addresses. */
static int give_sample(struct deferred *d, uint32_t tid, uint64_t cookie, size_t more)
{
	size_t n = 1;

	now++;
	bytes[n++] = 0x1000;
	bytes[n++] = (uint64_t)tid << 32 | 1;
	bytes[n++] = now;
	bytes[n++] = more + (cookie ? 2 : 0);
	for (size_t i = 0; i < more; i++)
		bytes[n++] = 0x1000;
	if (cookie) {
		bytes[n++] = CONTEXT_USER_DEFERRED;
		bytes[n++] = cookie;
	}
	return give(d, PERF_RECORD_SAMPLE, n - 1);
}

static int give_chain(struct deferred *d, uint32_t tid, uint64_t cookie)
{
	size_t n = 1;

	now++;
	bytes[n++] = cookie;
	bytes[n++] = 2;
	bytes[n++] = (uint64_t)PERF_CONTEXT_USER;
	bytes[n++] = cookie * 2;
	bytes[n++] = (uint64_t)tid << 32 | 1;
	bytes[n++] = now;
	return give(d, RECORD_CALLCHAIN_DEFERRED, n - 1);
}

static void test_order(void **state)
{
	struct deferred *d = deferred_create(false);
	struct deferred_record r;
	uint64_t last = 0;
	unsigned nr = 0;

	(void)state;
	assert_non_null(d);
	assert_int_equal(give_sample(d, 5, 0, 1), 0); /* nothing waits */
	assert_int_equal(give_chain(d, 5, 3), 0);
	assert_false(deferred_next(d, &r));
	assert_int_equal(give_sample(d, 5, 9, 1), 1);
	assert_int_equal(give_sample(d, 6, 10, 1), 1);
	assert_int_equal(give_sample(d, 7, 0, 1), 1);
	assert_false(deferred_next(d, &r));
	assert_int_equal(give_chain(d, 6, 10), 1);
	assert_false(deferred_next(d, &r)); /* the first one waits still */
	assert_int_equal(give_chain(d, 5, 9), 1);
	for (; deferred_next(d, &r); nr++, last = r.time) {
		assert_true(r.time > last && r.offset == r.time);
		assert_int_equal(r.chain.nr, nr < 2 ? 2 : 0);
		if (nr < 2)
			assert_int_equal(r.chain.ips[1], nr ? 20 : 18);
	}
	assert_int_equal(nr, 5);
	assert_int_equal(give_sample(d, 7, 0, 1), 0);
	deferred_free(d);
}

/* Many threads, each with its own cookies, come and go: each sample gets its own part. */
static void test_threads(void **state)
{
	struct deferred *d = deferred_create(false);
	struct deferred_record r;
	uint64_t got = 0;

	(void)state;
	for (uint64_t round = 0; round < 4; round++) {
		for (uint32_t tid = 1; tid <= 20000; tid++)
			assert_int_equal(give_sample(d, tid, round << 32 | tid, 1), 1);
		for (uint32_t tid = 20000; tid; tid--)
			assert_int_equal(give_chain(d, tid, round << 32 | tid), 1);
		while (deferred_next(d, &r)) {
			if (r.h->type != PERF_RECORD_SAMPLE)
				continue;
			got++;
			assert_int_equal(r.chain.cookie, round << 32 | ((got - 1) % 20000 + 1));
		}
	}
	assert_int_equal(got, 80000);
	deferred_free(d);
}

/* A chain that does not come: the sample waits for a bounded number of bytes, or the file's end. */
static void test_bytes(void **state)
{
	struct deferred *d = deferred_create(false);
	struct deferred_record r;
	size_t held = 0;

	(void)state;
	give_sample(d, 5, 9, 1);
	while (!deferred_next(d, &r) && held < 100u << 20) {
		assert_int_equal(give_sample(d, 6, 0, 4000), 1);
		held += 32000;
	}
	assert_true(held > 32u << 20 && held < 100u << 20);
	assert_int_equal(r.chain.nr, 0);
	assert_int_equal(r.time, 1001);
	give_sample(d, 5, 10, 1);
	while (deferred_next(d, &r))
		;
	assert_int_not_equal(r.time, now);
	/* The chain of the sample that was handed out. */
	assert_int_equal(give_chain(d, 5, 9), 1);
	assert_true(deferred_next(d, &r));
	assert_int_equal(r.chain.nr, 0);
	deferred_free(d);
}

static void test_patience(void **state)
{
	struct deferred *d = deferred_create(true);
	struct deferred_record r;

	(void)state;
	give_sample(d, 5, 9, 1);
	now += NSEC_PER_SEC - 10;
	give_sample(d, 6, 0, 1);
	assert_false(deferred_next(d, &r));
	now += 20;
	give_sample(d, 6, 0, 1);
	assert_true(deferred_next(d, &r));
	assert_int_equal(r.chain.nr, 0);
	deferred_finish(d);
	assert_true(deferred_next(d, &r) && deferred_next(d, &r) && !deferred_next(d, &r));
	deferred_free(d);
}

/* The longest chains still fit into the room. */
static void test_room(void **state)
{
	uint64_t chain[8], all[12];
	const struct record_deferred later = {1, 12, all};

	(void)state;
	for (size_t n = 0; n < 12; n++)
		all[n] = 0x1000;
	for (size_t n = 1; n <= 8; n++) {
		uint64_t from[8] = {1, 1, 1, 1, 1, 1, 1, 1};
		struct sample s = {.chain = from, .nr_chain = n};

		from[n - 1] = CONTEXT_USER_DEFERRED;
		assert_true(deferred_join(NULL, &later, &s, chain, 8));
		assert_true(s.nr_chain <= 8 && s.chain == chain);
		s = (struct sample){.chain = from, .nr_chain = n};
		assert_false(deferred_join(NULL, &(struct record_deferred){.nr = 0}, &s, chain, 8));
		assert_true(s.nr_chain <= 8 && chain[s.nr_chain - 1] == CONTEXT_USER_DEFERRED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_order, setup), cmocka_unit_test_setup(test_threads, setup),
		cmocka_unit_test_setup(test_bytes, setup), cmocka_unit_test_setup(test_patience, setup),
		cmocka_unit_test_setup(test_room, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
