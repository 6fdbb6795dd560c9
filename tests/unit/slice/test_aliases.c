/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other names as one text and back: whatever they are, and whatever the text is. */
#include "core/slice/aliases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PUT(text, name, names, ...)                                          \
	aliases_put(text, name, names, (const char *const[]){__VA_ARGS__}, \
		    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void there_and_back(void **state)
{
	char text[ALIASES_TEXT];
	struct aliases s;

	(void)state;
	PUT(text, "foo", 5, "bar", "baz<a, b>", "qux");
	aliases_get(&s, text);
	assert_int_equal(s.names, 5);
	assert_int_equal(s.nr, 3);
	assert_string_equal(s.other[0], "bar");
	assert_string_equal(s.other[1], "baz<a, b>");
	assert_string_equal(s.other[2], "qux");
	PUT(text, "foo", UINT32_MAX, "bar", NULL, "behind the last");
	aliases_get(&s, text);
	assert_int_equal(s.names, UINT32_MAX);
	assert_int_equal(s.nr, 1);
	PUT(text, "foo", 1, NULL);
	assert_string_equal(text, "");
	PUT(text, "nobody asked", 0, NULL);
	assert_string_equal(text, "");
}

/* Readable, two names may be one. */
static void one_name_is_one(void **state)
{
	char text[ALIASES_TEXT];
	struct aliases s;

	(void)state;
	PUT(text, "Box::Box", 2, "Box::Box");
	assert_string_equal(text, "");
	PUT(text, "Box::Box", 9, "Bag::Bag", "Bag::Bag", "Box::Box");
	aliases_get(&s, text);
	assert_int_equal(s.names, 7);
	assert_int_equal(s.nr, 1);
	assert_string_equal(s.other[0], "Bag::Bag");
}

/* What cannot be listed is still counted. */
static void no_room(void **state)
{
	char text[ALIASES_TEXT], name[ALIASES_TEXT], half[ALIASES_TEXT / 2 + 1];
	struct aliases s;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(half, 'h', sizeof(half) - 1);
	half[sizeof(half) - 1] = '\0';
	PUT(text, "foo", UINT32_MAX, name, half, "two\nlines");
	aliases_get(&s, text);
	assert_int_equal(s.names, UINT32_MAX);
	assert_int_equal(s.nr, 1);
	assert_string_equal(s.other[0], half);
	half[0] = 'H';
	PUT(text, "foo", 4, half + 1, half, "short");
	aliases_get(&s, text);
	assert_int_equal(s.names, 4);
	assert_int_equal(s.nr, 2);
	assert_string_equal(s.other[1], "short");
}

static void nonsense(void **state)
{
	static const char *const none[] = {"", "foo", "0", "1\nbar", "4294967296\nbar",
					   "99999999999999999999\nbar", "-3\nbar", "3bar",
					   "\nbar", "3 \nbar"};
	char text[2 * ALIASES_TEXT] = "4\n";
	struct aliases s;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		aliases_get(&s, none[i]);
		assert_int_equal(s.names, 1);
		assert_int_equal(s.nr, 0);
	}
	aliases_get(&s, "2\nbar\nbaz\nqux"); /* more than it says */
	assert_int_equal(s.nr, 1);
	assert_string_equal(s.other[0], "bar");
	aliases_get(&s, "9\na\nb\nc\nd\ne");
	assert_int_equal(s.nr, ALIASES_LISTED);
	assert_string_equal(s.other[2], "c");
	memset(text + 2, 'x', sizeof(text) - 3);
	aliases_get(&s, text);
	assert_int_equal(s.nr, 1);
	assert_int_equal(strlen(s.other[0]), ALIASES_TEXT - 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(one_name_is_one),
		cmocka_unit_test(no_room),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
