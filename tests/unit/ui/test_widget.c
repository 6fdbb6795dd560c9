/* SPDX-License-Identifier: GPL-2.0-or-later */
/* widget: gauges, trends, lines that give way, tables that drop columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/parts/widget.h"

static void test_gauge(void **state)
{
	char buf[64];

	(void)state;
	widget_gauge(buf, sizeof(buf), 6, 0.5, false);
	assert_string_equal(buf, "▕██  ▏");
	widget_gauge(buf, sizeof(buf), 6, 0.3125, false);
	assert_string_equal(buf, "▕█▎  ▏");
	widget_gauge(buf, sizeof(buf), 6, 7, false);
	assert_string_equal(buf, "▕████▏");
	widget_gauge(buf, sizeof(buf), 6, NAN, true);
	assert_string_equal(buf, "[    ]");
	widget_gauge(buf, sizeof(buf), 6, 0.4, true);
	assert_string_equal(buf, "[#=  ]");
	widget_gauge(buf, sizeof(buf), 2, 1, true);
	assert_string_equal(buf, "");
}

static void test_trend(void **state)
{
	static const float rise[] = {0, 0.001f, 0.25f, 0.5f}, none[] = {0, 0},
			   noise[] = {0.30f, 0.305f};
	char buf[64];

	(void)state;
	widget_trend(buf, sizeof(buf), rise, 4, false);
	assert_string_equal(buf, " ▁▄█");
	widget_trend(buf, sizeof(buf), rise, 4, true);
	assert_string_equal(buf, " _-#");
	widget_trend(buf, sizeof(buf), none, 2, false);
	assert_string_equal(buf, "  ");
	widget_trend(buf, sizeof(buf), noise, 2, false); /* noise is not a change */
	assert_string_equal(buf, "▅▅");
}

static void test_percent(void **state)
{
	char buf[16];

	(void)state;
	widget_percent(buf, sizeof(buf), 0.25129);
	assert_string_equal(buf, "25.13");
	widget_percent(buf, sizeof(buf), 1);
	assert_string_equal(buf, "100.00");
	widget_percent(buf, sizeof(buf), NAN);
	assert_string_equal(buf, "-");
	widget_percent(buf, sizeof(buf), -1);
	assert_string_equal(buf, "-");
}

static void line_at(int cols, const char *want)
{
	struct widget_line l = {.nr = 0};
	struct scene s = {0};
	char buf[256];

	assert_true(scene_resize(&s, 1, cols));
	strcpy(widget_segment(&l, ROLE_TEXT, 0, 0, "long words")->brief, "short");
	widget_segment(&l, ROLE_TEXT, 2, 2, "first to go");
	widget_segment(&l, ROLE_TEXT, 1, 2, "right")->right = true;
	widget_line_draw(&s, 0, &l);
	scene_dump(&s, NULL, buf, sizeof(buf));
	assert_string_equal(buf, want);
	scene_free(&s);
}

static void test_line(void **state)
{
	(void)state;
	line_at(40, " long words  first to go          right\n");
	line_at(30, " short  first to go     right\n");
	line_at(24, " short            right\n");
	line_at(8, "short\n");
	line_at(3, "sh…\n");
}

static enum role text_number(const struct widget_cell *cell, char *buf, size_t size)
{
	snprintf(buf, size, "%d", *(const int *)cell->row);
	return ROLE_TEXT;
}

static void test_table(void **state)
{
	static const struct widget_column columns[] = {
		{"A", 4, 0, 0, 0, true, 0, text_number, NULL},
		{"B", 4, 1, 6, 1, false, 1, text_number, NULL},
		{"NAME", 6, 1, 0, 0, false, -1, text_number, NULL},
	};
	struct widget_table t = {.columns = columns, .nr = 3};
	struct scene s = {0};
	char buf[256];
	int row = 42;

	(void)state;
	widget_table_layout(&t, 0, 30, 0);
	assert_int_equal(t.width[0], 4);
	assert_int_equal(t.width[1], 6);
	assert_int_equal(t.x[2] + t.width[2], 30);
	widget_table_layout(&t, 0, 12, 0);
	assert_int_equal(t.width[1], 0); /* dropped */
	assert_int_equal(t.x[2] + t.width[2], 12);
	widget_table_layout(&t, 1, 3, 0); /* nothing fits: clipped, not broken */
	assert_true(scene_resize(&s, 2, 3));
	widget_table_head(&s, 0, 3, &t, NULL, 0, false);
	widget_table_row(&s, 1, 3, &t, NULL, &row, true);
	scene_free(&s);
	s = (struct scene){0};
	assert_true(scene_resize(&s, 2, 16));
	widget_table_layout(&t, 1, 16, 1u << 1);
	widget_table_head(&s, 0, 16, &t, NULL, 0, false);
	widget_table_row(&s, 1, 16, &t, NULL, &row, true);
	scene_dump(&s, NULL, buf, sizeof(buf));
	assert_string_equal(buf, "    A▼NAME\n▌  42 42\n");
	scene_dump(&s, theme_letter, buf, sizeof(buf));
	assert_string_equal(buf, "ttttTTtttttttttt\nSSSSSSSSSSSSSSSS\n");
	widget_table_head(&s, 0, 16, &t, NULL, 0, true);
	scene_dump_lines(&s, 0, 1, NULL, buf, sizeof(buf));
	assert_string_equal(buf, "    A▲NAME\n");
	scene_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_gauge),   cmocka_unit_test(test_trend),
	    cmocka_unit_test(test_percent), cmocka_unit_test(test_line),
	    cmocka_unit_test(test_table),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
