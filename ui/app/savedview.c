/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/savedview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/clock.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/app/menu.h"
#include "ui/app/zoom.h"

#define FILTER "filter "

static bool is_view_name(const char *text, size_t len)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return len && len < SAVEDVIEW_NAME && strspn(text, good) >= len;
}

static struct savedview *find_saved_view(struct savedviews *all, const char *name, size_t len)
{
	for (unsigned i = 0; i < all->nr; i++)
		if (strlen(all->view[i].name) == len && !memcmp(all->view[i].name, name, len))
			return &all->view[i];
	return NULL;
}

int savedview_add(struct savedviews *all, const char *written, struct err *err)
{
	size_t len = strcspn(written, ":");
	struct savedview *v;
	char *commands;

	if (!written[len] || !is_view_name(written, len))
		return err_set(
			err, EINVAL,
			"a saved view is 'NAME: COMMAND; COMMAND', its name of at most %d letters "
			"and digits",
			SAVEDVIEW_NAME - 1);
	v = find_saved_view(all, written, len);
	if (!v && all->nr == SAVEDVIEW_MAX)
		return err_set(err, E2BIG, "more than %d saved views", SAVEDVIEW_MAX);
	commands = strdup(written + len + 1);
	if (!commands)
		return err_room(err, ENOMEM, "the saved view");
	if (!v) {
		v = &all->view[all->nr++];
		text_append(v->name, sizeof(v->name), 0, "%.*s", (int)len, written);
	}
	free(v->commands);
	v->commands = commands;
	return 0;
}

void savedview_clear(struct savedviews *all)
{
	for (unsigned i = 0; i < all->nr; i++)
		free(all->view[i].commands);
	all->nr = 0;
}

/* --- to one --------------------------------------------------------------------------------- */

/* Restore the screen's initial state. */
static int reset(struct app *a, struct err *err)
{
	app_live(a);
	while (zoom_out(a))
		;
	a->hide_kernel = a->hide_user = false;
	a->whole_names = a->wall = false;
	a->show_idle = a->options.show.show_idle;
	a->show_self = a->options.show.show_self;
	return app_set_filter(a, "", err);
}

/* Return the next command, its length in *len; NULL: there is none. */
static const char *next_command(const char *at, size_t *len)
{
	at += strspn(at, "; ");
	*len = strncmp(at, FILTER, strlen(FILTER)) ? strcspn(at, ";") : strlen(at);
	return *len ? at : NULL;
}

static int run_commands(struct app *a, const char *commands, struct err *err)
{
	size_t len;
	int ret = reset(a, err);

	for (const char *at = commands; !ret && (at = next_command(at, &len)); at += len) {
		char line[SAVEDVIEW_TEXT];

		text_append(line, sizeof(line), 0, "%.*s", (int)len, at);
		while (len && line[strlen(line) - 1] == ' ')
			line[strlen(line) - 1] = '\0';
		ret = action_command(a, line, err);
	}
	return ret;
}

int savedview_go(struct app *a, const char *name, struct err *err)
{
	const struct savedview *v = find_saved_view(a->saved, name, strlen(name));

	return run_commands(a, v ? v->commands : name, err);
}

void savedview_choose(struct app *a)
{
	if (!a->saved->nr) {
		app_say(a, ROLE_TEXT, "no view is saved; :save-view NAME saves this one");
		return;
	}
	menu_open(&a->menu, "view", " view ");
	for (unsigned i = 0; i < a->saved->nr; i++)
		menu_add(&a->menu, a->saved->view[i].name, false);
}

/* --- from what is shown --------------------------------------------------------------------- */

int savedview_write(const struct app *a, const char *name, char *to, size_t size, struct err *err)
{
	const char digit = view_digit(a->view);
	const struct table_state *t = &a->table[a->view];
	const struct action *tab = digit ? action_by_key((uint32_t)digit) : NULL;
	const struct session_info *info = model_info(a->model);
	const struct { bool on; const char *action;
	} toggles[] = {
		{a->hide_kernel, "hide-kernel"},
		{a->hide_user, "hide-user"},
		{a->show_idle != a->options.show.show_idle, "show-idle"},
		{a->show_self != a->options.show.show_self, "show-self"},
		{a->whole_names, "whole-names"},
		{a->wall, "wall-clock"},
	};
	char zoomed[ZOOM_LEVELS * ZOOM_WORDS];
	size_t at;

	if (!is_view_name(name, strlen(name)))
		return err_set(err, EINVAL, "a view name has at most %d letters and digits",
			       SAVEDVIEW_NAME - 1);
	if (!tab)
		return err_set(err, EINVAL, "the view %s cannot be saved", view_names[a->view]);
	at = text_append(to, size, 0, "%s: %s", name, tab->name);
	if (a->event < info->nevents && info->nevents > 1)
		at = text_append(to, size, at, "; event %s", info->events[a->event].name);
	if (views[a->view]->groups)
		at = text_append(to, size, at, "; group %s", group_words[t->group].name);
	if (view_sorts(a))
		at = text_append(to, size, at, "; sort %s %s", sort_words[t->sort].name,
				 t->reverse ? "up" : "down");
	for (size_t i = 0; i < sizeof(toggles) / sizeof(*toggles); i++)
		if (toggles[i].on)
			at = text_append(to, size, at, "; %s", toggles[i].action);
	if (a->span)
		at = text_append(to, size, at, "; window %g",
				 (double)a->span / (double)NSEC_PER_SEC);
	else
		at = text_append(to, size, at, "; window all");
	zoom_words(a->zoom, zoomed, sizeof(zoomed));
	if (*a->filter_text || *zoomed)
		at = text_append(to, size, at, "; " FILTER "%s%s", a->filter_text,
				 *a->filter_text ? zoomed : zoomed + 1);
	return at + 1 < size ? 0
			     : err_set(err, E2BIG, "the view is too long for a saved view");
}
