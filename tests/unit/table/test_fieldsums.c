/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by keys, held against plain ones; what finds no room; cleared, and filled again. */
#include "core/table/fieldsums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEYS 200u

struct plain {
	uint64_t count, sum, min, max, hist[FIELDSUMS_BINS];
};

static void plain_add(struct plain *p, uint64_t value)
{
	unsigned bin = 0;

	for (uint64_t v = value; v; v >>= 1)
		bin++;
	p->min = !p->count || value < p->min ? value : p->min;
	p->max = value > p->max ? value : p->max;
	p->count++;
	p->sum += value;
	p->hist[bin]++;
}

static void assert_same(const struct fieldsum *f, const struct plain *p)
{
	assert_int_equal(f->count, p->count);
	assert_true(f->sum == p->sum && f->min == p->min && f->max == p->max);
	for (unsigned i = 0; i < FIELDSUMS_BINS; i++)
		assert_int_equal(f->hist[i], p->hist[i]);
}

/* Keys of two words, which differ in either; two events. */
static void fill(struct fieldsums *f, struct plain plain[2][KEYS], unsigned keys)
{
	for (unsigned i = 0; i < 20000; i++) {
		unsigned k = (unsigned)random() % keys, event = (unsigned)random() & 1;
		uint64_t key[2] = {k / 7, k % 7}, value = random() & 3 ? (uint64_t)random() >> (random() & 31) : 0;

		if (!(i & 1023))
			value = UINT64_MAX >> (i >> 10);
		fieldsums_add(f, event, key, 2, value, i);
		plain_add(&plain[event][k], value);
	}
}

static void sums(void **state)
{
	struct fieldsums *f = fieldsums_create(2, 2, 2 * KEYS, NULL);

	(void)state;
	srandom(1);
	for (unsigned round = 0; round < 3; round++) {
		static struct plain plain[2][KEYS];
		const struct fieldsum *e;
		unsigned nr = 0;

		memset(plain, 0, sizeof(plain));
		fill(f, plain, KEYS);
		for (; (e = fieldsums_at(f, nr)); nr++) {
			assert_int_equal(e->words, 2);
			assert_same(e, &plain[e->event][e->key[0] * 7 + e->key[1]]);
		}
		assert_int_equal(nr, 2 * KEYS);
		assert_int_equal(fieldsums_rest(f, 0)->count, 0);
		fieldsums_clear(f);
		assert_null(fieldsums_at(f, 0));
	}
	fieldsums_free(f);
}

static void no_room(void **state)
{
	struct fieldsums *f = fieldsums_create(3, 1, 10, NULL);
	uint64_t kept = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		for (unsigned event = 0; event < 3; event++)
			fieldsums_add(f, event, &i, 1, i, i);
	fieldsums_add(f, 2, (const uint64_t[2]){1, 2}, 2, 1000, 0); /* longer than a key can be */
	for (unsigned i = 0; fieldsums_at(f, i); i++)
		kept += fieldsums_at(f, i)->count;
	assert_int_equal(kept, 10);
	assert_int_equal(fieldsums_rest(f, 0)->count + fieldsums_rest(f, 1)->count + fieldsums_rest(f, 2)->count, 301 - 10);
	assert_int_equal(fieldsums_rest(f, 2)->max, 1000);
	assert_int_equal(fieldsums_rest(f, 1)->event, 1);
	fieldsums_clear(f);
	assert_int_equal(fieldsums_rest(f, 2)->count, 0);
	assert_int_equal(fieldsums_rest(f, 2)->max, 0);
	fieldsums_free(f);
}

/* Its paths are cleared with it; what has no number for one is of the rest. */
static void with_paths(void **state)
{
	struct fieldsums *f = fieldsums_create(2, 1, 10, NULL);
	const struct table_key key = {.pid = 1, .nr = 1};
	uint64_t ip = 5, word;

	(void)state;
	assert_null(fieldsums_paths(f));
	assert_true(fieldsums_keep_paths(f));
	for (unsigned i = 0; i < 12; i++, ip++) {
		word = rawpaths_number(fieldsums_paths(f), &key, &ip, 1);
		assert_int_equal(word, i < 10 ? i + 1 : 0);
		if (word)
			fieldsums_add(f, 1, &word, 1, i, 1);
		else
			fieldsums_add_rest(f, 1, i, 1);
	}
	assert_non_null(fieldsums_at(f, 9));
	assert_null(fieldsums_at(f, 10));
	assert_int_equal(fieldsums_rest(f, 1)->count, 2);
	assert_int_equal(fieldsums_rest(f, 1)->min, 10);
	assert_int_equal(fieldsums_rest(f, 1)->max, 11);
	assert_int_equal(fieldsums_rest(f, 1)->event, 1);
	assert_int_equal(fieldsums_rest(f, 0)->count, 0);
	fieldsums_clear(f);
	assert_int_equal(fieldsums_rest(f, 1)->count, 0);
	assert_int_equal(rawpaths_number(fieldsums_paths(f), &key, &ip, 1), 1);
	fieldsums_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(no_room), cmocka_unit_test(with_paths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
