/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/app_input.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/app/grouping.h"
#include "ui/app/marking.h"
#include "ui/app/menu.h"
#include "ui/app/prompt.h"
#include "ui/app/request.h"
#include "ui/term/input.h"

/*
 * Draw if moves are noted that the action does not add to: they are carried out only with a draw,
 * and until then the action would use the row selected before.
 */
static void settle_selection(struct app *a, const struct action *action)
{
	const struct list *l = &a->table[a->view].list;

	if ((l->move || l->seek) && !action_adds(action, l))
		app_draw(a);
}

static void run_action(struct app *a, const struct action *action, const char *arg)
{
	if (!action)
		return;
	settle_selection(a, action);
	action_run(a, action, arg);
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
		return; /* the prompt stays open, to be corrected */
	}
	if (kind == PROMPT_KERNEL && request_change(a, SESSION_EVENT_FILTER, text, 0))
		return;
	if (kind == PROMPT_BY && !grouping_set(a, text))
		return;
	if (kind == PROMPT_WRITE && text[0] && request_write(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	if (kind == PROMPT_RECORD && text[0] && request_record(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	if (kind == PROMPT_SAVE && text[0] && request_save(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	prompt_close(&a->prompt);
	if (kind == PROMPT_MARK)
		marking_set(a, a->marking->time, text);
	a->sure = true; /* a typed command needs no confirmation */
	a->asked = NULL;
	if (kind == PROMPT_COMMAND && action_command(a, text, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

/*
 * Complete to the first format that begins with the typed text; a complete one is replaced by the
 * next.
 */
static void complete_format(struct app *a)
{
	const char *const *formats = a->options.formats;
	const char *text = a->prompt.text;
	size_t len = strcspn(text, ":"), n = 0;
	char completed[PROMPT_MAX];

	while (formats && formats[n] &&
	       (strncmp(formats[n], text, len) != 0 || (text[len] && formats[n][len])))
		n++;
	if (!formats || !formats[n])
		return;
	if (text[len])
		n = formats[n + 1] ? n + 1 : 0;
	text_append(completed, sizeof(completed), 0, "%s:%s", formats[n],
		    text[len] ? text + len + 1 : "");
	prompt_set(&a->prompt, completed);
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
		if (a->prompt.kind == PROMPT_WRITE)
			complete_format(a);
		else if (a->prompt.kind == PROMPT_BY)
			grouping_complete(a, 0);
		else if (a->prompt.kind == PROMPT_COMMAND && !strncmp(a->prompt.text, "by ", 3))
			grouping_complete(a, 3);
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
	/* The zone drawn last is on top. */
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
		run_action(a, action_by_name("open"), "");
	else
		list_pick(l, place);
}

static void click_menu(struct app *a, unsigned place)
{
	const char *action = a->menu.action;

	a->menu.at = place;
	a->menu.action = NULL;
	run_action(a, action_by_name(action), a->menu.item[place]);
}

static void click_zone(struct app *a, const struct zone *z, const struct input *in)
{
	switch (z->kind) {
	case ZONE_ROW:
		click_row(a, z->value);
		break;
	case ZONE_SORT:
		run_action(a, action_by_name("sort"), sort_words[z->value].name);
		break;
	case ZONE_VIEW:
		app_show(a, (enum view_id)z->value);
		break;
	case ZONE_TIME:
		a->frozen = false;
		if (z->value < app_now(a))
			app_hold(a, app_window_to(a, z->value));
		else
			app_live(a);
		break;
	case ZONE_ACTION:
		run_action(a, action_by_name(z->name), "");
		break;
	case ZONE_MENU:
		click_menu(a, (unsigned)z->value);
		break;
	case ZONE_BOX:
		views[a->view]->click(a, in->y, in->x);
		break;
	}
}

static void mouse_input(struct app *a, const struct input *in)
{
	const struct zone *z = zone_at(a, in->y, in->x);
	bool up = in->key == INPUT_WHEEL_UP;

	if (up || in->key == INPUT_WHEEL_DOWN) {
		if (!app_step(a, up ? STEP_UP : STEP_DOWN))
			list_move(&a->table[a->view].list, up ? -3 : 3);
	} else if (a->menu.action && (!z || z->kind != ZONE_MENU)) {
		a->menu.action = NULL;
	} else if (z) {
		click_zone(a, z, in);
	}
}

static void key_input(struct app *a, uint32_t key)
{
	const struct action *action = action_by_key(key);
	char name[INPUT_NAME];

	if (action)
		run_action(a, action, "");
	else
		app_say(a, ROLE_TEXT, "%s does nothing here; F1 shows the keys",
			input_name(name, key));
}

/* Pasted text goes to the prompt, without line ends; elsewhere its characters would act as keys. */
static void paste_input(struct app *a, uint32_t key)
{
	if (!a->prompt.kind)
		app_say(a, ROLE_TEXT, "pasted text is ignored here: / f and : take it");
	else if (key >= ' ' && key < INPUT_UP)
		prompt_input(a, key);
}

void app_input(struct app *a, const struct input *in)
{
	bool mouse =
	    in->key == INPUT_CLICK || in->key == INPUT_WHEEL_UP || in->key == INPUT_WHEEL_DOWN;
	const char *action = a->menu.action;

	if (in->pasted) {
		paste_input(a, in->key);
		return;
	}
	a->message[0] = '\0';
	a->sure = clock_ns() < a->asked_until;
	a->asked_until = 0;
	if (a->prompt.kind && !mouse) {
		prompt_input(a, in->key);
	} else if (mouse && !(action && in->key != INPUT_CLICK)) {
		mouse_input(a, in);
	} else if (action) {
		if (menu_key(&a->menu, in->key))
			run_action(a, action_by_name(action), a->menu.item[a->menu.at]);
	} else {
		key_input(a, in->key);
	}
}
