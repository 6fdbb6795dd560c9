/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt and list: editing a line, keeping a selection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/term/input.h"
#include "ui/parts/list.h"
#include "ui/app/prompt.h"

static void type(struct prompt *p, const char *text)
{
	for (; *text; text++)
		assert_int_equal(prompt_key(p, (unsigned char)*text), PROMPT_EDITED);
}

static void test_editing(void **state)
{
	struct prompt p = {0};

	(void)state;
	prompt_open(&p, PROMPT_FILTER, "");
	type(&p, "gzip clang");
	assert_int_equal(prompt_key(&p, INPUT_CTRL('w')), PROMPT_EDITED);
	assert_string_equal(p.text, "gzip ");
	assert_int_equal(prompt_key(&p, INPUT_HOME), PROMPT_MOVED);
	type(&p, "!");
	assert_string_equal(p.text, "!gzip ");
	assert_int_equal(prompt_key(&p, INPUT_DELETE), PROMPT_EDITED);
	assert_string_equal(p.text, "!zip ");
	prompt_key(&p, INPUT_END);
	assert_int_equal(prompt_key(&p, INPUT_BACKSPACE), PROMPT_EDITED);
	assert_string_equal(p.text, "!zip");
	assert_int_equal(prompt_key(&p, INPUT_CTRL('u')), PROMPT_EDITED);
	assert_string_equal(p.text, "");
	assert_int_equal(prompt_key(&p, INPUT_BACKSPACE), PROMPT_CANCEL);
}

static void test_steps(void **state)
{
	struct prompt p = {0};

	(void)state;
	prompt_open(&p, PROMPT_COMMAND, "sort");
	assert_int_equal(prompt_key(&p, INPUT_TAB), PROMPT_COMPLETE);
	assert_int_equal(prompt_key(&p, INPUT_ENTER), PROMPT_DONE);
	assert_int_equal(prompt_key(&p, INPUT_ESC), PROMPT_CANCEL);
	assert_int_equal(prompt_key(&p, INPUT_F(5)), PROMPT_SAME);
	assert_int_equal(prompt_key(&p, INPUT_CLICK), PROMPT_SAME);
	prompt_close(&p);
	prompt_open(&p, PROMPT_COMMAND, "");
	assert_int_equal(prompt_key(&p, INPUT_UP), PROMPT_EDITED);
	assert_string_equal(p.text, "sort");
}

static void test_utf8(void **state)
{
	struct prompt p = {0};

	(void)state;
	prompt_open(&p, PROMPT_SEARCH, "a");
	prompt_key(&p, 0xe9);    /* é */
	prompt_key(&p, 0x6f22);  /* 漢 */
	prompt_key(&p, 0x1f600);
	assert_string_equal(p.text, "aé漢😀");
	prompt_key(&p, INPUT_LEFT);
	prompt_key(&p, INPUT_BACKSPACE);
	assert_string_equal(p.text, "aé😀");
	prompt_key(&p, INPUT_RIGHT);
	prompt_key(&p, INPUT_BACKSPACE);
	assert_string_equal(p.text, "aé");
	assert_int_equal(prompt_key(&p, 0x9b), PROMPT_SAME); /* a C1 control */
}

static void test_full(void **state)
{
	char text[2 * PROMPT_MAX];
	struct prompt p = {0};

	(void)state;
	prompt_open(&p, PROMPT_SEARCH, "");
	while (prompt_key(&p, 0x6f22) == PROMPT_EDITED)
		;
	assert_in_range(p.len, PROMPT_MAX - 4, PROMPT_MAX - 1);
	assert_int_equal(p.len % 3, 0);
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	prompt_set(&p, text);
	assert_int_equal(strlen(p.text), PROMPT_MAX - 1);
}

/* --- list ------------------------------------------------------------------------------- */

static uint64_t key_at(const void *rows, size_t i)
{
	return ((const uint64_t *)rows)[i];
}

static bool match_at(const void *rows, size_t i, const char *search)
{
	return ((const uint64_t *)rows)[i] % (uint64_t)atoi(search) == 0;
}

static void sync(struct list *l, const uint64_t *keys, size_t n, size_t height)
{
	list_sync(l, &(struct list_rows){keys, n, key_at, match_at, "5"}, height);
}

static void test_selection_stays(void **state)
{
	static const uint64_t one[] = {1, 2, 3, 4, 5, 6}, turned[] = {6, 5, 4, 3, 2, 1},
			      gone[] = {1, 4};
	struct list l = {0};

	(void)state;
	sync(&l, one, 6, 3);
	assert_int_equal(l.index, 0);
	/* Untouched: first row, whichever that is. */
	sync(&l, turned, 6, 3);
	assert_int_equal(l.index, 0);
	list_move(&l, 1);
	sync(&l, turned, 6, 3);
	assert_int_equal(l.key, 5);
	sync(&l, one, 6, 3);
	assert_int_equal(l.index, 4);
	assert_int_equal(l.top, 2); /* scrolled to be seen */
	sync(&l, one, 6, 1); /* resize */
	assert_int_equal(l.key, 5);
	assert_int_equal(l.top, 4);
	sync(&l, one, 6, 0);
	sync(&l, one, 6, 10);
	assert_int_equal(l.top, 0);
	sync(&l, gone, 2, 3);
	assert_int_equal(l.index, 1);
	assert_int_equal(l.key, 4);
	sync(&l, gone, 0, 3);
	sync(&l, one, 6, 3);
	assert_int_equal(l.key, 4);
}

static void test_moves_are_bounded(void **state)
{
	static const uint64_t keys[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct list l = {0};

	(void)state;
	list_move(&l, -5);
	sync(&l, keys, 8, 4);
	assert_int_equal(l.index, 0);
	list_page(&l, 1);
	sync(&l, keys, 8, 4);
	assert_int_equal(l.index, 3);
	list_last(&l);
	sync(&l, keys, 8, 4);
	assert_int_equal(l.index, 7);
	assert_int_equal(l.top, 4);
	list_first(&l);
	sync(&l, keys, 8, 4);
	assert_int_equal(l.index, 0);
	assert_int_equal(l.top, 0);
}

static void test_seek(void **state)
{
	static const uint64_t keys[] = {5, 1, 2, 10, 3}, none[] = {1, 2};
	struct list l = {0};

	(void)state;
	sync(&l, keys, 5, 5);
	list_seek(&l, 1, true);
	sync(&l, keys, 5, 5);
	assert_int_equal(l.index, 0);
	list_seek(&l, 1, false);
	sync(&l, keys, 5, 5);
	assert_int_equal(l.index, 3);
	list_seek(&l, 1, false); /* round the end */
	sync(&l, keys, 5, 5);
	assert_int_equal(l.index, 0);
	list_seek(&l, -1, false);
	sync(&l, keys, 5, 5);
	assert_int_equal(l.index, 3);
	assert_false(l.missed);
	list_seek(&l, 1, false);
	sync(&l, none, 2, 5);
	assert_true(l.missed);
	list_seek(&l, -1, false);
	sync(&l, none, 0, 5);
	assert_true(l.missed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_editing),         cmocka_unit_test(test_steps),
		cmocka_unit_test(test_utf8),            cmocka_unit_test(test_full),
		cmocka_unit_test(test_selection_stays), cmocka_unit_test(test_moves_are_bounded),
		cmocka_unit_test(test_seek),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
