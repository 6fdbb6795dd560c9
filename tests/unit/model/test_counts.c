/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/core/counts.h"
#include "model/core/seen.h"
#include "tests/scatter.h"

/* Not too many, so that they meet again; one far off, so that the index grows at once. */
static uint32_t draw(uint64_t i)
{
	uint64_t h = scatter(i * 0x9e3779b97f4a7c15ull);

	return h % 64 ? (uint32_t)(h >> 8) % 700 : 40000;
}

/* The same adds into counts and into a tally: equal, whatever was removed or reset meanwhile. */
static void assert_same(const struct counts *c, const struct tally *t)
{
	assert_int_equal(c->nr, t->nr);
	for (size_t i = 0; i < t->nr; i++) {
		const struct tally_entry *a = &t->entries[i], *b;

		b = counts_find(c, (uint32_t)(a->key >> 32), (uint32_t)a->key);
		assert_non_null(b);
		assert_true(b->key == a->key && b->self == a->self && b->samples == a->samples);
	}
}

static void add(struct counts *c, struct tally *t, uint32_t event, uint32_t id, uint64_t weight)
{
	struct tally_entry *a = counts_get(c, event, id), *b = tally_get(t, tally_key(event, id));

	assert_true(a && b);
	a->self += weight;
	b->self += weight;
	a->samples++;
	b->samples++;
}

static bool drop_some(void *arg, const struct tally_entry *e)
{
	(void)arg;
	return e->self % 3 == 0;
}

static void test_as_tally(void **state)
{
	struct counts c = {0};
	struct tally t = {0};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		add(&c, &t, i % 3 ? 0 : (uint32_t)(i % 9), draw(i), i);
		if (i % 4096 == 4095) {
			counts_remove(&c, drop_some, NULL);
			tally_remove(&t, drop_some, NULL);
			assert_same(&c, &t);
		}
		if (i == 10000) {
			counts_reset(&c);
			tally_reset(&t);
			assert_null(counts_find(&c, 0, draw(i)));
		}
	}
	assert_true(c.nr > 500);
	assert_same(&c, &t);
	assert_null(counts_find(&c, 0, 39999));
	assert_null(counts_find(&c, 0, UINT32_MAX));
	assert_null(counts_find(&c, UINT32_MAX, 1));
	assert_true(counts_bytes(&c) > c.nr * sizeof(struct tally_entry));
	counts_clear(&c);
	tally_clear(&t);
	assert_null(counts_find(&c, 0, 1));
	assert_int_equal(counts_bytes(&c), 0);
}

static void test_once(void **state)
{
	struct seen o = {0};

	(void)state;
	seen_begin(&o);
	assert_int_equal(seen_meet(&o, 5), 1);
	assert_int_equal(seen_meet(&o, 5), 0);
	assert_int_equal(seen_meet(&o, 100), 1);
	assert_int_equal(seen_meet(&o, 5), 0);
	seen_begin(&o);
	assert_int_equal(seen_meet(&o, 5), 1);
	o.now = UINT32_MAX; /* the rounds' number wraps: what was met long ago was not met in this one */
	o.round[7] = 1;
	seen_begin(&o);
	assert_int_equal(seen_meet(&o, 7), 1);
	assert_int_equal(seen_meet(&o, 7), 0);
	seen_clear(&o);
}

static void test_few(void **state)
{
	struct few f = {0};

	(void)state;
	for (uint32_t id = 0; id < FEW; id++)
		assert_false(few_met(&f, id));
	for (uint32_t id = 0; id < FEW; id++)
		assert_true(few_met(&f, id));
	assert_false(few_met(&f, FEW));
	assert_false(few_met(&f, 0)); /* the oldest had gone */
	assert_true(few_met(&f, FEW));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_tally),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
