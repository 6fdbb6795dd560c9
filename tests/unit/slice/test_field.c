/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples came to by fields: folded, added up, bounded; and slices of it merged. */
#include "core/slice/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/slice/merge.h"
#include "core/slice/slice.h"

static struct slice_field field(unsigned event, const char *key, uint64_t count, uint64_t min, uint64_t max)
{
	struct slice_field f = {.event = (uint16_t)event, .count = count, .sum = count * min, .min = min, .max = max};

	snprintf(f.key, sizeof(f.key), "%s", key);
	f.hist[1] = (uint32_t)count;
	return f;
}

static void folded(void **state)
{
	struct slice_field f[] = {field(1, "b", 1, 5, 5), field(0, "b", 2, 3, 4), field(1, "a", 1, 1, 1), field(1, "b", 3, 2, 9)};

	(void)state;
	assert_int_equal(slice_fields_fold(f, 4), 3);
	assert_string_equal(f[0].key, "b");
	assert_string_equal(f[1].key, "a");
	assert_int_equal(f[2].count, 4);
	assert_int_equal(f[2].min, 2);
	assert_int_equal(f[2].max, 9);
	assert_int_equal(f[2].hist[1], 4);
	assert_int_equal(slice_fields_fold(NULL, 0), 0);
}

/* Many rows of long and short keys that begin alike, each twice, in no order. */
static void sorted(void **state)
{
	enum { NR = 4000 };
	struct slice_field *f = calloc(NR, sizeof(*f));
	unsigned seed = 7;

	(void)state;
	assert_non_null(f);
	for (unsigned i = 0; i < NR; i++) {
		char key[32];

		snprintf(key, sizeof(key), i / 2 % 3 ? "%u" : "begin of it %u", i / 2);
		f[i] = field(i / 2 % 5, key, 1, i / 2, i / 2);
	}
	for (unsigned i = NR - 1; i; i--) {
		unsigned j = (seed = seed * 1664525u + 1013904223u) % (i + 1);
		struct slice_field swap = f[i];

		f[i] = f[j];
		f[j] = swap;
	}
	assert_int_equal(slice_fields_fold(f, NR), NR / 2);
	for (unsigned i = 0; i < NR / 2; i++) {
		const char *digits = strrchr(f[i].key, ' ') ? strrchr(f[i].key, ' ') + 1 : f[i].key;

		assert_int_equal(f[i].count, 2);
		assert_int_equal(strtoul(digits, NULL, 10), f[i].min);
		assert_int_equal(f[i].event, f[i].min % 5);
		assert_true(!i || f[i].event > f[i - 1].event || strcmp(f[i].key, f[i - 1].key) > 0);
	}
	assert_int_equal(slice_fields_fold(f, NR / 2), NR / 2);
	free(f);
}

/* Another list of fields is another row. */
static void listed(void **state)
{
	struct slice_field f[] = {field(0, "a", 1, 5, 5), field(0, "a", 2, 3, 4)};

	(void)state;
	f[0].by = 1;
	assert_int_equal(slice_fields_fold(f, 2), 2);
	assert_int_equal(f[0].by, 0);
	assert_int_equal(f[0].count, 2);
}

static struct slice_field at_path(struct slice_field f, uint32_t path)
{
	f.path = path;
	return f;
}

/* Another call path is another row, however the rest of the key looks; of a rest no path is known. */
static void pathed(void **state)
{
	struct slice_field f[] = {at_path(field(0, "a\t", 1, 5, 5), 7), at_path(field(0, "a\t", 2, 3, 4), 2),
				  field(0, "a\t", 4, 1, 1), at_path(field(0, "a\t", 8, 3, 4), 7),
				  at_path(field(0, "", 16, 3, 4), 9), at_path(field(0, "longer than eight\t", 1, 1, 1), 3),
				  at_path(field(0, "longer than eight\t", 1, 1, 1), 1)};

	(void)state;
	assert_int_equal(slice_fields_fold(f, 7), 6);
	assert_int_equal(f[0].path, 9);
	assert_int_equal(f[0].count, 16);
	assert_int_equal(f[1].path, 0);
	assert_int_equal(f[1].count, 4);
	assert_int_equal(f[2].path, 2);
	assert_int_equal(f[2].count, 2);
	assert_int_equal(f[3].path, 7);
	assert_int_equal(f[3].count, 9);
	assert_int_equal(f[4].path, 1);
	assert_int_equal(f[5].path, 3);
	assert_int_equal(slice_fields_limit(f, 6, 1), 2);
	assert_int_equal(f[0].path, 9);
	assert_true(f[1].rest);
	assert_int_equal(f[1].path, 0);
	assert_int_equal(f[1].count, 17);
}

/* Those with the most samples stay; nothing is lost, and the rest is one for each event. */
static void limited(void **state)
{
	enum { NR = 5000, MOST = 300 };
	struct slice_field *f = calloc(NR, sizeof(*f));
	uint64_t count = 0, large = 0;
	size_t nr;

	(void)state;
	assert_non_null(f);
	for (unsigned i = 0; i < NR; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		f[i] = field(i & 1, key, i % 50 ? 1 : 1000, 1, 1);
		count += f[i].count;
	}
	nr = slice_fields_limit(f, NR, MOST);
	assert_int_equal(nr, MOST + 2);
	for (size_t i = 0; i < nr; i++) {
		count -= f[i].count;
		large += !f[i].rest && f[i].count == 1000;
		assert_true(!f[i].rest || !*f[i].key);
		assert_true(!i || f[i].event > f[i - 1].event || f[i].rest || strcmp(f[i].key, f[i - 1].key) > 0);
	}
	assert_int_equal(count, 0);
	assert_int_equal(large, NR / 50);
	/* What has room stays as it is; and once more. */
	assert_int_equal(slice_fields_limit(f, nr, nr), nr);
	assert_int_equal(slice_fields_limit(f, nr, 0), 2);
	assert_int_equal(slice_fields_limit(f, 0, 0), 0);
	free(f);
}

static void saturated(void **state)
{
	struct slice_field f[] = {field(0, "a", 1, 1, 1), field(0, "a", 1, 1, 1)};

	(void)state;
	f[0].hist[1] = UINT32_MAX - 1;
	f[1].hist[1] = 5;
	assert_int_equal(slice_fields_fold(f, 2), 1);
	assert_true(f[0].hist[1] == UINT32_MAX);
}

static void merged(void **state)
{
	struct slice *a = slice_create(), *b = slice_create();

	(void)state;
	*slice_add_field(a) = field(0, "a", 1, 1, 1);
	*slice_add_field(b) = field(0, "b", 1, 1, 1);
	*slice_add_field(b) = field(0, "a", 2, 1, 1);
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->nfields, 2);
	assert_int_equal(a->fields[0].count, 3);
	slice_free(a);
}

static void say_path(struct slice *s, uint32_t id, uint32_t frame)
{
	assert_int_equal(slice_upsert(s, DICT_PATH, &(struct dict_path){id, 0, frame}), 0);
}

/* A path's id that was released and means something else in the next slice: what it was stays a key of its own. */
static void renamed(void **state)
{
	struct slice *s[4];
	uint32_t temp[2], frame[2] = {0};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		s[i] = slice_create();
		*slice_add_field(s[i]) = at_path(field(0, "", 1u << i, 1, 1), 5);
	}
	say_path(s[0], 5, 100);
	assert_int_equal(slice_release(s[0], DICT_PATH, 5), 0);
	say_path(s[1], 5, 101);
	assert_int_equal(slice_release(s[1], DICT_PATH, 5), 0);
	say_path(s[2], 5, 102);
	assert_int_equal(slice_merge(s[0], s[1]), 0);
	assert_int_equal(slice_merge(s[2], s[3]), 0);
	assert_int_equal(slice_merge(s[0], s[2]), 0);
	assert_int_equal(s[0]->nfields, 3);
	assert_int_equal(s[0]->fields[0].path, 5);
	assert_int_equal(s[0]->fields[0].count, 4 + 8);
	for (unsigned i = 0; i < 2; i++) {
		temp[i] = s[0]->fields[1 + i].path;
		assert_true(temp[i] >= DICT_TEMP);
		for (size_t p = 0; p < s[0]->dict.nr[DICT_PATH]; p++)
			if (s[0]->dict.paths[p].id == temp[i])
				frame[i] = s[0]->dict.paths[p].frame;
		assert_int_equal(s[0]->fields[1 + i].count, 1u << (frame[i] - 100));
	}
	assert_int_not_equal(frame[0], frame[1]);
	slice_free(s[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded),
		cmocka_unit_test(sorted), cmocka_unit_test(listed), cmocka_unit_test(saturated),
		cmocka_unit_test(merged), cmocka_unit_test(pathed), cmocka_unit_test(renamed), cmocka_unit_test(limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
