/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ui/parts/confidence.h"

/* Wilson's intervals: 5 of 10 are 0.2366..0.7634, 1 of 100 is 0.0018..0.0545, 10 of 10 are 0.7225..1. */
static void test_half(void **state)
{
	(void)state;
	assert_float_equal(confidence_half(0.5, 5), 0.2634, 0.0001);
	assert_float_equal(confidence_half(0.01, 1), 0.02635, 0.0001);
	assert_float_equal(confidence_half(1, 10), 0.13877, 0.0001);
	/* Of many samples as of a normal distribution: 1.96 sqrt(p (1 - p) / n). */
	assert_float_equal(confidence_half(0.25, 250000), 0.000849, 0.000001);
	assert_true(isnan(confidence_half(0, 0)));
	assert_true(isnan(confidence_half(0.5, 0)));
	assert_true(isnan(confidence_half(NAN, 5)));
	assert_true(isfinite(confidence_half(1.0000001, 5)));
}

static void test_percent(void **state)
{
	static const struct {
		double share, samples;
		const char *text;
	} cases[] = {
		{0.2513, 1000, "25.13"}, {0.2513, 10, "25.13"}, {0.2513, 9, "25   "}, {1, 3, "100   "},
		{0.0994, 3, "9.9 "}, {0.0995, 3, "10   "}, {0.0041, 1, "0.4 "}, {0.0004, 1, "<0.1 "},
		{0.0004, 10, "0.04"}, {0, 0, "0.00"}, {NAN, 3, "-"}, {0.31, 0, "31.00"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[16];

		confidence_percent(buf, sizeof(buf), cases[i].share, cases[i].samples);
		assert_string_equal(buf, cases[i].text);
	}
}

static void test_role(void **state)
{
	(void)state;
	assert_int_equal(confidence_role(0.05, 100), ROLE_HOT);
	assert_int_equal(confidence_role(0.049, 100), ROLE_WARM);
	assert_int_equal(confidence_role(0.0049, 100), ROLE_TEXT);
	assert_int_equal(confidence_role(0.5, 9), ROLE_FEW);
	assert_int_equal(confidence_role(0.5, 0), ROLE_HOT); /* of the total alone */
	assert_int_equal(confidence_role(NAN, 0), ROLE_TEXT);
	assert_string_equal(confidence_mark(0.5, true), "#");
	assert_string_equal(confidence_mark(0.001, true), "");
}

/* Chance makes tenths of 100 samples differ; a step, a spike and an end do not come by chance. */
static void test_steady(void **state)
{
	static const struct {
		float tenth[CONFIDENCE_TENTHS];
		double samples;
		bool steady;
	} cases[] = {
		{{10, 12, 7, 9, 11, 13, 8, 10, 6, 14}, 100, true},
		{{1, 1.2f, .7f, .9f, 1.1f, 1.3f, .8f, 1, .6f, 1.4f}, 10000, false}, /* so many say that it is so */
		{{5, 5, 5, 5, 5, 15, 15, 15, 15, 15}, 100, false},
		{{0, 0, 0, 0, 0, 0, 0, 0, 0, 12}, 12, false},
		{{10, 10, 10, 10, 10, 10, 10, 10, 10, 0}, 30, true},
		{{10, 10, 10, 10, 10, 10, 10, 0, 0, 0}, 300, false},
		{{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 5, false}, /* where the few were is known */
		{{0}, 50, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(confidence_steady(cases[i].tenth, CONFIDENCE_TENTHS, cases[i].samples), cases[i].steady);
	assert_false(confidence_steady(cases[0].tenth, 9, 100));
}

static void test_trend(void **state)
{
	static const float even[CONFIDENCE_TENTHS] = {8, 9, 7, 8, 8, 9, 8, 7, 8, 8}, step[CONFIDENCE_TENTHS] = {0, 0, 0, 0, 0, 8, 8, 8, 8, 8};
	char buf[64];

	(void)state;
	confidence_trend(buf, sizeof(buf), even, CONFIDENCE_TENTHS, 80, true);
	assert_string_equal(buf, "----------");
	confidence_trend(buf, sizeof(buf), step, CONFIDENCE_TENTHS, 80, true);
	assert_string_equal(buf, "     #####");
	confidence_trend(buf, sizeof(buf), even, CONFIDENCE_TENTHS, 8, true);
	assert_string_not_equal(buf, "----------");
}

/* The cube's corners, and what is looked for in it. */
static void test_colours(void **state)
{
	(void)state;
	assert_int_equal(theme_rgb(16), 0);
	assert_int_equal(theme_rgb(231), 0xffffff);
	assert_int_equal(theme_rgb(202), 0xff5f00);
	for (int r = 0; r < ROLE_NR; r++)
		assert_true(!theme_roles[r].colour.fine ||
			    (theme_roles[r].colour.fine >= 16 && theme_roles[r].colour.fine <= 231));
}

/* How light a colour is, 0..1, and what of it remains for whom green and red look alike (Vienot's deuteranopia). */
static double linear(uint32_t rgb, int shift)
{
	double v = (rgb >> shift & 255) / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
	return 0.2126 * linear(rgb, 16) + 0.7152 * linear(rgb, 8) + 0.0722 * linear(rgb, 0);
}

static double contrast(double a, double b)
{
	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static double unlike(enum role one, enum role other)
{
	uint32_t a = theme_rgb(theme_look(PALETTE_COLOUR_BLIND, one)->fine);
	uint32_t b = theme_rgb(theme_look(PALETTE_COLOUR_BLIND, other)->fine);
	double yellow = 0.29275 * (linear(a, 16) - linear(b, 16)) + 0.70725 * (linear(a, 8) - linear(b, 8));
	double blue = linear(a, 0) - linear(b, 0);

	return hypot(yellow, blue);
}

/* Fine shades can be read on the ground that they are for: 3 to 1 at least, 2.5 where it may be either. */
static void test_palettes(void **state)
{
	static const struct {
		const char *name;
		bool dark, light;
		double least;
	} grounds[PALETTE_NR] = {
		{"any", true, true, 2.5}, {"dark", true, false, 4.5}, {"light", false, true, 4.5}, {"color-blind", true, true, 2.5},
	};

	(void)state;
	for (int p = 0; p < PALETTE_NR; p++) {
		assert_int_equal(theme_palette(grounds[p].name), p);
		for (int r = 0; r < ROLE_NR; r++) {
			const struct theme_look *l = theme_look((enum palette)p, (enum role)r);
			double of = luminance(theme_rgb(l->fine));

			if (!l->fine)
				continue;
			assert_int_equal(l->bg, -1);
			assert_true(l->fine >= 16 && l->fine <= 231);
			if (grounds[p].dark && contrast(of, 0) < grounds[p].least)
				fail_msg("%s: %s on black: %.1f", grounds[p].name, theme_roles[r].name, contrast(of, 0));
			if (grounds[p].light && contrast(of, 1) < grounds[p].least)
				fail_msg("%s: %s on white: %.1f", grounds[p].name, theme_roles[r].name, contrast(of, 1));
		}
	}
	assert_int_equal(theme_palette(NULL), PALETTE_ANY);
	assert_true(unlike(ROLE_GOOD, ROLE_BAD) > 0.3);
	assert_true(unlike(ROLE_GOOD, ROLE_WARN) > 0.3);
	assert_true(unlike(ROLE_MORE, ROLE_LESS) > 0.3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_role),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_palettes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
