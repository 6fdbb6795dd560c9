/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Zooming shows a row's next finer grouping: a process's threads, then their functions; a
 * function's processes, then their threads, then their CPUs.
 */
#include "ui/app/zoom.h"

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/parts/rowlist.h"

static bool zoomed_by(const struct zoom *z, enum group_by group)
{
	for (unsigned i = 0; i < z->nr; i++)
		if (z->level[i].group == group)
			return true;
	return false;
}

/* Return the grouping of a row's parts that no level above has used. */
static enum group_by group_below(const struct app *a, enum group_by group)
{
	if (group == GROUP_TASK && a->view == VIEW_TASKS)
		return GROUP_THREAD;
	if (group == GROUP_COMMAND && a->view == VIEW_TASKS)
		return GROUP_TASK;
	if ((group == GROUP_USER || group == GROUP_CGROUP || group == GROUP_PARENT) &&
	    a->view == VIEW_TASKS)
		return GROUP_COMMAND;
	if (group != GROUP_FUNCTION)
		return zoomed_by(a->zoom, GROUP_FUNCTION) ? GROUP_CPU : GROUP_FUNCTION;
	if (zoomed_by(a->zoom, GROUP_THREAD))
		return GROUP_CPU;
	return zoomed_by(a->zoom, GROUP_TASK) ? GROUP_THREAD : GROUP_TASK;
}

/* Add the level `next`, and show its rows grouped by `below`. */
static bool descend(struct app *a, const struct zoom_level *next, enum group_by below)
{
	struct table_state *t = &a->table[a->view];
	enum view_id view = views[a->view]->groups & 1u << below ? a->view : VIEW_FUNCTIONS;
	struct err err = {0};

	a->zoom->level[a->zoom->nr] = *next;
	a->zoom->level[a->zoom->nr++].list = t->list;
	if (app_set_filter(a, a->filter_text, &err)) {
		a->zoom->nr--;
		app_say(a, ROLE_WARN, "%s", err.text);
		return false;
	}
	a->table[view].group = below;
	list_first(&a->table[view].list);
	app_show(a, view);
	return true;
}

static bool is_zoom_full(const struct app *a)
{
	return a->zoom->nr == ZOOM_LEVELS;
}

void zoom_in(struct app *a)
{
	struct zoom_level next = {.view = a->view};

	if (a->view != VIEW_FUNCTIONS && a->view != VIEW_TASKS)
		app_say(a, ROLE_TEXT,
			"select a row in view 1 or 2 to zoom; all views then show only its "
			"samples");
	else if (is_zoom_full(a))
		app_say(a, ROLE_TEXT, "the zoom ends here: Esc climbs");
	else if (!rowlist_words(a, &next))
		app_say(a, ROLE_TEXT, "this row cannot be zoomed to");
	else
		descend(a, &next, group_below(a, next.group));
}

bool zoom_hosts(struct app *a)
{
	struct zoom_level next = {.view = a->view};

	return !is_zoom_full(a) && rowlist_of_hosts(a) && rowlist_words(a, &next) &&
	       descend(a, &next, next.group == GROUP_HOST ? GROUP_FUNCTION : GROUP_HOST);
}

bool zoom_out(struct app *a)
{
	const struct zoom_level *l;

	if (!a->zoom->nr)
		return false;
	l = &a->zoom->level[--a->zoom->nr];
	a->table[l->view].group = l->was;
	a->table[l->view].list = l->list;
	app_show(a, l->view);
	app_set_filter(a, a->filter_text, NULL);
	return true;
}

void zoom_words(const struct zoom *z, char *buf, size_t size)
{
	size_t pos = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < z->nr; i++)
		pos = text_append(buf, size, pos, " %s", z->level[i].words);
}

void zoom_crumbs(const struct app *a, char *buf, size_t size)
{
	const struct session_info *info = model_info(a->model);
	size_t pos;

	buf[0] = '\0';
	if (!a->zoom->nr)
		return;
	pos = info->nhosts > 1 ? text_append(buf, size, 0, "%u hosts", info->nhosts)
			       : text_escape(buf, size, info->host);
	for (unsigned i = 0; i < a->zoom->nr; i++)
		pos = text_append(buf, size, pos, " › %s", a->zoom->level[i].crumb);
}
