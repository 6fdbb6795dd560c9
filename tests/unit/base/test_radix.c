/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As qsort would: of keys that differ in few bits, in all, in none; equal ones stay as they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/radix.h"
#include "tests/scatter.h"

#define ITEMS 5000

static struct radix_item items[ITEMS], spare[ITEMS];

static void in_order(void **state)
{
	static const uint64_t masks[] = {0, 1, UINT64_MAX, 0x7ff, 0xfff000, 1ull << 63, 3ull << 62 | 5};

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(*masks); m++)
		for (size_t nr = 0; nr <= ITEMS; nr = nr * 3 + 1) {
			struct radix_item *sorted;

			for (uint32_t i = 0; i < nr; i++)
				items[i] = (struct radix_item){scatter(i * 7 + m) & masks[m], i};
			sorted = radix_sort(items, spare, nr);
			for (size_t i = 0; i < nr; i++) {
				uint64_t key = scatter(sorted[i].value * 7 + m) & masks[m];

				assert_true(sorted[i].value < nr && sorted[i].key == key);
				assert_true(!i || sorted[i - 1].key < key ||
					    (sorted[i - 1].key == key && sorted[i - 1].value < sorted[i].value));
			}
		}
}

static void floats(void **state)
{
	static const float rising[] = {-INFINITY, -1e30f, -1, -1e-45f, 0, 1e-45f, 1e-38f, 0.5f, 1, 1.0000001f, INFINITY};

	(void)state;
	assert_int_equal(radix_float(-0.0f), radix_float(0));
	for (size_t i = 1; i < sizeof(rising) / sizeof(*rising); i++)
		assert_true(radix_float(rising[i - 1]) < radix_float(rising[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(floats)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
