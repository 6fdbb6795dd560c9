/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/marking.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/app/menu.h"
#include "ui/app/prompt.h"
#include "ui/app/seeking.h"

uint64_t marking_time(const struct app *a)
{
	struct window w = app_window(a);

	return a->held && w.to != UINT64_MAX ? w.to : app_now(a);
}

static void mark_time_of_day(const struct app *a, uint64_t time, char *to, size_t size)
{
	marks_time_of_day(model_info(a->model)->start_wall + time, to, size);
}

void marking_set(struct app *a, uint64_t time, const char *name)
{
	char day[32];

	if (!time) {
		app_say(a, ROLE_TEXT, "no data is there yet to be marked");
		return;
	}
	mark_time_of_day(a, time, day, sizeof(day));
	if (marks_set(a->own, a->session, time, *name ? name : day))
		app_say(a, ROLE_BAD, "out of memory: no mark set");
	else
		app_say(a, ROLE_TEXT, "marked: %s; ' goes there", *name ? name : day);
}

void marking_ask(struct app *a)
{
	char day[32];

	a->marking->time = marking_time(a);
	if (!a->marking->time) {
		marking_set(a, 0, "");
		return;
	}
	mark_time_of_day(a, a->marking->time, day, sizeof(day));
	prompt_open(&a->prompt, PROMPT_MARK, "");
	app_say(a, ROLE_DIM, "(Enter alone: %s)", day);
}

void marking_menu(struct app *a)
{
	const struct mark *mark;
	size_t nr = model_marks(a->own, &mark);
	uint64_t now = app_now(a);
	char span[UNITS_LEN];

	if (!nr) {
		app_say(a, ROLE_TEXT, "there is no mark yet: m sets one");
		return;
	}
	menu_open(&a->menu, "jump", " go to mark ");
	for (size_t i = nr, n = 0; i-- > 0 && n < MENU_MAX; n++) {
		uint64_t ago = now > mark[i].time ? (now - mark[i].time) / NSEC_PER_SEC : 0;

		text_append(a->marking->item[n], sizeof(a->marking->item[n]), 0, "%u %s, %s ago",
			    mark[i].nr, mark[i].name,
			    ago ? units_span(span, ago * NSEC_PER_SEC) : "0 s");
		menu_add(&a->menu, a->marking->item[n], false);
	}
}

/* Find the newest mark of that name; else by the number at the start of a menu item. */
static const struct mark *find_mark_by_text(const struct app *a, const char *text)
{
	const struct mark *mark;
	size_t nr = model_marks(a->own, &mark);
	unsigned long number;
	char *end;

	for (size_t i = nr; i-- > 0;)
		if (!strcmp(mark[i].name, text))
			return &mark[i];
	number = strtoul(text, &end, 10);
	if (end == text || (*end && *end != ' '))
		return NULL;
	for (size_t i = nr; i-- > 0;)
		if (mark[i].nr == number)
			return &mark[i];
	return NULL;
}

void marking_jump(struct app *a, const char *text)
{
	const struct mark *m = find_mark_by_text(a, text);
	uint64_t now, to;

	if (!m) {
		app_say(a, ROLE_WARN, "there is no mark '%s'", text);
		return;
	}
	if (!seeking_bring(a, m->time)) {
		app_say(a, ROLE_WARN,
			"that time is no longer kept: a larger --history keeps more, --save FILE "
			"all");
		return;
	}
	now = app_now(a);
	a->frozen = false;
	/* With a span of the whole run the window extends to now. */
	to = a->span && m->time + a->span < now ? m->time + a->span : now;
	if (to > m->time)
		app_hold(a, (struct window){m->time, to});
	else
		app_live(a);
	app_say(a, ROLE_TEXT, "the window begins at %s; < shows time before", m->name);
}

const struct mark *marking_in(const struct app *a, struct window w)
{
	const struct mark *mark;

	for (size_t i = model_marks(a->own, &mark); i-- > 0;)
		if (mark[i].time >= w.from && mark[i].time <= w.to)
			return &mark[i];
	return NULL;
}
