/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is made of numbers that samples are summed up by. */
#include "measure/trace/fieldform.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

static void names(void **state)
{
	static const struct {
		const char *name;
		size_t len;
		enum modifier modifier;
	} right[] = {
		{"id.hex", 2, FIELDFORM_HEX},
		{"args[0].log2", 7, FIELDFORM_LOG2},
		{"a.b.syscall", 3, FIELDFORM_SYSCALL},
		{".hex", 0, FIELDFORM_HEX},
	};
	static const char *const wrong[] = {"id", "", ".", "id.", "id.Hex", "id.hex ", "id.syscalls", "hex", "id.hex.x"};
	enum modifier m;
	struct err err;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		assert_int_equal(fieldform_find(right[i].name, &len, &m, &err), 0);
		assert_int_equal(len, right[i].len);
		assert_int_equal(m, right[i].modifier);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		err.text[0] = '\0';
		assert_int_equal(fieldform_find(wrong[i], &len, &m, &err), -EINVAL);
		assert_non_null(strstr(err.text, "hex, log2 or syscall"));
	}
}

static void words(void **state)
{
	(void)state;
	assert_int_equal(fieldform_word(FIELDFORM_LOG2, 0), 0);
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t power = 1ull << bit;

		assert_int_equal(fieldform_word(FIELDFORM_LOG2, power), power);
		assert_int_equal(fieldform_word(FIELDFORM_LOG2, power | (power - 1)), power);
	}
	assert_int_equal(fieldform_word(FIELDFORM_NONE, 1000), 1000);
	assert_int_equal(fieldform_word(FIELDFORM_HEX, 1000), 1000);
	assert_int_equal(fieldform_word(FIELDFORM_SYSCALL, 1000), 1000);
}

static void texts(void **state)
{
	static const struct {
		enum modifier modifier;
		uint64_t word;
		const char *text;
	} cases[] = {
		{FIELDFORM_HEX, 0, "0x0"},
		{FIELDFORM_HEX, UINT64_MAX, "0xffffffffffffffff"},
		{FIELDFORM_LOG2, 1ull << 63, "9223372036854775808"},
		{FIELDFORM_SYSCALL, SYS_openat, "openat"},
		{FIELDFORM_SYSCALL, 100000, "100000"},
		{FIELDFORM_SYSCALL, (uint64_t)-1, "-1"}, /* what a tracer puts there to skip the call */
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fieldform_text(cases[i].modifier, cases[i].word, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(words), cmocka_unit_test(texts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
