/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/slice/idmap.h"

static void set(struct idmap *m, uint32_t id, uint32_t value)
{
	uint32_t *slot = idmap_slot(m, id, sizeof(*slot));

	assert_non_null(slot);
	assert_int_equal(*slot, 0);
	*slot = value;
}

static uint32_t get(const struct idmap *m, uint32_t id)
{
	const uint32_t *value = idmap_find(m, id, sizeof(*value));

	return value ? *value : 0;
}

/* The first and the last source, ids that have no value between, and the last id of a source. */
static void test_sources(void **state)
{
	static const uint32_t ids[] = {1, 7, 3 * DICT_IDS + 5, 63 * DICT_IDS, 63 * DICT_IDS + 40};
	static struct idmap m;
	unsigned found = 0;

	(void)state;
	assert_int_equal(idmap_next(&m, 0), 0);
	for (unsigned i = 0; i < 5; i++)
		set(&m, ids[i], 100 + i);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(get(&m, ids[i]), 100 + i);
	assert_int_equal(get(&m, 0), 0);
	assert_int_equal(get(&m, 8), 0);
	assert_int_equal(get(&m, DICT_IDS + 1), 0);
	assert_int_equal(get(&m, 4 * DICT_IDS - 1), 0);
	assert_int_equal(get(&m, DICT_TEMP - 1), 0);
	for (uint32_t id = 0, last = 0; (id = idmap_next(&m, id)); last = id) {
		assert_true(id > last);
		if (get(&m, id))
			assert_int_equal(id, ids[found++]);
	}
	assert_int_equal(found, 5);
	assert_in_range(idmap_bytes(&m, 4), 4 * (8 + 6 + 41), 4 * 2 * (8 + 6 + 41));
	idmap_clear(&m);
}

static void test_temporary(void **state)
{
	static struct idmap m;

	(void)state;
	set(&m, 2, 5);
	set(&m, DICT_TEMP + 1, 6);
	assert_int_equal(idmap_temps(&m), 2);
	assert_int_equal(get(&m, DICT_TEMP), 0);
	assert_int_equal(get(&m, DICT_TEMP + 1), 6);
	assert_int_equal(get(&m, UINT32_MAX), 0);
	assert_int_equal(idmap_next(&m, 2), 0);
	idmap_end_temps(&m);
	assert_int_equal(get(&m, DICT_TEMP + 1), 0);
	set(&m, DICT_TEMP + 1, 7); /* no value is left from the slice before */
	assert_int_equal(get(&m, 2), 5);
	idmap_clear(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_temporary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
