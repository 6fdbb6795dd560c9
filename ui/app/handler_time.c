/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/handler_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ui/app/app.h"
#include "ui/app/marking.h"
#include "ui/app/seeking.h"

static const unsigned spans[] = {1, 2, 5, 10, 30, 60, 300, 900, 3600};

#define SPANS (sizeof(spans) / sizeof(spans[0]))

void handler_freeze(struct app *a)
{
	if (a->held) {
		app_live(a);
		return;
	}
	app_hold(a, app_window(a));
	a->frozen = true;
}

void handler_move_window(struct app *a, int by)
{
	uint64_t first, begin;
	struct window w = app_window(a);
	bool reached;

	if (!a->span) {
		app_say(a, ROLE_TEXT, "the window is the whole run: - narrows it");
		return;
	}
	reached = by > 0 || w.from >= model_first(a->model) + a->span || seeking_reach(a);
	first = seeking_first(a);
	if (by < 0 && w.from <= first && !reached)
		return;
	if (by < 0 && w.from <= first) {
		app_say(a, ROLE_TEXT, "the history begins here");
		return;
	}
	if (by > 0 && !a->held)
		return;
	begin = w.to > first ? w.to : first;
	/* Load the time that the new window needs, if the model does not have it. */
	if (by < 0 && w.from < model_first(a->model) + a->span)
		seeking_bring(a, w.from > first + a->span ? w.from - a->span : first);
	else if (by > 0 && begin + a->span > app_now(a))
		seeking_bring(a, begin + a->span < seeking_last(a) ? begin + a->span
								   : seeking_last(a));
	/* The new window adjoins the old one: nothing is shown twice or left out. */
	a->frozen = false;
	if (by < 0)
		app_hold(a, (struct window){w.from > first + a->span ? w.from - a->span : first,
					    w.from});
	else if (begin + a->span < app_now(a))
		app_hold(a, (struct window){begin, begin + a->span});
	else
		app_live(a);
}

void handler_wider(struct app *a)
{
	if (!a->span)
		return;
	for (size_t i = 0; i < SPANS; i++)
		if (spans[i] * NSEC_PER_SEC > a->span) {
			app_span(a, spans[i] * NSEC_PER_SEC);
			return;
		}
	app_span(a, 0);
}

void handler_narrower(struct app *a)
{
	for (size_t i = SPANS; i-- > 0;)
		if (!a->span || spans[i] * NSEC_PER_SEC < a->span) {
			app_span(a, spans[i] * NSEC_PER_SEC);
			return;
		}
}

static bool seconds(struct app *a, const char *text, double least, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value >= least && *value <= most)
		return true;
	app_say(a, ROLE_WARN, "'%s' is not a number of seconds from %g to %g", text, least, most);
	return false;
}

void handler_window(struct app *a, const char *arg)
{
	double value;

	if (!strcmp(arg, "all"))
		app_span(a, 0);
	else if (seconds(a, arg, 0.1, 1e6, &value))
		app_span(a, (uint64_t)llround(value * (double)NSEC_PER_SEC));
}

void handler_live(struct app *a)
{
	if (!app_step(a, STEP_NOW) && !a->held)
		list_last(&a->table[a->view].list);
	if (model_info(a->own)->seeks)
		seeking_bring(a, seeking_last(a));
	app_live(a);
}

void handler_mark(struct app *a, const char *arg)
{
	if (*arg)
		marking_set(a, marking_time(a), arg);
	else
		marking_ask(a);
}

void handler_jump(struct app *a, const char *arg)
{
	if (*arg)
		marking_jump(a, arg);
	else
		marking_menu(a);
}

void handler_delay(struct app *a, const char *arg)
{
	double value;

	if (seconds(a, arg, 0.1, 3600, &value))
		a->options.show.delay = value;
}
