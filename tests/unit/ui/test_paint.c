/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Painting in parts.  The terminal is ours: it notes what was put.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/paint.h"

#define ROWS 20
#define COLS 30

static char shown[ROWS][COLS + 1];
static unsigned puts_nr, flushes;

void terminal_put(struct terminal *t, int y, int x, const struct cell *c)
{
	(void)t;
	shown[y][x] = (char)c->ch;
	puts_nr++;
}

void terminal_flush(struct terminal *t)
{
	(void)t;
	flushes++;
}

void terminal_redraw(struct terminal *t)
{
	(void)t;
	memset(shown, ' ', sizeof(shown));
}

static void fill(struct scene *s, char with)
{
	char text[COLS + 1];

	memset(text, with, COLS);
	text[COLS] = '\0';
	for (int y = 0; y < ROWS; y++)
		scene_text(s, y, 0, -1, ROLE_TEXT, text);
}

static void check_rows(int from, int to, char want)
{
	for (int y = from; y < to; y++)
		for (int x = 0; x < COLS; x++)
			if (shown[y][x] != want)
				fail_msg("%d,%d: '%c', not '%c'", y, x, shown[y][x], want);
}

static int setup(void **state)
{
	static struct scene s;

	memset(shown, 0, sizeof(shown));
	puts_nr = flushes = 0;
	s = (struct scene){.ascii = true};
	*state = &s;
	return scene_resize(&s, ROWS, COLS) ? 0 : -1;
}

static int teardown(void **state)
{
	scene_free(*state);
	return 0;
}

static void test_whole(void **state)
{
	struct scene *s = *state;
	struct paint p = {.next = 0};

	fill(s, 'a');
	assert_true(paint_begin(&p, s, false));
	assert_false(paint_rows(&p, NULL, s, SIZE_MAX));
	check_rows(0, ROWS, 'a');
	assert_int_equal(p.frames, 1);
	puts_nr = 0;
	assert_true(paint_begin(&p, s, false));
	assert_false(paint_rows(&p, NULL, s, SIZE_MAX));
	assert_int_equal(puts_nr, 0); /* nothing has changed */
	paint_redraw(&p, NULL);
	assert_true(paint_begin(&p, s, false));
	assert_false(paint_rows(&p, NULL, s, SIZE_MAX));
	check_rows(0, ROWS, 'a');
	paint_free(&p);
}

/* Each part is flushed, and all of it comes in the end. */
static void test_parts(void **state)
{
	struct scene *s = *state;
	struct paint p = {.next = 0};
	unsigned parts = 1;

	fill(s, 'a');
	assert_true(paint_begin(&p, s, false));
	assert_true(paint_rows(&p, NULL, s, 120));
	check_rows(0, 2, 'a');
	check_rows(3, ROWS, '\0');
	while (paint_rows(&p, NULL, s, 1)) /* at least a row */
		parts++;
	assert_in_range(parts, ROWS - 4, ROWS);
	check_rows(0, ROWS, 'a');
	assert_int_equal(p.frames, 1);
	assert_int_equal(flushes, parts + 1);
	paint_free(&p);
}

/* What a key changes is not behind what was due before it, and that comes too. */
static void test_urgent(void **state)
{
	struct scene *s = *state;
	struct paint p = {.next = 0};

	fill(s, 'a');
	assert_true(paint_begin(&p, s, false));
	assert_false(paint_rows(&p, NULL, s, SIZE_MAX));
	fill(s, 'b');
	assert_true(paint_begin(&p, s, false));
	assert_true(paint_rows(&p, NULL, s, 1));
	check_rows(0, 1, 'b');
	check_rows(1, ROWS, 'a');
	scene_text(s, 17, 0, 1, ROLE_TEXT, "c");
	assert_true(paint_begin(&p, s, true));
	assert_true(paint_rows(&p, NULL, s, 1));
	assert_int_equal(shown[17][0], 'c');
	check_rows(1, 17, 'a');
	assert_true(paint_rows(&p, NULL, s, 1));
	check_rows(1, 2, 'b'); /* where it was left */
	check_rows(2, 17, 'a');
	while (paint_rows(&p, NULL, s, 1))
		;
	check_rows(0, 17, 'b');
	check_rows(18, ROWS, 'b');
	assert_int_equal(shown[17][0], 'c');
	assert_int_equal(shown[17][1], 'b');
	paint_free(&p);
}

/* Frames that never end before the next begins leave no row behind. */
static void test_in_turn(void **state)
{
	struct scene *s = *state;
	struct paint p = {.next = 0};
	bool seen[ROWS] = {false};

	for (int i = 0; i < ROWS; i++) {
		fill(s, (char)('a' + i));
		assert_true(paint_begin(&p, s, false));
		paint_rows(&p, NULL, s, 1);
		for (int y = 0; y < ROWS; y++)
			seen[y] |= shown[y][0] == 'a' + i;
	}
	for (int y = 0; y < ROWS; y++)
		if (!seen[y])
			fail_msg("row %d had no turn", y);
	paint_free(&p);
}

static void test_size(void **state)
{
	struct scene *s = *state;
	struct paint p = {.next = 0};

	fill(s, 'a');
	assert_true(paint_begin(&p, s, false));
	assert_true(paint_rows(&p, NULL, s, 1));
	assert_true(scene_resize(s, 3, 10));
	scene_text(s, 2, 0, -1, ROLE_TEXT, "zzzzzzzzzz");
	puts_nr = 0;
	assert_true(paint_begin(&p, s, true));
	assert_false(paint_rows(&p, NULL, s, SIZE_MAX));
	assert_int_equal(puts_nr, 30);
	assert_memory_equal(shown[2], "zzzzzzzzzz", 10);
	paint_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_urgent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_turn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_size, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
