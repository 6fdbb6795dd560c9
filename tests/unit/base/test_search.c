/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/search.h"

struct row {
	char name;
	uint64_t key;
};

static const struct row rows[] = {{'a', 0}, {'b', 3}, {'c', 3}, {'d', 7}, {'e', UINT64_MAX}};

#define NR (sizeof(rows) / sizeof(*rows))

/* Against a walk over all of them, for every length of the array. */
static void check(uint64_t value)
{
	for (size_t nr = 0; nr <= NR; nr++) {
		size_t above = 0, from = 0;

		while (above < nr && rows[above].key <= value)
			above++;
		while (from < nr && rows[from].key < value)
			from++;
		assert_int_equal(SEARCH_ABOVE(rows, nr, key, value), above);
		assert_int_equal(SEARCH_FROM(rows, nr, key, value), from);
		assert_int_equal(SEARCH_WHILE(i, 0, nr, rows[i].key <= value), above);
		assert_int_equal(SEARCH_WHILE(i, 1, nr, rows[i].key < value), nr && from ? from : 1);
	}
}

static void test_places(void **state)
{
	(void)state;
	for (uint64_t value = 0; value < 10; value++)
		check(value);
	check(UINT64_MAX - 1);
	check(UINT64_MAX);
}

static void test_empty(void **state)
{
	const struct row *none = NULL;

	(void)state;
	assert_int_equal(SEARCH_ABOVE(none, 0, key, 5), 0);
	assert_int_equal(SEARCH_FROM(none, 0, key, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_empty)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
