/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "model/core/marks.h"

static void test_by_time(void **state)
{
	struct marks m = {.nr = 0};

	(void)state;
	assert_int_equal(marks_add(&m, 30, "c"), 0);
	assert_int_equal(marks_add(&m, 10, "a"), 0);
	assert_int_equal(marks_add(&m, 10, "b"), 0);
	assert_int_equal(m.nr, 3);
	assert_string_equal(m.mark[0].name, "a");
	assert_string_equal(m.mark[1].name, "b");
	assert_string_equal(m.mark[2].name, "c");
	assert_int_equal(m.mark[0].nr, 2);
	assert_int_equal(m.mark[2].nr, 1);
	marks_clear(&m);
	assert_int_equal(m.nr, 0);
	marks_clear(&m);
}

static void test_most(void **state)
{
	struct marks m = {.nr = 0};

	(void)state;
	for (uint64_t i = 0; i < MARKS_MOST + 10; i++)
		assert_int_equal(marks_add(&m, i, ""), 0);
	assert_int_equal(m.nr, MARKS_MOST);
	assert_int_equal(m.mark[0].time, 10);
	assert_int_equal(m.mark[MARKS_MOST - 1].nr, MARKS_MOST + 10);
	/* One that is older than all of them takes the oldest's place. */
	assert_int_equal(marks_add(&m, 0, "old"), 0);
	assert_string_equal(m.mark[0].name, "old");
	assert_int_equal(m.mark[1].time, 11);
	marks_clear(&m);
}

static void test_names(void **state)
{
	struct marks m = {.nr = 0};
	char name[300];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[299] = '\0';
	assert_int_equal(marks_add(&m, 1, name), 0);
	assert_int_equal(strlen(m.mark[0].name), MARK_NAME - 1);
	memcpy(name + MARK_NAME - 3, "\xe2\x82\xac", 3); /* its last byte would be cut off */
	assert_int_equal(marks_add(&m, 2, name), 0);
	assert_int_equal(strlen(m.mark[1].name), MARK_NAME - 3);
	memset(name, 0x80, MARK_NAME); /* never a character's start */
	assert_int_equal(marks_add(&m, 3, name), 0);
	assert_int_equal(strlen(m.mark[2].name), 0);
	marks_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_time),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
