/* SPDX-License-Identifier: GPL-2.0-or-later */
/* action: one table, no key twice, everything reachable by name and explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "ui/app/action.h"
#include "ui/term/input.h"
#include "ui/app/view.h"

static void test_complete_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < actions_nr; i++) {
		const struct action *a = &actions[i];

		assert_non_null(a->name);
		assert_true(strlen(a->name) > 1);
		assert_null(strchr(a->name, ' '));
		assert_true(a->label && a->label[0]);
		assert_true(a->help && a->help[0]);
		assert_true(a->run || a->take || a->list || a->asks || a->step || a->shows ||
			    a->moves || a->flag);
		assert_in_range(a->group, 0, ACTION_GROUPS - 1);
		assert_ptr_equal(action_by_name(a->name), a);
	}
	for (int g = 0; g < ACTION_GROUPS; g++)
		assert_non_null(action_groups[g]);
}

static void test_no_key_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < actions_nr; i++)
		for (int k = 0; k < ACTION_KEYS && actions[i].keys[k]; k++)
			assert_ptr_equal(action_by_key(actions[i].keys[k]), &actions[i]);
	assert_null(action_by_key(0x1234));
	assert_null(action_by_key(0));
}

/* The keys that the screens promise. */
static void test_promised_keys(void **state)
{
	static const struct {
		uint32_t key;
		const char *name;
	} keys[] = {
	    {'1', "functions"},
	    {'2', "tasks"},
	    {'3', "tree"},
	    {'4', "flame"},
	    {'6', "buffers"},
	    {'/', "search"},
	    {'n', "next-match"},
	    {'N', "previous-match"},
	    {'f', "filter"},
	    {'g', "group"},
	    {'s', "sort"},
	    {'r', "reverse"},
	    {INPUT_ENTER, "open"},
	    {INPUT_ESC, "back"},
	    {INPUT_BACKSPACE, "back"},
	    {' ', "freeze"},
	    {INPUT_LEFT, "earlier"},
	    {INPUT_RIGHT, "later"},
	    {'+', "wider"},
	    {'-', "narrower"},
	    {INPUT_END, "live"},
	    {'z', "zero"},
	    {'e', "event"},
	    {'K', "hide-kernel"},
	    {'U', "hide-user"},
	    {'o', "wall-clock"},
	    {'d', "compare"},
	    {'m', "mark"},
	    {'\'', "jump"},
	    {'p', "pause"},
	    {'w', "write"},
	    {':', "command"},
	    {INPUT_F(1), "help"},
	    {'?', "help"},
	    {'y', "copy"},
	    {'M', "mouse"},
	    {INPUT_CTRL('l'), "redraw"},
	    {'q', "quit"},
	    {INPUT_TAB, "next-view"},
	    {'j', "down"},
	    {'k', "up"},
	    {'h', "earlier"},
	    {'l', "later"},
	    {INPUT_PAGE_UP, "page-up"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_non_null(action_by_key(keys[i].key));
		assert_string_equal(action_by_key(keys[i].key)->name, keys[i].name);
	}
}

/* Key lines and tabs name only what exists, and each digit is a view. */
static void test_views(void **state)
{
	(void)state;
	for (int v = 0; v < VIEW_NR; v++) {
		char keys[256], *name, *rest = keys;

		strncpy(keys, views[v]->keys, sizeof(keys) - 1);
		keys[sizeof(keys) - 1] = '\0';
		while ((name = strsep(&rest, " ")))
			assert_non_null(action_by_name(name));
		if (view_digit((enum view_id)v))
			assert_non_null(action_by_key((uint32_t)view_digit((enum view_id)v)));
	}
	for (char d = '1'; d <= '9'; d++)
		assert_non_null(action_by_key((uint32_t)d));
}

static void test_completion(void **state)
{
	char completed[64], hints[200];

	(void)state;
	action_complete("sor", completed, sizeof(completed), hints, sizeof(hints));
	assert_string_equal(completed, "sort ");
	assert_string_equal(hints, "sort");
	action_complete("hide", completed, sizeof(completed), hints, sizeof(hints));
	assert_string_equal(completed, "hide-");
	assert_string_equal(hints, "hide-kernel, hide-user");
	action_complete("xyz", completed, sizeof(completed), hints, sizeof(hints));
	assert_string_equal(completed, "xyz");
	assert_string_equal(hints, "");
	action_complete("sort se", completed, sizeof(completed), hints, sizeof(hints));
	assert_string_equal(completed, "sort se");
	action_complete("", completed, sizeof(completed), hints, sizeof(hints));
	assert_string_equal(completed, "");
	assert_true(strlen(hints) == sizeof(hints) - 1);
}

static void test_command_errors(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(action_command(NULL, "", &err), 0);
	assert_int_equal(action_command(NULL, "   ", &err), 0);
	assert_int_equal(action_command(NULL, "nonsense", &err), -EINVAL);
	assert_non_null(strstr(err.text, "nonsense"));
	assert_int_equal(action_command(NULL, "hide", &err), -EINVAL);
	assert_non_null(strstr(err.text, "hide-kernel, hide-user"));
}

static void test_key_names(void **state)
{
	char buf[INPUT_NAME];

	(void)state;
	assert_string_equal(input_name(buf, INPUT_F(10)), "F10");
	assert_string_equal(input_name(buf, ' '), "Space");
	assert_string_equal(input_name(buf, INPUT_CTRL('l')), "Ctrl-L");
	assert_string_equal(input_name(buf, 'q'), "q");
	assert_string_equal(input_name(buf, 0xe9), "U+00E9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_rows),  cmocka_unit_test(test_no_key_twice),
		cmocka_unit_test(test_promised_keys),  cmocka_unit_test(test_views),
		cmocka_unit_test(test_completion),     cmocka_unit_test(test_command_errors),
		cmocka_unit_test(test_key_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
