/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/app.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/namefold.h"
#include "base/text.h"
#include "model/judge/condition_actions.h"
#include "model/rows/rowfilter.h"
#include "ui/app/callpaths.h"
#include "ui/app/frame.h"
#include "ui/app/grouping.h"
#include "ui/app/lateness.h"
#include "ui/app/marking.h"
#include "ui/app/questions.h"
#include "ui/app/savedview.h"
#include "ui/app/seeking.h"
#include "ui/app/zoom.h"
#include "ui/code/editor.h"
#include "ui/parts/eventcolumns.h"
#include "ui/parts/timeline.h"
#include "ui/parts/wallclock.h"
#include "ui/views/view_changes.h"

#define SPAN_START (5 * NSEC_PER_SEC)
#define SAY_NS     (6 * NSEC_PER_SEC)

/* The app and its parts in one block, so that app.h needs not know them. */
struct whole {
	struct app app;
	struct seeking seeking;
	struct callpaths callpaths;
	struct marking marking;
	struct grouping grouping;
	struct questions questioning;
	struct eventcolumns beside;
	struct zoom zoom;
	struct timeline_state line;
	struct savedviews saved;
	struct lateness lateness;
	struct editor_file edit;
};

/* Allocate the app, zeroed, with its parts.  NULL: out of memory. */
static struct app *allocate_app(void)
{
	struct whole *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->app.seeking = &w->seeking;
	w->app.callpaths = &w->callpaths;
	w->app.marking = &w->marking;
	w->app.grouping = &w->grouping;
	w->app.questioning = &w->questioning;
	w->app.beside = &w->beside;
	w->app.zoom = &w->zoom;
	w->app.line = &w->line;
	w->app.saved = &w->saved;
	w->app.lateness = &w->lateness;
	w->app.edit = &w->edit;
	return &w->app;
}

/* Load the saved views, show the first view, and set the filter. */
static int begin_view(struct app *a, struct err *err)
{
	const struct ui_options *o = &a->options;

	for (unsigned i = 0; i < o->nsaved; i++)
		if (savedview_add(a->saved, o->saved[i], err))
			return err_option(err, "--saved-view");
	if (o->show.view && savedview_go(a, o->show.view, err))
		return err_option(err, "--view");
	return o->show.filter ? app_set_filter(a, o->show.filter, err) : 0;
}

/* False: out of memory. */
static bool begin_states(struct app *a)
{
	for (int v = 0; v < VIEW_NR; v++) {
		a->table[v].group = views[v]->group;
		a->table[v].sort = views[v]->sort;
		if (views[v]->state_size)
			a->state[v] = calloc(1, views[v]->state_size);
		if (views[v]->state_size && !a->state[v])
			return false;
	}
	return true;
}

struct app *app_create(struct session *s, struct model *m, const struct ui_options *o,
		       struct err *err)
{
	struct app *a = allocate_app();

	if (!a)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	a->session = s;
	a->own = a->model = m;
	a->clock = clock_ns;
	a->options = *o;
	if (!(a->options.show.delay > 0))
		a->options.show.delay = 1;
	a->show_self = o->show.show_self;
	a->show_idle = o->show.show_idle;
	a->scene.ascii = o->show.ascii;
	a->mono = o->show.mono;
	a->span = SPAN_START;
	if (!begin_states(a) || !scene_resize(&a->scene, 24, 80)) {
		err_set(err, ENOMEM, "out of memory");
		app_free(a);
		return NULL;
	}
	if (begin_view(a, err)) {
		app_free(a);
		return NULL;
	}
	if (s->info.note[0])
		app_say(a, ROLE_WARN, "%s", s->info.note);
	if (o->notice)
		app_say(a, ROLE_WARN, "%s", o->notice);
	app_hurry(a);
	app_follow(a);
	for (int v = 0; v < VIEW_NR; v++)
		if (views[v]->begin)
			views[v]->begin(a);
	return a;
}

void app_free(struct app *a)
{
	if (!a)
		return;
	rowfilter_free(a->filter);
	rowfilter_free(a->parts.filter);
	savedview_clear(a->saved);
	for (int v = 0; v < VIEW_NR; v++) {
		if (a->state[v] && views[v]->state_free)
			views[v]->state_free(a->state[v]);
		free(a->state[v]);
	}
	grouping_free(a->grouping);
	seeking_free(a->seeking);
	scene_free(&a->scene);
	free(a->copy);
	free(a);
}

/* --- slices ----------------------------------------------------------------------------- */

static void say_snapshots(struct app *a, const struct slice *s)
{
	for (size_t i = 0; i < s->nsnapshots; i++)
		if (s->snapshots[i].state == SNAPSHOT_WRITTEN)
			app_say(a, ROLE_STRONG, "snapshot %u is in %s: ringtop -i %s opens it",
				s->snapshots[i].nr, s->snapshots[i].file, s->snapshots[i].file);
}

static void say_logs(struct app *a, const struct slice *s)
{
	for (size_t i = 0; i < s->nlogs; i++)
		if (s->logs[i].level == SLICE_WARNING)
			app_say(a, ROLE_WARN, "%s", s->logs[i].text);
}

static int session_ended(struct app *a, int ret, struct err *err)
{
	a->ended = true;
	if (ret != -ESHUTDOWN)
		return err_set(err, -ret, "the session failed: %s", strerror(-ret));
	if (a->session->ops->end)
		a->session->ops->end(a->session, &a->end);
	if (a->end.text[0])
		app_say(a, a->end.error ? ROLE_BAD : ROLE_STRONG, "%s", a->end.text);
	/* The readable part of a broken file stays on the screen, with the error beside it. */
	if (a->end.error && model_info(a->own)->live)
		return err_set(err, -a->end.error, "%s",
			       a->end.text[0] ? a->end.text : strerror(-a->end.error));
	return ret;
}

int app_take(struct app *a, uint64_t until, bool *rows, struct err *err)
{
	*rows = false;
	/* Bounds keep a backlog, or slices of 100 000 rows, from making the keys wait. */
	for (int i = 0; i < 32 && (!i || clock_ns() < until); i++) {
		struct slice *s = NULL;
		int ret = session_next(a->session, &s);

		if (ret)
			return a->ended ? -ESHUTDOWN : session_ended(a, ret, err);
		if (!s)
			return a->ended ? -ESHUTDOWN : 0;
		lateness_note(a->lateness, a->clock(), s->start, s->end);
		a->answered |= s->ncodes > 0;
		*rows |= s->nrows > 0;
		say_snapshots(a, s);
		say_logs(a, s);
		ret = model_add(a->own, s);
		if (ret)
			return err_set(err, -ret, "cannot process the data: %s", strerror(-ret));
		if (a->options.conditions)
			a->answered |= conditions_serve(a->options.conditions, a->own, a->session);
	}
	return a->ended ? -ESHUTDOWN : 0;
}

void app_hurry(struct app *a)
{
	a->hurry_until = clock_ns() + NSEC_PER_SEC;
}

uint64_t app_now(const struct app *a)
{
	uint64_t last = model_counted(a->model), first = model_first(a->model), now;

	if (!a->paused || seeking_in_file(a))
		return model_now(a->model);
	now = last > a->paused_at ? last : a->paused_at;
	return now > first ? now : first; /* the model may have forgotten all before the pause */
}

struct window app_window_to(const struct app *a, uint64_t to)
{
	return (struct window){a->span && to > a->span ? to - a->span : 0, to};
}

void app_follow(struct app *a)
{
	callpaths_follow(a);
	wallclock_follow(a);
	questions_follow(a);
	if (a->held)
		return;
	a->to = app_now(a);
	model_hold(a->model, a->paused ? app_window_to(a, a->to) : view_changes_hold(a));
}

void app_hold(struct app *a, struct window w)
{
	struct window kept = model_kept(a->model, w);

	a->held = true;
	a->at = kept.from < kept.to ? kept : w;
	model_hold(a->model, a->at);
}

void app_live(struct app *a)
{
	seeking_leave(a);
	a->held = a->frozen = false;
	if (a->picked)
		app_span(a, a->live_span);
	app_follow(a);
}

void app_span(struct app *a, uint64_t span)
{
	a->span = span;
	a->picked = false;
	if (a->held)
		app_hold(a, app_window_to(a, a->at.to));
}

/* Bounded by the slices that are kept, so that all callers use the same stretch. */
struct window app_window(const struct app *a)
{
	struct window w = a->held ? a->at : app_window_to(a, a->to), kept;

	if (!a->held && !a->span)
		return WINDOW_ALL;
	kept = model_kept(a->model, w);
	return kept.from < kept.to ? kept : w;
}

bool app_forgotten(const struct app *a)
{
	uint64_t first = model_first(a->model);

	/* A live window with nothing kept at all: no slice has come yet. */
	return app_window(a).to <= first && (a->held || first < model_now(a->model));
}

uint64_t app_behind(const struct app *a)
{
	bool still =
		a->held || a->paused || a->ended || a->model != a->own || !model_info(a->own)->live;

	return still ? 0
		     : lateness_of(a->lateness, a->clock(), a->to,
				   (uint64_t)(a->options.show.delay * (double)NSEC_PER_SEC));
}

struct query app_query(const struct app *a, const struct table_state *t)
{
	struct query q = {
		.event = a->event,
		.group = t->group,
		.sort = t->sort,
		.reverse = t->reverse,
		.hide_kernel = a->hide_kernel,
		.hide_idle = !a->show_idle,
		.hide_user = a->hide_user,
		.show_self = a->show_self,
		.filter = a->filter,
	};

	wallclock_query(a, &q);
	return q;
}

const struct session_event *app_event(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	return a->event < info->nevents ? &info->events[a->event] : NULL;
}

/* --- state ------------------------------------------------------------------------------ */

void app_say(struct app *a, enum role role, const char *fmt, ...)
{
	char raw[APP_MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	text_escape(a->message, sizeof(a->message), raw);
	a->message_role = role;
	a->message_until = clock_ns() + SAY_NS;
}

bool app_sure(struct app *a, const char *question)
{
	/* A confirmation is for one question only. */
	if (a->sure && (!a->asked || !strcmp(a->asked, question)))
		return true;
	app_say(a, ROLE_WARN, "%s", question);
	a->asked = question;
	a->asked_until = clock_ns() + SAY_NS;
	return false;
}

int app_set_filter(struct app *a, const char *text, struct err *err)
{
	char words[ZOOM_LEVELS * ZOOM_WORDS], whole[APP_FILTER + sizeof(words)],
		names[8 * SLICE_FIELD_NAMES];
	struct rowfilter *filter = NULL;
	int ret;

	zoom_words(a->zoom, words, sizeof(words));
	text_append(whole, sizeof(whole), 0, "%s%s", text, words);
	session_by_names(model_info(a->model), names, sizeof(names));
	ret = rowfilter_compile_keys(whole, names, &filter, err);
	if (ret)
		return ret;
	rowfilter_free(a->filter);
	a->filter = filter;
	a->filters++;
	if (text != a->filter_text)
		text_escape(a->filter_text, sizeof(a->filter_text), text);
	return 0;
}

bool app_step(struct app *a, enum view_step step)
{
	return views[a->view]->step && views[a->view]->step(a, step);
}

void app_show(struct app *a, enum view_id view)
{
	if (view == VIEW_FUNCTIONS && a->comparing)
		view = VIEW_CHANGES;
	if (view == VIEW_CHANGES)
		a->back = VIEW_FUNCTIONS; /* it is under the tab of Functions */
	else if (!view_digit(view) && view_digit(a->view))
		a->back = a->view;
	if (view != a->view && views[view]->enter)
		views[view]->enter(a);
	a->view = view;
	a->panel = false;
}

void app_choose(struct app *a, enum view_id view)
{
	if (!views[view]->choose || views[view]->choose(a))
		app_show(a, a->view == view && !view_digit(view) ? a->back : view);
}

void app_zone(struct app *a, struct rect at, enum zone_kind kind, uint64_t value, const char *name)
{
	if (a->nzones < APP_ZONES)
		a->zones[a->nzones++] = (struct zone){at, kind, value, name};
}

void app_draw(struct app *a)
{
	struct list *l = &a->table[a->view].list;

	/*
	 * With much data and little memory the model may have forgotten the window since the last
	 * refresh: then the window moves on.
	 */
	if (!a->held && app_forgotten(a))
		app_follow(a);
	frame_draw(a);
	a->drawn++;
	if (!l->missed)
		return;
	l->missed = false;
	app_say(a, ROLE_WARN, "no row matches '%s'", a->search);
	frame_draw(a);
}
