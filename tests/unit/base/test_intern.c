/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interned keys: identity, reuse of released ids, wrapping ticks, and a long random walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

static int setup(void **state)
{
	*state = intern_create();
	return !*state;
}

#define SHORT 8 /* the longest of most tests here */

static int setup_short(void **state)
{
	*state = intern_create_short(SHORT);
	return !*state;
}

static int teardown(void **state)
{
	intern_free(*state);
	return 0;
}

static void same_key_same_id(void **state)
{
	struct intern *in = *state;
	bool fresh;
	uint32_t a = intern_get(in, "alpha", 5, 1, &fresh), b;

	assert_true(a && fresh);
	b = intern_get(in, "beta", 4, 1, &fresh);
	assert_true(b && b != a && fresh);
	assert_int_equal(intern_get(in, "alpha", 5, 2, &fresh), a);
	assert_false(fresh);
	assert_int_equal(intern_tick(in, a), 2);
	assert_int_equal(intern_find(in, "beta", 4), b);
	assert_int_equal(intern_find(in, "bet", 3), 0);
	assert_int_equal(intern_tick(in, b), 1); /* finding is no use */
	assert_int_equal(intern_count(in), 2);
	assert_true(intern_bound(in) > a && intern_bound(in) > b);
}

static void any_bytes(void **state)
{
	struct intern *in = *state;
	uint32_t empty = intern_get(in, "", 0, 0, NULL), nul = intern_get(in, "\0", 1, 0, NULL);
	uint32_t inside = intern_get(in, "a\0b", 3, 0, NULL), a = intern_get(in, "a", 1, 0, NULL);
	const char *key;
	size_t len;

	assert_true(empty && nul && inside && a);
	assert_true(empty != nul && inside != a);
	key = intern_key(in, inside, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(key, "a\0b\0", 4); /* a NUL follows */
	key = intern_key(in, empty, &len);
	assert_int_equal(len, 0);
	assert_int_equal(key[0], '\0');
}

struct released {
	struct intern *in;
	unsigned nr;
	uint32_t last, stays;
};

static bool note_released(void *arg, uint32_t id)
{
	struct released *r = arg;

	assert_non_null(intern_key(r->in, id, NULL)); /* still readable */
	r->nr++;
	r->last = id;
	return id != r->stays;
}

static void swept(void **state)
{
	struct intern *in = *state;
	uint32_t old = intern_get(in, "old", 3, 10, NULL), kept = intern_get(in, "kept", 4, 10, NULL);
	struct released r = {.in = in};

	intern_touch(in, kept, 20);
	r.stays = old;
	intern_sweep(in, 20, note_released, &r);
	assert_int_equal(r.nr, 1);
	assert_int_equal(intern_find(in, "old", 3), old); /* it was said to stay */
	r.stays = 0;
	intern_sweep(in, 20, note_released, &r);
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.last, old);
	assert_int_equal(intern_find(in, "old", 3), 0);
	assert_int_equal(intern_find(in, "kept", 4), kept);
	assert_int_equal(intern_get(in, "new", 3, 21, NULL), old); /* ids come back */
	intern_sweep(in, 100, NULL, NULL);
	assert_int_equal(intern_count(in), 0);
}

static void ticks_wrap(void **state)
{
	struct intern *in = *state;
	uint32_t before = intern_get(in, "before", 6, UINT32_MAX - 5, NULL);
	uint32_t after = intern_get(in, "after", 5, 3, NULL);

	intern_sweep(in, UINT32_MAX - 5, NULL, NULL);
	assert_int_equal(intern_find(in, "before", 6), before);
	intern_sweep(in, 1, NULL, NULL);
	assert_int_equal(intern_find(in, "before", 6), 0);
	assert_int_equal(intern_find(in, "after", 5), after);
}

#define KEYS 5000

/* Against a plain array of what must be there. */
static void random_walk(void **state)
{
	struct intern *in = *state;
	static uint32_t ids[KEYS], used[KEYS];
	size_t peak = 0, live;
	char key[32];

	memset(ids, 0, sizeof(ids));
	srandom(1);
	for (uint32_t tick = 1; tick <= 200; tick++) {
		for (int i = 0; i < 400; i++) {
			size_t k = (size_t)random() % (tick % 7 ? KEYS / 10 : KEYS);
			int len = snprintf(key, sizeof(key), "key %zu", k);
			bool fresh;
			uint32_t id = intern_get(in, key, (size_t)len, tick, &fresh);

			assert_int_equal(fresh, !ids[k]);
			assert_true(!ids[k] || ids[k] == id);
			ids[k] = id;
			used[k] = tick;
		}
		intern_sweep(in, tick - 2, NULL, NULL);
		live = 0;
		for (size_t k = 0; k < KEYS; k++) {
			if (ids[k] && (int32_t)(used[k] - (tick - 2)) < 0)
				ids[k] = 0;
			live += ids[k] != 0;
		}
		assert_int_equal(intern_count(in), live);
		peak = live > peak ? live : peak;
	}
	for (size_t k = 0; k < KEYS; k++) {
		int len = snprintf(key, sizeof(key), "key %zu", k);

		assert_int_equal(intern_find(in, key, (size_t)len), ids[k]);
	}
	/* forgotten ids are used again: the bound follows what lived at once, with a tick's slack */
	assert_true(intern_bound(in) <= peak + 400 + 1);
	assert_true(intern_bytes(in) > 0);
}

/* Another table's keys are found by what it knows of them. */
static void found_of_other(void **state)
{
	struct intern *in = *state, *other = intern_create();
	char key[32];

	assert_non_null(other);
	for (int k = 0; k < 300; k++) {
		int len = snprintf(key, sizeof(key), "key %d", k);

		assert_int_equal(intern_get(in, key, (size_t)len, 0, NULL), k + 1);
	}
	for (int k = 250; k < 350; k++) {
		int len = snprintf(key, sizeof(key), "key %d", k);
		uint32_t id = intern_get(other, key, (size_t)len, 0, NULL);

		assert_int_equal(intern_find_of(in, other, id), k < 300 ? k + 1 : 0);
	}
	intern_free(other);
}

/* Keys in the table itself: any bytes, up to a length, and found again where the table has moved. */
static void short_keys(void **state)
{
	struct intern *in = *state;
	uint64_t key;
	size_t bytes, len;

	assert_int_equal(intern_get(in, "123456789", 9, 0, NULL), 0);
	assert_int_equal(intern_count(in), 0);
	assert_int_equal(intern_get(in, "", 0, 0, NULL), 1);
	for (key = 0; key < 5000; key++)
		assert_int_equal(intern_get(in, &key, sizeof(key), 0, NULL), key + 2);
	bytes = intern_bytes(in);
	for (key = 0; key < 5000; key++) {
		assert_int_equal(intern_find(in, &key, sizeof(key)), key + 2);
		assert_memory_equal(intern_key(in, (uint32_t)key + 2, &len), &key, sizeof(key));
		assert_int_equal(len, sizeof(key));
	}
	intern_sweep(in, 1, NULL, NULL);
	assert_null(intern_key(in, 2, NULL));
	for (key = 5000; key < 10000; key++)
		assert_true(intern_get(in, &key, sizeof(key), 1, NULL));
	assert_int_equal(intern_bytes(in), bytes); /* what was released has room for as many */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same_key_same_id, setup, teardown),
		cmocka_unit_test_setup_teardown(any_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(swept, setup, teardown),
		cmocka_unit_test_setup_teardown(ticks_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(random_walk, setup, teardown),
		cmocka_unit_test_setup_teardown(found_of_other, setup, teardown),
		cmocka_unit_test_setup_teardown(same_key_same_id, setup_short, teardown),
		cmocka_unit_test_setup_teardown(swept, setup_short, teardown),
		cmocka_unit_test_setup_teardown(ticks_wrap, setup_short, teardown),
		cmocka_unit_test_setup_teardown(random_walk, setup_short, teardown),
		cmocka_unit_test_setup_teardown(found_of_other, setup_short, teardown),
		cmocka_unit_test_setup_teardown(short_keys, setup_short, teardown),
	};

	intern_free(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
