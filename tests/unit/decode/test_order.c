/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files/decode/order.h"

static int add(struct order *o, uint64_t time, uint64_t number)
{
	struct {
		struct perf_event_header h;
		uint64_t number;
	} r = {{PERF_RECORD_SAMPLE, 0, sizeof(r)}, number};

	return order_add(o, &r.h, sizeof(r), time, 0, number);
}

/* Three rings whose rounds overlap by less than a round. */
static void order_of_rounds(void **state)
{
	struct order *o = order_create(1 << 20);
	const struct order_record *r;
	uint64_t last = 0, given = 0, added = 0;

	(void)state;
	for (uint64_t round = 0; round < 300; round++) {
		for (uint64_t ring = 0; ring < 3; ring++)
			for (uint64_t i = 0; i < 40; i++, added++)
				assert_int_equal(add(o, 1000 + round * 100 + i * 3 + ring, added), 0);
		order_round(o);
		for (; (r = order_next(o)); given++) {
			assert_true(r->time >= last);
			last = r->time;
		}
		assert_true(round < 2 || added - given <= 300);
	}
	order_finish(o);
	for (; (r = order_next(o)); given++) {
		assert_true(r->time >= last);
		last = r->time;
	}
	assert_int_equal(given, added);
	order_free(o);
}

static void order_of_equals(void **state)
{
	static const uint64_t times[] = {5, 7, 5, 5, 7, 6, 5}, expected[] = {0, 2, 3, 6, 5, 1, 4};
	struct order *o = order_create(1 << 20);

	(void)state;
	for (uint64_t i = 0; i < 7; i++)
		assert_int_equal(add(o, times[i], i), 0);
	assert_null(order_next(o));
	order_finish(o);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(order_next(o)->offset, expected[i]);
	assert_null(order_next(o));
	order_free(o);
}

/* No round ever ends, and times fall and rise: memory stays bounded, nothing is lost. */
static void order_is_bounded(void **state)
{
	struct order *o = order_create(1 << 20);
	uint64_t given = 0, added = 200000;

	(void)state;
	for (uint64_t i = 0; i < added; i++) {
		assert_int_equal(add(o, i ^ 1, i), 0);
		while (order_next(o))
			given++;
		assert_true(order_bytes(o) < 8 << 20);
	}
	order_finish(o);
	while (order_next(o))
		given++;
	assert_int_equal(given, added);
	order_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_rounds), cmocka_unit_test(order_of_equals),
		cmocka_unit_test(order_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
