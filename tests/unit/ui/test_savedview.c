/* SPDX-License-Identifier: GPL-2.0-or-later */
/* savedview: what is shown, written and gone to again, is shown again; what is none is said. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/synth.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/app/savedview.h"
#include "ui/app/zoom.h"
#include "ui/term/input.h"

static struct app *a;
static struct model *m;
static struct session *s;
static struct err err;

static int begin(void **state)
{
	static const char *const saved[] = {"gzip: tasks; group thread; sort name up; window 30; filter task:gzip; ok"};
	const struct ui_options o = {.saved = saved, .nsaved = 1};
	const struct synth_config config = {.functions = 30, .callchains = true};
	bool rows;

	(void)state;
	err = (struct err){.code = 0};
	s = synth_session_create(&config);
	m = s ? model_create(&s->info, 16u << 20) : NULL;
	a = m ? app_create(s, m, &o, &err) : NULL;
	if (!a)
		return -1;
	synth_advance(s, 30);
	if (app_take(a, UINT64_MAX, &rows, NULL))
		return -1;
	app_follow(a);
	return 0;
}

static int end(void **state)
{
	(void)state;
	app_free(a);
	model_free(m);
	session_close(s);
	return 0;
}

static void command(const char *line)
{
	assert_int_equal(action_command(a, line, &err), 0);
}

static void test_go(void **state)
{
	(void)state;
	command("hide-kernel");
	command("view gzip");
	assert_int_equal(a->view, VIEW_TASKS);
	assert_int_equal(a->table[VIEW_TASKS].group, GROUP_THREAD);
	assert_int_equal(a->table[VIEW_TASKS].sort, SORT_NAME);
	assert_true(a->table[VIEW_TASKS].reverse);
	assert_int_equal(a->span, 30000000000);
	assert_string_equal(a->filter_text, "task:gzip; ok");
	assert_false(a->hide_kernel);
	command("view gzip"); /* the order is not turned round by coming twice */
	assert_true(a->table[VIEW_TASKS].reverse);
	command("view functions; sort object");
	assert_int_equal(a->view, VIEW_FUNCTIONS);
	assert_int_equal(a->table[VIEW_FUNCTIONS].sort, SORT_OBJECT);
	assert_string_equal(a->filter_text, "");
}

/* Written, changed, gone to again, and written again: the same. */
static void test_round(void **state)
{
	static const char *const shown[] = {
		"functions", "tasks", "tree", "flame", "buffers", "functions; sort total", "functions; reverse; window all",
		"tasks; group command; sort peak; filter !task:clang", "functions; hide-user; window 2.5",
	};
	char first[SAVEDVIEW_TEXT], again[SAVEDVIEW_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		assert_int_equal(savedview_go(a, shown[i], &err), 0);
		assert_int_equal(savedview_write(a, "x", first, sizeof(first), &err), 0);
		assert_int_equal(savedview_add(a->saved, first, &err), 0);
		assert_int_equal(savedview_go(a, "gzip", &err), 0);
		assert_int_equal(savedview_go(a, "x", &err), 0);
		assert_int_equal(savedview_write(a, "x", again, sizeof(again), &err), 0);
		assert_string_equal(first, again);
	}
	assert_int_equal(a->saved->nr, 2);
}

/* Where one has zoomed to is a filter like any other. */
static void test_zoomed(void **state)
{
	char text[SAVEDVIEW_TEXT];

	(void)state;
	command("tasks");
	app_draw(a);
	command("only");
	assert_int_equal(a->zoom->nr, 1);
	assert_int_equal(savedview_write(a, "it", text, sizeof(text), &err), 0);
	assert_non_null(strstr(text, "; filter pid:"));
	assert_int_equal(savedview_add(a->saved, text, &err), 0);
	assert_int_equal(savedview_go(a, "it", &err), 0);
	assert_int_equal(a->zoom->nr, 0);
	assert_int_equal(strncmp(a->filter_text, "pid:", 4), 0);
}

static void test_wrong(void **state)
{
	static const char *const wrong[] = {"", "x", ":tasks", "a b: tasks", "\033: tasks",
					    "a-name-that-is-longer-than-any-may-be: tasks"};
	char text[SAVEDVIEW_TEXT], name[8];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(savedview_add(a->saved, wrong[i], &err), -EINVAL);
	assert_int_equal(savedview_go(a, "nothing-such", &err), -EINVAL);
	assert_int_equal(savedview_go(a, "functions; filter (", &err), 0); /* the screen says what is wrong with it */
	assert_non_null(strstr(a->message, "("));
	assert_int_equal(savedview_write(a, "a b", text, sizeof(text), &err), -EINVAL);
	command("help");
	assert_int_equal(savedview_write(a, "x", text, sizeof(text), &err), -EINVAL);
	command("functions");
	assert_int_equal(savedview_write(a, "x", text, 20, &err), -E2BIG);
	for (unsigned i = a->saved->nr; i < SAVEDVIEW_MAX; i++) {
		snprintf(name, sizeof(name), "v%u:", i);
		assert_int_equal(savedview_add(a->saved, name, &err), 0);
	}
	assert_int_equal(savedview_add(a->saved, "more:", &err), -E2BIG);
	assert_int_equal(savedview_add(a->saved, "v9: tree", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_go, begin, end),
		cmocka_unit_test_setup_teardown(test_round, begin, end),
		cmocka_unit_test_setup_teardown(test_zoomed, begin, end),
		cmocka_unit_test_setup_teardown(test_wrong, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
