/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/seeking.h"

#include <errno.h>
#include <string.h>

#include "base/daytime.h"
#include "ui/app/app.h"
#include "ui/parts/timeline.h"
#include "ui/views/view_changes.h"

/* --- what was saved of the session ---------------------------------------------------------- */

void seeking_free(struct seeking *s)
{
	model_free(s->model);
	session_close(s->session);
	*s = (struct seeking){.model = NULL};
}

bool seeking_in_file(const struct app *a)
{
	return a->model != a->own;
}

struct session *seeking_session(const struct app *a)
{
	return seeking_in_file(a) ? a->seeking->session : a->session;
}

static void show_model(struct app *a, struct model *m)
{
	if (a->model == m)
		return;
	a->model = m;
	/* The cached time line is of the other model. */
	a->line->of = (struct timeline_of){.what = 0};
	a->line->upto = 0;
}

void seeking_leave(struct app *a)
{
	show_model(a, a->own);
}

static uint64_t saved_end(const struct app *a)
{
	const struct session_info *info = model_info(a->seeking->model);

	return info->begins + info->length;
}

/* Open the saved file as it is at present. */
static int open_saved(struct app *a, struct err *err)
{
	struct seeking now = {.session = a->session->ops->saved(a->session, err)};
	bool shown = seeking_in_file(a);

	if (!now.session)
		return err->code ? -err->code : -ENOMEM;
	now.model = model_create(&now.session->info, MODEL_BUDGET);
	if (!now.model) {
		seeking_free(&now);
		return err_room(err, ENOMEM, "saved data");
	}
	/* A baseline in the old model moves to the new one. */
	if (view_changes_state(a)->of == a->seeking->model)
		view_changes_state(a)->of = now.model;
	if (shown)
		show_model(a, now.model);
	seeking_free(a->seeking);
	*a->seeking = now;
	return 0;
}

static bool is_saved(const struct app *a)
{
	return a->session->ops->saved && model_info(a->own)->saving && !model_info(a->own)->seeks;
}

/*
 * Open the saved file unless the open one reaches `time`.  False: no file, or an error (a message
 * tells).
 */
static bool have_saved(struct app *a, uint64_t time)
{
	struct err err = {.code = 0};

	if (!is_saved(a))
		return false;
	if (a->seeking->model && time <= saved_end(a))
		return true;
	if (!open_saved(a, &err))
		return true;
	app_say(a, ROLE_WARN, "cannot read older data from the file: %s", err.text);
	return false;
}

bool seeking_reach(struct app *a)
{
	return !is_saved(a) || have_saved(a, 0);
}

/* --- where there is what ---------------------------------------------------------------------- */

uint64_t seeking_first(const struct app *a)
{
	const struct session_info *info = model_info(a->own);
	uint64_t first = info->seeks ? info->begins : model_first(a->own), saved;

	saved = a->seeking->model ? model_info(a->seeking->model)->begins : first;
	return saved < first ? saved : first;
}

uint64_t seeking_last(const struct app *a)
{
	const struct session_info *info = model_info(a->own);

	if (seeking_in_file(a))
		return model_now(a->own);
	return info->seeks ? info->begins + info->length : app_now(a);
}

static bool is_held(const struct model *m, uint64_t time)
{
	return time >= model_first(m) && time <= model_now(m);
}

/* --- bringing it ------------------------------------------------------------------------------ */

/* Take all slices that a seek in the saved file yields.  0 or -errno. */
static int take_saved(struct app *a)
{
	struct slice *s = NULL;
	int ret = 0;

	while (!ret && !session_next(a->seeking->session, &s) && s)
		ret = model_add(a->seeking->model, s);
	return ret;
}

static int take_own_slices(struct app *a, struct err *err)
{
	bool rows;

	a->ended = false;
	while (!app_take(a, UINT64_MAX, &rows, err))
		;
	return -err->code;
}

/* Load the stretch around `time`, synchronously: it has some hundred slices. */
static bool load_stretch(struct app *a, struct session *s, struct model *m, uint64_t time)
{
	struct session_request rq = {.command = SESSION_SEEK, .number = time};
	struct err err = {.code = 0};
	int ret = s->ops->command(s, &rq, &err);

	if (ret) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return false;
	}
	model_rewind(m);
	ret = s == a->session ? take_own_slices(a, &err) : take_saved(a);
	if (ret)
		app_say(a, ROLE_BAD, "%s", err.code ? err.text : strerror(-ret));
	return is_held(m, time);
}

/*
 * Show `time` from the saved file.  The window is held, or the session's new slices would move it.
 */
static bool show_saved(struct app *a, uint64_t time)
{
	if (!have_saved(a, time))
		return false;
	if (!is_held(a->seeking->model, time) &&
	    !load_stretch(a, a->seeking->session, a->seeking->model, time))
		return false;
	show_model(a, a->seeking->model);
	if (!a->held)
		app_hold(a, (struct window){time, time + a->span});
	return true;
}

/* Return true if the session's own model has `time`, and the span before it. */
static bool own_has(const struct app *a, uint64_t time)
{
	return is_held(a->own, time) &&
	       (!is_saved(a) || (time > a->span && is_held(a->own, time - a->span)));
}

bool seeking_bring(struct app *a, uint64_t time)
{
	if (is_held(a->model, time))
		return true;
	if (model_info(a->own)->seeks)
		return load_stretch(a, a->session, a->own, time);
	if (own_has(a, time)) {
		seeking_leave(a);
		return true;
	}
	return show_saved(a, time);
}

void seeking_go(struct app *a, const char *text)
{
	const struct session_info *info = model_info(a->own);
	uint64_t first, last, wall, time;
	struct err err = {0};

	seeking_reach(a);
	first = seeking_first(a);
	last = seeking_last(a);
	if (daytime_parse(text, info->start_wall + first, info->start_wall + last, &wall, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	time = wall - info->start_wall;
	if (!seeking_bring(a, time)) {
		app_say(a, ROLE_WARN,
			"that time is no longer kept: a larger --history keeps more, --save FILE "
			"all");
		return;
	}
	a->frozen = false;
	app_hold(a, (struct window){time, a->span ? time + a->span : app_now(a)});
}
