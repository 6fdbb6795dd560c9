/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distance of words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <string.h>

#include "base/worddistance.h"

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} cases[] = {
		{"", "", 0},         {"", "abc", 3},         {"abc", "", 3},
		{"event", "event", 0}, {"event", "evnet", 2}, {"event", "vent", 1},
		{"event", "events", 1}, {"kitten", "sitting", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(worddistance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(worddistance(cases[i].b, cases[i].a), cases[i].distance);
	}
}

static void too_long(void **state)
{
	char word[200];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(worddistance("a", word), UINT_MAX);
	assert_int_equal(worddistance(word, "a"), sizeof(word) - 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(distances), cmocka_unit_test(too_long)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
