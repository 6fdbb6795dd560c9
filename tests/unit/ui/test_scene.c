/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene, theme: clipping, widths, what hostile text becomes, dumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <string.h>

#include "ui/term/scene.h"

static struct scene s;

static int setup(void **state)
{
	(void)state;
	s = (struct scene){0};
	return scene_resize(&s, 3, 10) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	scene_free(&s);
	return 0;
}

static void check(const char *want)
{
	char buf[512];

	scene_dump(&s, NULL, buf, sizeof(buf));
	assert_string_equal(buf, want);
}

static void test_clips(void **state)
{
	(void)state;
	assert_int_equal(scene_text(&s, 0, 0, -1, ROLE_TEXT, "0123456789abc"), 10);
	assert_int_equal(scene_text(&s, 1, 8, -1, ROLE_TEXT, "xyz"), 2);
	assert_int_equal(scene_text(&s, 3, 0, -1, ROLE_TEXT, "below"), 0);
	assert_int_equal(scene_text(&s, -1, 0, -1, ROLE_TEXT, "above"), 0);
	assert_int_equal(scene_text(&s, 2, -1, -1, ROLE_TEXT, "left"), 0);
	assert_int_equal(scene_text(&s, 2, 20, -1, ROLE_TEXT, "right"), 0);
	check("0123456789\n        xy\n\n");
	scene_fill(&s, (struct rect){-5, -5, 100, 100}, ROLE_BAD);
	scene_role(&s, (struct rect){2, 9, 5, 5}, ROLE_GOOD);
	check("\n\n\n");
	assert_int_equal(s.cells[29].role, ROLE_GOOD);
	assert_int_equal(s.cells[28].role, ROLE_BAD);
}

static void test_fit(void **state)
{
	(void)state;
	assert_int_equal(scene_fit(&s, 0, 0, 5, ROLE_TEXT, "abcde"), 5);
	assert_int_equal(scene_fit(&s, 1, 0, 5, ROLE_TEXT, "abcdef"), 5);
	assert_int_equal(scene_fit(&s, 2, 0, 1, ROLE_TEXT, "ab"), 1);
	assert_int_equal(scene_fit(&s, 2, 4, 0, ROLE_TEXT, "ab"), 0);
	check("abcde\nabcd…\n…\n");
}

static void test_wide(void **state)
{
	(void)state;
	assert_int_equal(scene_width(&s, "漢字"), 4);
	assert_int_equal(scene_text(&s, 0, 0, 3, ROLE_TEXT, "漢字"),
			 2); /* half a character fits not */
	assert_int_equal(scene_text(&s, 1, 0, -1, ROLE_TEXT, "漢字"), 4);
	scene_text(&s, 1, 1, 1, ROLE_TEXT, "x"); /* cuts the first in half */
	scene_text(&s, 2, 9, -1, ROLE_TEXT, "漢"); /* no room at the edge */
	check("漢\n x字\n\n");
	for (int i = 0; i < 30; i++)
		if (s.cells[i].width == 2)
			assert_int_equal(s.cells[i + 1].width, 0);
}

static void test_marks(void **state)
{
	(void)state;
	assert_int_equal(scene_text(&s, 0, 0, -1, ROLE_TEXT, "e\xcc\x81x"), 2);
	/* Without a character to stand on it is dropped. */
	assert_int_equal(scene_text(&s, 1, 0, -1, ROLE_TEXT, "\xcc\x81y"), 1);
	check("e\xcc\x81x\ny\n\n");
}

static void test_hostile(void **state)
{
	char buf[512];

	(void)state;
	scene_text(&s, 0, 0, -1, ROLE_TEXT, "\x1b[31m\x07\r\n\t\x7f");
	scene_text(&s, 1, 0, -1, ROLE_TEXT, "\xff\xfe\xc3");
	scene_text(&s, 2, 0, -1, ROLE_TEXT, "\xc2\x9b" "a\xef\xb8\x8f");
	scene_dump(&s, NULL, buf, sizeof(buf));
	for (const char *c = buf; *c; c++)
		assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
	check("?[31m?????\n???\n?a?\n");
}

static void test_ascii(void **state)
{
	char buf[512];

	(void)state;
	s.ascii = true;
	scene_text(&s, 0, 0, -1, ROLE_TEXT, "●│→…⧗");
	scene_text(&s, 1, 0, -1, ROLE_TEXT, "naïve漢");
	scene_fit(&s, 2, 0, 4, ROLE_TEXT, "abcdef");
	check("*|>+?\nna?ve?\nabc+\n");
	scene_dump(&s, NULL, buf, sizeof(buf));
	for (const char *c = buf; *c; c++)
		assert_in_range((unsigned char)*c, '\n', 0x7e);
}

static void test_dump(void **state)
{
	char roles[64], small[5];

	(void)state;
	scene_text(&s, 0, 0, -1, ROLE_BAD, "loss");
	scene_dump(&s, theme_letter, roles, sizeof(roles));
	assert_string_equal(roles, "bbbb......\n..........\n..........\n");
	scene_dump(&s, theme_letter_mono, roles, sizeof(roles));
	assert_string_equal(roles, "VVVV......\n..........\n..........\n");
	assert_int_equal(scene_dump(&s, NULL, small, sizeof(small)), 7);
	assert_string_equal(small, "loss");
}

static void test_resize(void **state)
{
	(void)state;
	assert_true(scene_resize(&s, 0, -3));
	assert_int_equal(s.rows, 1);
	assert_int_equal(s.cols, 1);
	assert_int_equal(scene_text(&s, 0, 0, -1, ROLE_TEXT, "漢"), 0);
	assert_int_equal(scene_fit(&s, 0, 0, -1, ROLE_TEXT, "abc"), 1);
	check("…\n");
	assert_true(scene_resize(&s, 100, 300));
	check("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
	      "\n\n\n\n\n\n\n\n"
	      "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
	      "\n\n\n\n\n\n\n\n");
}

/* Without colours a loss, a warning, the selection and the heads must still stand out. */
static void test_mono_differs(void **state)
{
	static const enum role must[] = {ROLE_WARN,  ROLE_BAD,	  ROLE_SELECTED,
					 ROLE_TITLE, ROLE_TAB_ON, ROLE_MATCH};

	(void)state;
	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		assert_int_not_equal(theme_roles[must[i]].mono, 0);
	assert_int_not_equal(theme_roles[ROLE_WARN].mono, theme_roles[ROLE_BAD].mono);
	for (int a = 0; a < ROLE_NR; a++) {
		assert_non_null(theme_roles[a].name);
		for (int b = 0; b < a; b++)
			assert_int_not_equal(theme_letter((uint8_t)a), theme_letter((uint8_t)b));
	}
	assert_int_equal(theme_loss(0.01), ROLE_TEXT);
	assert_int_equal(theme_loss(0.011), ROLE_WARN);
	assert_int_equal(theme_loss(0.10), ROLE_WARN);
	assert_int_equal(theme_loss(0.11), ROLE_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_clips, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ascii, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dump, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resize, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mono_differs, setup, teardown),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
