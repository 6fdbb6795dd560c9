/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/handler.h"

#include <string.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/app/grouping.h"
#include "ui/app/handler_measure.h"
#include "ui/app/menu.h"
#include "ui/app/prompt.h"
#include "ui/app/savedview.h"
#include "ui/app/zoom.h"
#include "ui/code/editor.h"
#include "ui/parts/eventcolumns.h"
#include "ui/parts/linerows.h"
#include "ui/parts/wallclock.h"
#include "ui/views/view_changes.h"

static struct table_state *table(struct app *a)
{
	return &a->table[a->view];
}

static struct list *current_list(struct app *a)
{
	return &a->table[a->view].list;
}

/* --- views ------------------------------------------------------------------------------ */

void handler_view(struct app *a, const char *arg)
{
	struct err err = {0};

	if (!*arg)
		savedview_choose(a);
	else if (savedview_go(a, arg, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

void handler_save_view(struct app *a, const char *arg)
{
	char written[SAVEDVIEW_TEXT];
	struct err err = {0};

	if (savedview_write(a, arg, written, sizeof(written), &err) ||
	    savedview_add(a->saved, written, &err) ||
	    (a->options.save_view && a->options.save_view(written, &err)))
		app_say(a, ROLE_WARN, "%s", err.text);
	else
		app_say(a, ROLE_TEXT, "saved; V %s goes back here", arg);
}

/* --- moving ----------------------------------------------------------------------------- */

void handler_details(struct app *a)
{
	if (views[a->view]->details)
		a->panel = !a->panel;
}

void handler_edit(struct app *a)
{
	struct editor_file f = {.line = 0};
	struct err err = {0};
	bool others;

	if (!views[a->view]->source)
		app_say(a, ROLE_TEXT, "source lines are in view 5");
	else if (!views[a->view]->source(a, &f))
		app_say(a, ROLE_TEXT, "no source line is known for this row");
	else if (editor_check(&f, &others, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
	else if (!others ||
		 app_sure(a,
			  "the file is neither yours nor root's: press again to open it anyway"))
		*a->edit = f;
}

void handler_back(struct app *a)
{
	if (a->panel) {
		a->panel = false;
	} else if (a->view == VIEW_HELP) {
		app_show(a, a->back);
	} else if (a->search[0]) {
		a->search[0] = '\0';
	} else if (a->view == VIEW_CHANGES) {
		view_changes_end(a);
	} else if (app_step(a, STEP_BACK)) {
		return;
	} else if (!view_digit(a->view)) {
		app_show(a, a->back);
	} else if (zoom_out(a)) {
		return;
	} else if (a->held) {
		app_live(a);
	} else if (a->filter) {
		app_set_filter(a, "", NULL);
		app_say(a, ROLE_TEXT, "filter dropped");
	}
}

/* --- finding ---------------------------------------------------------------------------- */

void handler_seek_match(struct app *a, int direction, bool here)
{
	if (a->search[0])
		list_seek(current_list(a), direction, here);
	else
		app_say(a, ROLE_TEXT, "no search text: use /");
}

void handler_search(struct app *a, const char *arg)
{
	if (*arg) {
		text_append(a->search, sizeof(a->search), 0, "%s", arg);
		handler_seek_match(a, 1, true);
		return;
	}
	a->anchor = *current_list(a);
	prompt_open(&a->prompt, PROMPT_SEARCH, "");
}

void handler_filter(struct app *a, const char *arg)
{
	struct err err = {0};

	if (!*arg)
		prompt_open(&a->prompt, PROMPT_FILTER, a->filter_text);
	else if (app_set_filter(a, arg, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

/* Open a menu of the names that have a bit in `allowed`; the choice is passed to `action`. */
static void open_choice_menu(struct app *a, const char *action, const char *title,
			     const struct show_word *words, unsigned nr, unsigned allowed,
			     unsigned current)
{
	if (!allowed) {
		app_say(a, ROLE_TEXT, "no choices in this view");
		return;
	}
	menu_open(&a->menu, action, title);
	for (unsigned i = 0; i < nr; i++)
		if (allowed & 1u << i)
			menu_add(&a->menu, words[i].name, i == current);
}

/* Return the index of a name, or of the only allowed one that begins with it; -1: none. */
static int index_of_name(const char *text, const struct show_word *words, unsigned nr,
			 unsigned allowed)
{
	int found = -1;

	for (unsigned i = 0; i < nr; i++) {
		if (!(allowed & 1u << i) || strncmp(words[i].name, text, strlen(text)) != 0)
			continue;
		if (!words[i].name[strlen(text)])
			return (int)i;
		found = found < 0 ? (int)i : -2;
	}
	return found < 0 ? -1 : found;
}

void handler_group(struct app *a, const char *arg)
{
	unsigned allowed = views[a->view]->groups;
	int i;

	if (a->view == VIEW_FIELDS) { /* its rows are grouped by the event's fields */
		if (*arg)
			handler_by(a, arg);
		else
			grouping_menu(a);
		return;
	}
	if (model_info(a->model)->nhosts < 2)
		allowed &= ~(1u << GROUP_HOST);

	if (!*arg) {
		open_choice_menu(a, "group", " group by ", group_words, GROUP_NR, allowed,
				 table(a)->group);
		return;
	}
	i = index_of_name(arg, group_words, GROUP_NR, allowed);
	if (i < 0) {
		app_say(a, ROLE_WARN, "this view does not group by '%s'", arg);
		return;
	}
	table(a)->group = (enum group_by)i;
	if (!(view_sorts(a) & 1u << table(a)->sort))
		table(a)->sort = SORT_SELF;
	list_first(current_list(a));
	if (i == GROUP_LINE)
		linerows_ask(a);
}

/* Group by task; a tree gets tasks as its roots. */
void handler_by_task(struct app *a)
{
	enum group_by back =
		views[a->view]->groups & 1u << GROUP_FUNCTION ? GROUP_FUNCTION : GROUP_THREAD;

	handler_group(a, group_words[table(a)->group == GROUP_TASK ? back : GROUP_TASK].name);
}

void handler_sort(struct app *a, const char *arg)
{
	struct table_state *t = table(a);
	unsigned allowed = view_sorts(a);
	size_t len = strcspn(arg, " ");
	char column[32];
	int i;

	if (!*arg) {
		open_choice_menu(a, "sort", " sort by ", sort_words, SORT_NR, allowed, t->sort);
		return;
	}
	text_append(column, sizeof(column), 0, "%.*s", (int)len, arg);
	i = index_of_name(column, sort_words, SORT_NR, allowed);
	if (i < 0 || (arg[len] && strcmp(arg + len, " up") && strcmp(arg + len, " down"))) {
		app_say(a, ROLE_WARN, "this view does not sort by '%s'", arg);
		return;
	}
	t->reverse =
		arg[len] ? !strcmp(arg + len, " up") : t->sort == (enum sort_by)i && !t->reverse;
	t->sort = (enum sort_by)i;
}

void handler_reverse(struct app *a)
{
	if (!view_sorts(a))
		app_step(a, STEP_TURN);
	else
		table(a)->reverse = !table(a)->reverse;
}

void handler_event(struct app *a, const char *arg)
{
	const struct session_info *info = model_info(a->model);

	if (!*arg) {
		menu_open(&a->menu, "event", " event ");
		for (unsigned i = 0; i < info->nevents; i++)
			menu_add(&a->menu, info->events[i].name, i == a->event);
		if (!info->nevents)
			a->menu.action = NULL;
		return;
	}
	if (!session_event_named(info, arg, NULL, &a->event))
		app_say(a, ROLE_WARN, "there is no event '%s' in this session", arg);
}

/*
 * Return true if the session has an event to be shown beside the present one, else show a message.
 */
static bool has_others(struct app *a)
{
	if (model_info(a->model)->nevents >= 2)
		return true;
	app_say(a, ROLE_TEXT, "the session has no other event: E adds one");
	return false;
}

void handler_beside(struct app *a)
{
	if (!a->beside->on && !has_others(a))
		return;
	a->beside->on = !a->beside->on;
	if (a->beside->on && a->view != VIEW_FUNCTIONS && a->view != VIEW_TASKS)
		app_say(a, ROLE_TEXT, "columns of other events are in views 1 and 2");
}

void handler_wall(struct app *a)
{
	unsigned event;

	if (!a->wall && !wallclock_event(a, "off-cpu", &event)) {
		wallclock_begin(a);
		return;
	}
	a->wall = !a->wall;
	if (a->wall && !wallclock_shown(a))
		app_say(a, ROLE_TEXT,
			"on- and off-CPU time are shown side by side in views 1 to 4");
}

void handler_ratios(struct app *a)
{
	if (!a->beside->on && !has_others(a))
		return;
	a->beside->ratio = !a->beside->ratio;
	if (!a->beside->on)
		handler_beside(a);
	app_say(a, ROLE_TEXT, "the columns of other events are %s",
		!a->beside->ratio ? "in weights"
		: app_event(a) && !strcmp(app_event(a)->unit, "ns")
			? "per second of the event shown"
			: "per count of the event shown");
}

void handler_compare(struct app *a)
{
	if (a->view == VIEW_CHANGES)
		view_changes_end(a);
	else if (a->comparing)
		app_show(a, VIEW_CHANGES);
	else
		view_changes_begin(a);
}

void handler_baseline(struct app *a)
{
	if (!a->comparing) {
		app_say(a, ROLE_TEXT,
			"nothing is compared: d takes the window shown as the baseline");
		return;
	}
	a->by_was = !a->by_was;
	if (a->view != VIEW_TREE && a->view != VIEW_FLAME)
		app_show(a, VIEW_TREE);
}

/* --- the rest --------------------------------------------------------------------------- */

void handler_mouse(struct app *a)
{
	a->options.show.no_mouse = !a->options.show.no_mouse;
	app_say(a, ROLE_GOOD,
		a->options.show.no_mouse ? "the terminal has the mouse: select text"
					 : "the mouse selects rows, columns, views");
}

void handler_redraw(struct app *a)
{
	a->redraw = true;
}

/*
 * Return true if ringtop has started the measured command, here or on a host: it ends with ringtop.
 */
static bool command_runs(const struct app *a)
{
	const struct session_info *info = model_info(a->own);

	return info->live && !a->ended &&
	       !strncmp(info->target, SESSION_COMMAND_TARGET, strlen(SESSION_COMMAND_TARGET));
}

void handler_quit(struct app *a)
{
	if (!command_runs(a) ||
	    app_sure(a, "the command still runs: press again to end it and ringtop"))
		a->quit = true;
}
