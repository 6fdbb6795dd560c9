/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of halves that came in any order, held against a reference that goes by time alone. */
#include "measure/consumers/between_pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice/latency.h"

#define HALVES 20000
#define KEYS   300

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

static void put(struct pairs *p, uint64_t time, enum pairs_kind kind, uint64_t key)
{
	const uint64_t half[] = {pairs_stamp(time, kind), key};

	assert_true(pairs_room(p, 1));
	pairs_put(p, half);
}

struct half {
	uint64_t time, key;
	bool to;
};

/* As a person would: by an array. */
static void expect(const struct half *h, size_t nr, struct slice_latency *l, uint64_t *took, size_t *ntook)
{
	static uint64_t open[KEYS];

	memset(open, 0, sizeof(open));
	*l = (struct slice_latency){.count = 0};
	*ntook = 0;
	for (size_t i = 0; i < nr; i++) {
		uint64_t *o = &open[h[i].key];

		if (!h[i].to) {
			l->unpaired_from += *o != 0;
			*o = h[i].time;
		} else if (!*o) {
			l->unpaired_to++;
		} else {
			took[(*ntook)++] = h[i].time - *o;
			slice_latency_take(l, h[i].time - *o);
			*o = 0;
		}
	}
	for (size_t i = 0; i < KEYS; i++)
		l->unpaired_from += open[i] != 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void check_part(const struct slice_latency *l, uint64_t *took, size_t nr, double part)
{
	size_t rank = (size_t)(part * (double)nr);
	uint64_t exact;

	rank += (double)rank < part * (double)nr;
	exact = took[rank ? rank - 1 : 0];
	assert_true(slice_latency_part(l, part) >= exact);
	assert_int_equal(slice_latency_bin(slice_latency_part(l, part)), slice_latency_bin(exact));
}

/* Of `rings` rings, each handed over in batches, every other newest first; steps in between. */
static void interleave(unsigned rings, unsigned words)
{
	static struct half h[HALVES];
	static uint64_t took[HALVES];
	static uint8_t ring[HALVES], step[HALVES];
	struct slice_latency want, got = {.count = 0};
	struct pairs *p = pairs_create(words == 1 ? 0 : words);
	uint64_t time = 1000, half[1 + PAIRS_WORDS];
	size_t ntook, from = 0;

	for (size_t i = 0; i < HALVES; i++) {
		time += 1 + draw(draw(50) ? 300 : 1000000);
		h[i] = (struct half){time, draw(KEYS), draw(2)};
		ring[i] = (uint8_t)draw(rings);
		step[i] = !draw(500);
	}
	expect(h, HALVES, &want, took, &ntook);
	for (size_t i = 0; i < HALVES; i++) {
		if (!step[i] && i + 1 < HALVES)
			continue;
		for (unsigned r = 0; r < rings; r++)
			for (size_t k = 0; k <= i - from; k++) {
				const struct half *a = &h[r & 1 ? i - k : from + k];

				if (ring[a - h] != r)
					continue;
				half[0] = pairs_stamp(a->time, a->to ? PAIRS_TO : PAIRS_FROM);
				for (unsigned w = 1; w <= words; w++)
					half[w] = w == words ? a->key : 7;
				assert_true(pairs_room(p, 1));
				pairs_put(p, half);
			}
		/* What is younger stays. */
		pairs_step(p, h[i].time - draw(2000), &got);
		from = i + 1;
	}
	pairs_step(p, UINT64_MAX, &got);
	pairs_end(p, &got);
	assert_memory_equal(&got, &want, sizeof(got));
	qsort(took, ntook, sizeof(*took), by_number);
	for (double part = 0.01; part < 1; part += 0.01)
		check_part(&got, took, ntook, part);
	assert_int_equal(got.count, ntook);
	assert_int_equal(slice_latency_part(&got, 1), took[ntook - 1]);
	assert_int_equal(pairs_open(p), 0);
	assert_int_equal(pairs_held(p), 0);
	pairs_free(p);
}

static void interleaved(void **state)
{
	(void)state;
	for (seed = 1; seed < 40; seed++) {
		uint64_t was = seed;

		interleave(1 + (unsigned)draw(8), 1 + (unsigned)draw(PAIRS_WORDS));
		seed = was;
	}
}

static void lost(void **state)
{
	struct pairs *p = pairs_create(0);
	struct slice_latency l = {.count = 0};

	(void)state;
	put(p, 10, PAIRS_FROM, 1); /* before and behind the gap: nobody knows */
	put(p, 30, PAIRS_TO, 1);
	put(p, 11, PAIRS_FROM, 2); /* over before */
	put(p, 12, PAIRS_TO, 2);
	put(p, 17, PAIRS_FROM, 3); /* inside, and from inside on */
	put(p, 18, PAIRS_TO, 3);
	put(p, 19, PAIRS_FROM, 4);
	put(p, 31, PAIRS_TO, 4);
	put(p, 20, PAIRS_FROM, 5); /* the first one behind it */
	put(p, 32, PAIRS_TO, 5);
	put(p, 15, PAIRS_GAP, 0);
	put(p, 20, PAIRS_GAP_END, 0);
	pairs_step(p, UINT64_MAX, &l);
	pairs_end(p, &l);
	assert_int_equal(l.count, 2);
	assert_int_equal(l.sum, 1 + 12);
	assert_int_equal(l.lost, 4);
	assert_int_equal(l.unpaired_to, 2);
	assert_int_equal(l.unpaired_from, 0);
	pairs_free(p);
}

static void ended(void **state)
{
	struct pairs *p = pairs_create(0);
	struct slice_latency l = {.count = 0};

	(void)state;
	put(p, 10, PAIRS_FROM, 1);
	put(p, 11, PAIRS_ENDED, 1);
	put(p, 12, PAIRS_TO, 1); /* another one of that number */
	put(p, 13, PAIRS_FROM, 2);
	pairs_step(p, 20, &l);
	put(p, 9, PAIRS_ENDED, 2); /* late, of one before */
	put(p, 21, PAIRS_TO, 2);
	put(p, 22, PAIRS_FROM, PAIRS_NOBODY);
	put(p, 23, PAIRS_TO, PAIRS_NOBODY);
	pairs_step(p, UINT64_MAX, &l);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.sum, 8);
	assert_int_equal(l.unpaired_from, 2);
	assert_int_equal(l.unpaired_to, 2);
	put(p, 30, PAIRS_FROM, 1);
	pairs_step(p, UINT64_MAX, &l);
	pairs_break(p, &l);
	assert_int_equal(l.lost, 1);
	pairs_free(p);
}

/* More than can be open: the oldest are lost, all are accounted for. */
static void many(void **state)
{
	struct pairs *p = pairs_create(0);
	struct slice_latency l = {.count = 0};
	const uint64_t nr = 3 * (uint64_t)PAIRS_OPEN;

	(void)state;
	for (uint64_t i = 1; i <= nr; i++) {
		put(p, i, PAIRS_FROM, i);
		if (i % 1000 == 0)
			pairs_step(p, i, &l);
	}
	pairs_step(p, UINT64_MAX, &l);
	assert_true(pairs_open(p) <= PAIRS_OPEN);
	put(p, nr + 1, PAIRS_TO, nr);
	pairs_step(p, UINT64_MAX, &l);
	pairs_end(p, &l);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.count + l.lost + l.unpaired_from, nr);
	while (pairs_room(p, 1))
		put(p, 1, PAIRS_TO, 1);
	assert_int_equal(pairs_held(p), PAIRS_HELD);
	pairs_free(p);
}

static void bins(void **state)
{
	uint64_t before = 0;

	(void)state;
	for (unsigned i = 0; i < SLICE_LATENCY_BINS; i++) {
		uint64_t from = slice_latency_from(i), to = slice_latency_to(i);

		assert_int_equal(slice_latency_bin(from), i);
		assert_int_equal(slice_latency_bin(to), i);
		assert_int_equal(from, i ? before + 1 : 0);
		assert_true(to - from <= from / 8);
		before = to;
	}
	assert_int_equal(before, UINT64_MAX);
}

static void added(void **state)
{
	struct slice_latency a = {.count = 0}, b = a, both = a;

	(void)state;
	seed = 9;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t ns = draw(1u << 20);

		slice_latency_take(i & 1 ? &a : &b, ns);
		slice_latency_take(&both, ns);
	}
	a.lost = 1;
	b.unpaired_to = both.unpaired_to = 2;
	both.lost = 1;
	slice_latency_add(&a, &b);
	assert_memory_equal(&a, &both, sizeof(a));
	assert_int_equal(slice_latency_part(&(struct slice_latency){.count = 0}, 0.5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interleaved), cmocka_unit_test(lost), cmocka_unit_test(ended),
		cmocka_unit_test(many), cmocka_unit_test(bins), cmocka_unit_test(added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
