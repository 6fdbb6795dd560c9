/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/grouping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/app/menu.h"
#include "ui/app/prompt.h"
#include "ui/app/request.h"

static const char none[] = "none", several[] = "several ...";

void grouping_free(struct grouping *g)
{
	free(g->list);
	*g = (struct grouping){.nr = 0};
}

/* Get the event's fields.  False: there are none, as a message tells. */
static bool read_fields(struct app *a)
{
	struct grouping *g = a->grouping;
	struct err err = {0};
	int ret;

	grouping_free(g);
	if (a->session->ops->fields)
		ret = a->session->ops->fields(a->session, a->event, &g->list, &g->nr, &err);
	else
		ret = err_set(&err, EOPNOTSUPP, "the fields of this session cannot be changed");
	/* Another machine sends no list, and reports wrong names later: its fields are typed. */
	g->typed = ret == -EOPNOTSUPP && model_info(a->model)->live;
	if (ret && !g->typed)
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
	return !ret || g->typed;
}

/* Write the event's present fields as they are typed, "id,comm". */
static void fields_now(const struct app *a, char *text, size_t size)
{
	const struct session_event *e = app_event(a);
	size_t len = 0;

	for (const char *c = e ? e->by : ""; *c && len + 1 < size; c++)
		if (*c != ' ')
			text[len++] = *c;
	text[len] = '\0';
}

void grouping_menu(struct app *a)
{
	const struct grouping *g = a->grouping;
	char now[PROMPT_MAX];

	if (!read_fields(a))
		return;
	fields_now(a, now, sizeof(now));
	if (g->typed) {
		grouping_ask(a, now);
		return;
	}
	menu_open(&a->menu, "by", " sum up by ");
	menu_add(&a->menu, none, !*now);
	menu_add(&a->menu, several, false);
	for (size_t i = 0; i < g->nr; i++)
		menu_add(&a->menu, g->list[i].name, !strcmp(g->list[i].name, now));
}

void grouping_ask(struct app *a, const char *text)
{
	char now[PROMPT_MAX];

	if (text) {
		prompt_open(&a->prompt, PROMPT_BY, text);
		return;
	}
	if (!read_fields(a))
		return;
	fields_now(a, now, sizeof(now));
	prompt_open(&a->prompt, PROMPT_BY, now);
	grouping_complete(a, strlen(now)); /* shows the possible fields */
}

bool grouping_set(struct app *a, const char *fields)
{
	if (!strcmp(fields, several)) {
		grouping_ask(a, NULL);
		return true;
	}
	return !request_change(a, SESSION_EVENT_BY, strcmp(fields, none) ? fields : "", 0);
}

/*
 * Find the fields that begin with `word`: returns their number, the first, the length that all have
 * in *common, and their names.
 */
static size_t match_fields(const struct grouping *g, const char *word, const char **first,
			   size_t *common, char *names, size_t size)
{
	size_t nr = 0, pos = text_append(names, size, 0, "%s", "");

	for (size_t i = 0; i < g->nr; i++) {
		const char *name = g->list[i].name;

		if (strncmp(name, word, strlen(word)) != 0)
			continue;
		pos = text_append(names, size, pos, "%s%s", nr ? ", " : "", name);
		if (!nr++) {
			*first = name;
			*common = strlen(name);
		}
		while (strncmp(*first, name, *common) != 0)
			--*common;
	}
	return nr;
}

void grouping_complete(struct app *a, size_t at)
{
	const char *comma = strrchr(a->prompt.text + at, ','),
		   *word = comma ? comma + 1 : a->prompt.text + at, *first = NULL;
	char names[APP_MESSAGE], shown[APP_MESSAGE], text[PROMPT_MAX];
	size_t common = 0, nr;

	if (!read_fields(a))
		return;
	nr = match_fields(a->grouping, word, &first, &common, names, sizeof(names));
	if (!nr && a->grouping->typed) {
		app_say(a, ROLE_DIM,
			"FIELD,FIELD of the event's format there; cpu, pid, tid, comm, stack");
		return;
	}
	if (!nr) {
		app_say(a, ROLE_WARN, "no field begins like this");
		return;
	}
	text_append(text, sizeof(text), 0, "%.*s%.*s", (int)(word - a->prompt.text), a->prompt.text,
		    (int)common, first);
	prompt_set(&a->prompt, text);
	text_escape(shown, sizeof(shown), names);
	if (nr > 1)
		app_say(a, ROLE_DIM, "%s", shown);
}
