/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/pidset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_many(void **state)
{
	struct pidset s = {.slot = NULL};

	(void)state;
	assert_false(pidset_has(&s, 1));
	for (pid_t pid = 1; pid < 20000; pid += 3)
		assert_int_equal(pidset_add(&s, pid), 1);
	for (pid_t pid = 1; pid < 20000; pid += 3)
		assert_int_equal(pidset_add(&s, pid), 0);
	for (pid_t pid = 1; pid < 20000; pid++)
		assert_int_equal(pidset_has(&s, pid), pid % 3 == 1);
	assert_int_equal(s.nr, 6667);
	pidset_clear(&s);
	assert_false(pidset_has(&s, 1));
	assert_int_equal(pidset_add(&s, 1), 1);
	pidset_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
