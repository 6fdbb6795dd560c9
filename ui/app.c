/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ui/action.h"
#include "ui/frame.h"

#define SPAN_START (5 * NSEC_PER_SEC)
#define SAY_NS     (6 * NSEC_PER_SEC)

struct app *app_create(struct session *s, struct model *m, const struct ui_options *o,
		       struct err *err)
{
	struct app *a = calloc(1, sizeof(*a));

	if (!a) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	a->session = s;
	a->model = m;
	a->options = *o;
	if (!(a->options.delay > 0))
		a->options.delay = 1;
	a->show_self = o->show_self;
	a->scene.ascii = o->ascii;
	a->mono = o->mono;
	a->span = SPAN_START;
	a->table[VIEW_FUNCTIONS] = (struct table_state){.group = GROUP_FUNCTION, .sort = SORT_SELF};
	a->table[VIEW_TASKS] = (struct table_state){.group = GROUP_TASK, .sort = SORT_SELF};
	if (!scene_resize(&a->scene, 24, 80)) {
		err_set(err, ENOMEM, "out of memory");
		app_free(a);
		return NULL;
	}
	if (o->filter && app_set_filter(a, o->filter, err)) {
		app_free(a);
		return NULL;
	}
	if (s->info.note[0])
		app_say(a, ROLE_WARN, "%s", s->info.note);
	app_hurry(a);
	app_follow(a);
	return a;
}

void app_free(struct app *a)
{
	if (!a)
		return;
	filter_free(a->filter);
	scene_free(&a->scene);
	free(a);
}

/* --- slices ----------------------------------------------------------------------------- */

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
	if (a->end.error)
		return err_set(err, -a->end.error, "%s",
			       a->end.text[0] ? a->end.text : strerror(-a->end.error));
	return ret;
}

int app_take(struct app *a, bool *rows, struct err *err)
{
	*rows = false;
	/* A bound, so that a session with a backlog cannot keep the keys waiting. */
	for (int i = 0; i < 32 && !a->ended; i++) {
		struct slice *s = NULL;
		int ret = session_next(a->session, &s);

		if (ret)
			return session_ended(a, ret, err);
		if (!s)
			return 0;
		*rows |= s->nrows > 0;
		say_logs(a, s);
		ret = model_add(a->model, s);
		if (ret)
			return err_set(err, -ret, "cannot take what was measured: %s",
				       strerror(-ret));
	}
	return a->ended ? -ESHUTDOWN : 0;
}

void app_hurry(struct app *a)
{
	a->hurry_until = clock_ns() + NSEC_PER_SEC;
}

void app_follow(struct app *a)
{
	if (!a->held)
		a->to = model_now(a->model);
}

struct window app_window(const struct app *a)
{
	if (!a->span)
		return a->held ? (struct window){0, a->to} : WINDOW_ALL;
	return (struct window){a->to > a->span ? a->to - a->span : 0, a->to};
}

struct query app_query(const struct app *a, const struct table_state *t)
{
	return (struct query){
		.event = a->event,
		.group = t->group,
		.sort = t->sort,
		.reverse = t->reverse,
		.hide_kernel = a->hide_kernel,
		.hide_user = a->hide_user,
		.show_self = a->show_self,
		.filter = a->filter,
		.trend = true,
	};
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

int app_set_filter(struct app *a, const char *text, struct err *err)
{
	struct filter *filter = NULL;
	int ret = filter_compile(text, &filter, err);

	if (ret)
		return ret;
	filter_free(a->filter);
	a->filter = filter;
	text_escape(a->filter_text, sizeof(a->filter_text), text);
	return 0;
}

void app_show(struct app *a, enum view_id view)
{
	if (view == VIEW_HELP && a->view != VIEW_HELP)
		a->back = a->view;
	a->view = view;
	a->panel = false;
}

void app_zone(struct app *a, struct rect at, enum zone_kind kind, uint64_t value, const char *name)
{
	if (a->nzones < APP_ZONES)
		a->zones[a->nzones++] = (struct zone){at, kind, value, name};
}

void app_draw(struct app *a)
{
	struct list *l = &a->table[a->view].list;

	frame_draw(a);
	if (!l->missed)
		return;
	l->missed = false;
	app_say(a, ROLE_WARN, "no row matches '%s'", a->search);
	frame_draw(a);
}

/* --- input ------------------------------------------------------------------------------ */

static void run(struct app *a, const struct action *action, const char *arg)
{
	if (action)
		action->run(a, arg);
}

static void search_typed(struct app *a)
{
	struct list *l = &a->table[a->view].list;

	*l = a->anchor;
	memcpy(a->search, a->prompt.text, sizeof(a->search));
	if (a->search[0])
		list_seek(l, 1, true);
}

static void prompt_finish(struct app *a)
{
	struct err err = {0};
	char text[PROMPT_MAX];
	enum prompt_kind kind = a->prompt.kind;

	memcpy(text, a->prompt.text, sizeof(text));
	if (kind == PROMPT_FILTER && app_set_filter(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return; /* still open, to be mended */
	}
	prompt_close(&a->prompt);
	if (kind == PROMPT_COMMAND && action_command(a, text, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

static void prompt_input(struct app *a, uint32_t key)
{
	char completed[PROMPT_MAX], hints[200];

	switch (prompt_key(&a->prompt, key)) {
	case PROMPT_EDITED:
		if (a->prompt.kind == PROMPT_SEARCH)
			search_typed(a);
		break;
	case PROMPT_COMPLETE:
		if (a->prompt.kind != PROMPT_COMMAND)
			break;
		action_complete(a->prompt.text, completed, sizeof(completed), hints, sizeof(hints));
		prompt_set(&a->prompt, completed);
		break;
	case PROMPT_DONE:
		prompt_finish(a);
		break;
	case PROMPT_CANCEL:
		if (a->prompt.kind == PROMPT_SEARCH) {
			a->table[a->view].list = a->anchor;
			a->search[0] = '\0';
		}
		prompt_close(&a->prompt);
		break;
	case PROMPT_SAME:
	case PROMPT_MOVED:
		break;
	}
}

static const struct zone *zone_at(const struct app *a, int y, int x)
{
	/* What was drawn last lies on top. */
	for (unsigned i = a->nzones; i-- > 0;) {
		const struct rect *r = &a->zones[i].at;

		if (y >= r->y && y < r->y + r->rows && x >= r->x && x < r->x + r->cols)
			return &a->zones[i];
	}
	return NULL;
}

static void click_row(struct app *a, size_t place)
{
	struct list *l = &a->table[a->view].list;

	if (l->touched && l->index == place)
		run(a, action_by_name("open"), "");
	else
		list_pick(l, place);
}

static void click_menu(struct app *a, unsigned place)
{
	const char *action = a->menu.action;

	a->menu.at = place;
	a->menu.action = NULL;
	run(a, action_by_name(action), a->menu.item[place]);
}

static void click(struct app *a, const struct zone *z)
{
	switch (z->kind) {
	case ZONE_ROW:
		click_row(a, z->value);
		break;
	case ZONE_SORT:
		run(a, action_by_name("sort"), sort_names[z->value]);
		break;
	case ZONE_VIEW:
		app_show(a, (enum view_id)z->value);
		break;
	case ZONE_TIME:
		a->held = z->value < model_now(a->model);
		a->frozen = false;
		a->to = z->value;
		app_follow(a);
		break;
	case ZONE_ACTION:
		run(a, action_by_name(z->name), "");
		break;
	case ZONE_MENU:
		click_menu(a, (unsigned)z->value);
		break;
	}
}

static void mouse_input(struct app *a, const struct input *in)
{
	const struct zone *z = zone_at(a, in->y, in->x);

	if (in->key == INPUT_WHEEL_UP || in->key == INPUT_WHEEL_DOWN)
		list_move(&a->table[a->view].list, in->key == INPUT_WHEEL_UP ? -3 : 3);
	else if (a->menu.action && (!z || z->kind != ZONE_MENU))
		a->menu.action = NULL;
	else if (z)
		click(a, z);
}

static void key_input(struct app *a, uint32_t key)
{
	const struct action *action = action_by_key(key);
	const char *missing = key < 128 ? view_missing((char)key) : NULL;
	char name[INPUT_NAME];

	if (action)
		action->run(a, "");
	else if (missing)
		app_say(a, ROLE_TEXT, "%c %s is not in this version", (char)key, missing);
	else
		app_say(a, ROLE_TEXT, "%s does nothing here; F1 shows the keys",
			input_name(name, key));
}

void app_input(struct app *a, const struct input *in)
{
	bool mouse =
	    in->key == INPUT_CLICK || in->key == INPUT_WHEEL_UP || in->key == INPUT_WHEEL_DOWN;
	const char *action = a->menu.action;

	a->message[0] = '\0';
	if (a->prompt.kind && !mouse) {
		prompt_input(a, in->key);
	} else if (mouse && !(action && in->key != INPUT_CLICK)) {
		mouse_input(a, in);
	} else if (action) {
		if (menu_key(&a->menu, in->key))
			run(a, action_by_name(action), a->menu.item[a->menu.at]);
	} else {
		key_input(a, in->key);
	}
}
