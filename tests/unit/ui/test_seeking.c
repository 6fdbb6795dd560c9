/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going back beyond what memory holds, in the file that the session is saved to, while it goes on. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "measure/session/session.h"
#include "tests/synth.h"
#include "link/timeline/saver.h"
#include "ui/app/app.h"
#include "ui/app/app_input.h"
#include "ui/app/seeking.h"
#include "ui/parts/timeline.h"
#include "ui/term/input.h"
#include "ui/views/view_changes.h"

#define SPAN   (10 * NSEC_PER_SEC)
#define TENTHS 3000 /* five minutes, of which memory holds but a part */
#define BUDGET (400u << 10)
#define PATIENCE (20 * NSEC_PER_SEC)
#define UNWRITTEN NSEC_PER_SEC /* of the newest the file has not all */
#define LAG	  (NSEC_PER_SEC / 2) /* and UNWRITTEN: fewer slices than OUTBOX_MAX */

static const struct synth_config config = {.functions = 200, .callchains = true, .tasks = 20, .losses = true};

struct stage {
	char path[64];
	struct session *inner, *session;
	bool saves;
	struct model *model;
	struct app *app;
	uint64_t self, attributed; /* of the window that is forgotten */
};

static const struct window early = {2 * SPAN, 3 * SPAN};

static uint64_t self_of(struct model *m, struct window w, const char *name, uint64_t *attributed)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};
	const struct rows *rows = model_rows(m, &q, w);

	assert_non_null(rows);
	*attributed = rows->attributed;
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, name))
			return rows->row[i].self;
	return 0;
}

/* The saver's thread has written up to that time. */
static void wait_saved(struct stage *g, uint64_t time)
{
	uint64_t deadline = clock_ns() + PATIENCE, end = 0;
	struct err err = {0};

	while (end < time && clock_ns() < deadline) {
		struct session *s = g->session->ops->saved(g->session, &err);

		end = s ? s->info.begins + s->info.length : 0;
		session_close(s);
		sched_yield();
	}
	assert_true(end >= time);
}

static void advance(struct stage *g, unsigned ticks)
{
	bool rows;

	for (; ticks; ticks--) {
		synth_advance(g->inner, 1);
		assert_int_equal(app_take(g->app, UINT64_MAX, &rows, NULL), 0);
		app_follow(g->app);
		/* Or the saver would merge what it has not come to. */
		if (g->saves && model_now(g->model) % LAG == 0 && model_now(g->model) > UNWRITTEN)
			wait_saved(g, model_now(g->model) - UNWRITTEN);
		if (model_now(g->model) == early.to + SPAN)
			g->self = self_of(g->model, early, "parse_expr", &g->attributed);
	}
	app_draw(g->app);
}

static void stage_open(struct stage *g, bool save)
{
	struct ui_options o = {.show.ascii = true};
	struct err err = {0};

	*g = (struct stage){.path = "/tmp/test_seeking.XXXXXX", .saves = save};
	assert_non_null(mkdtemp(g->path));
	strcat(g->path, "/saved");
	g->inner = synth_session_create(&config);
	g->session = saver_open(g->inner, &(struct saver_config){.path = save ? g->path : NULL}, &err);
	assert_non_null(g->session);
	g->model = model_create(&g->session->info, BUDGET);
	g->app = app_create(g->session, g->model, &o, &err);
	assert_non_null(g->app);
	assert_true(scene_resize(&g->app->scene, 24, 140));
	g->app->span = SPAN;
	advance(g, TENTHS);
	assert_true(model_first(g->model) > early.to && g->self && g->attributed > g->self);
}

static void stage_close(struct stage *g)
{
	app_free(g->app);
	model_free(g->model);
	session_close(g->session);
	unlink(g->path);
	*strrchr(g->path, '/') = '\0';
	rmdir(g->path);
}

static bool shows(struct stage *g, const char *text)
{
	static char buf[100000];

	app_draw(g->app);
	assert_true(scene_dump(&g->app->scene, NULL, buf, sizeof(buf)) < sizeof(buf));
	return strstr(buf, text);
}

static void press(struct stage *g, uint32_t key)
{
	app_input(g->app, &(struct input){.key = key});
	app_draw(g->app);
}

/* By key <, window by window; each begins where the one before ended. */
static void go_back(struct stage *g, uint64_t to)
{
	for (int i = 0; i < TENTHS / 10 && app_window(g->app).from > to; i++) {
		struct window before = app_window(g->app), w;

		press(g, '<');
		w = app_window(g->app);
		assert_true(g->app->held && w.to == before.from && w.from < w.to);
	}
}

static void test_back_and_forth(void **state)
{
	uint64_t attributed, now;
	struct window w;
	struct stage g;

	(void)state;
	stage_open(&g, true);
	wait_saved(&g, (TENTHS / 10 - 1) * NSEC_PER_SEC);
	go_back(&g, early.from);
	assert_int_equal(app_window(g.app).from, early.from);
	assert_true(g.app->model != g.app->own && seeking_in_file(g.app));
	assert_true(shows(&g, "from the file, of ") && shows(&g, "parse_expr"));
	assert_true(timeline_whole(g.app));
	assert_int_equal(self_of(g.app->model, app_window(g.app), "parse_expr", &attributed), g.self);
	assert_int_equal(attributed, g.attributed);
	/* What comes goes on, and what is shown stands. */
	now = model_now(g.app->own);
	w = app_window(g.app);
	advance(&g, 20);
	assert_int_equal(model_now(g.app->own), now + 2 * NSEC_PER_SEC);
	assert_int_equal(app_window(g.app).from, w.from);
	assert_int_equal(app_window(g.app).to, w.to);
	for (int i = 0; i < TENTHS && g.app->held; i++) {
		w = app_window(g.app);
		press(&g, '>');
		assert_true(!g.app->held || app_window(g.app).from == w.to);
	}
	assert_true(!g.app->held && !seeking_in_file(g.app) && !shows(&g, "from the file"));
	go_back(&g, early.from - SPAN);
	press(&g, INPUT_END);
	assert_true(!g.app->held && g.app->model == g.model);
	stage_close(&g);
}

/* To the very beginning, and no further; a baseline from there is held against what is now. */
static void test_begin_and_compare(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, true);
	wait_saved(&g, (TENTHS / 10 - 1) * NSEC_PER_SEC);
	go_back(&g, 0);
	assert_int_equal(app_window(g.app).from, 0);
	press(&g, '<');
	assert_true(shows(&g, "the history begins here"));
	press(&g, 'd');
	assert_true(g.app->comparing && !g.app->held && !seeking_in_file(g.app));
	assert_true(view_changes_state(g.app)->comparison.nr > 100 && !view_changes_state(g.app)->comparison.significant);
	press(&g, '3');
	assert_true(shows(&g, "0 places changed"));
	press(&g, '1');
	go_back(&g, early.from);
	assert_true(view_changes_state(g.app)->comparison.nr > 100 && !view_changes_state(g.app)->comparison.significant);
	stage_close(&g);
}

/* Where nothing is saved there is what memory holds, and it is said what would hold more. */
static void test_not_saved(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, false);
	seeking_go(g.app, "-280");
	assert_true(!seeking_in_file(g.app));
	for (int i = 0; i < TENTHS && !shows(&g, "the history begins here"); i++)
		press(&g, '<');
	assert_true(shows(&g, "the history begins here") && !seeking_in_file(g.app));
	stage_close(&g);
}

/* A file that is gone is said, and what memory holds is there. */
static void test_gone(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, true);
	wait_saved(&g, (TENTHS / 10 - 1) * NSEC_PER_SEC);
	unlink(g.path);
	for (int i = 0; i < TENTHS && !shows(&g, "cannot read older data"); i++)
		press(&g, '<');
	assert_true(shows(&g, "cannot read older data") && !seeking_in_file(g.app));
	stage_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back_and_forth),
		cmocka_unit_test(test_begin_and_compare),
		cmocka_unit_test(test_not_saved),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
