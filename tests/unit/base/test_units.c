/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for people and back: roundings at the edges of each unit, and hostile text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/units.h"

static void counts(void **state)
{
	static const struct {
		double n;
		const char *text;
	} cases[] = {
		{0, "0"},          {1, "1"},        {999, "999"},      {999.4, "999"},
		{999.5, "1.00k"},  {1000, "1.00k"}, {1980, "1.98k"},   {9994, "9.99k"},
		{9995, "10.0k"},   {99949, "99.9k"}, {99950, "100k"},  {999499, "999k"},
		{999500, "1.00M"}, {12.4e6, "12.4M"}, {184e9, "184G"}, {1.5e12, "1.50T"},
		{2e15, "2.00P"},   {UINT64_MAX, "18.4E"},
	};
	char buf[UNITS_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(units_count(buf, cases[i].n), cases[i].text);
}

static void bytes(void **state)
{
	static const struct {
		double n;
		const char *text;
	} cases[] = {
		{0, "0"},          {512, "512"},       {1023, "1023"},    {1024, "1K"},
		{1536, "1.50K"},   {262144, "256K"},   {2097152, "2M"},   {15938355, "15.2M"},
		{1 << 30, "1G"},   {1023.5 * 1024, "1M"}, {UINT64_MAX, "16E"},
	};
	char buf[UNITS_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(units_bytes(buf, cases[i].n), cases[i].text);
}

static void spans(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"}, {870, "870 ns"}, {3100000, "3.1 ms"}, {250000000, "250 ms"},
		{1500000000, "1.5 s"}, {92000000000, "92 s"}, {5530000000000, "01:32:10"},
		{360000000000000, "100:00:00"},
	};
	char buf[UNITS_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(units_span(buf, cases[i].ns), cases[i].text);
	assert_true(strlen(units_span(buf, UINT64_MAX)) < UNITS_LEN);
}

static void parsed(void **state)
{
	uint64_t n = 0;

	(void)state;
	assert_int_equal(units_parse("0", "kmg", 1024, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(units_parse("2k", "kmg", 1024, &n), 0);
	assert_int_equal(n, 2048);
	assert_int_equal(units_parse("3G", "kmg", 1000, &n), 0);
	assert_int_equal(n, 3000000000);
	assert_int_equal(units_parse("18446744073709551615", "", 1, &n), 0);
	assert_true(n == UINT64_MAX);
}

static void refused(void **state)
{
	static const char *const wrong[] = {"", " 1", "-1", "+1", "k", "1kk", "1t", "1 k", "0x1",
					    "1.5", "1e3", "k1"};
	uint64_t n = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(units_parse(wrong[i], "kmg", 1024, &n), -EINVAL);
	assert_int_equal(units_parse("18446744073709551616", "kmg", 1024, &n), -ERANGE);
	assert_int_equal(units_parse("18014398509481984k", "kmg", 1024, &n), -ERANGE);
	assert_int_equal(units_parse("17179869184g", "kmg", 1024, &n), -ERANGE);
	assert_int_equal(units_parse("5k", "", 1, &n), -EINVAL);
	assert_int_equal(n, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),  cmocka_unit_test(bytes),   cmocka_unit_test(spans),
		cmocka_unit_test(parsed),  cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
