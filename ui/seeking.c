/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/seeking.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/daytime.h"
#include "ui/app.h"

uint64_t seeking_first(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	return info->seeks ? info->begins : model_first(a->model);
}

uint64_t seeking_last(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	return info->seeks ? info->begins + info->length : app_now(a);
}

static bool is_held(const struct app *a, uint64_t time)
{
	return time >= model_first(a->model) && time <= model_now(a->model);
}

/* A stretch is read within the frame: it is some hundred slices. */
static void load(struct app *a, uint64_t time)
{
	struct session_request rq = {.command = SESSION_SEEK, .number = time};
	struct err err = {.code = 0};
	bool rows;

	if (a->session->ops->command(a->session, &rq, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	model_rewind(a->model);
	a->ended = false;
	while (!app_take(a, UINT64_MAX, &rows, &err))
		;
	if (err.code)
		app_say(a, ROLE_BAD, "%s", err.text);
}

bool seeking_bring(struct app *a, uint64_t time)
{
	if (!is_held(a, time) && model_info(a->model)->seeks)
		load(a, time);
	return is_held(a, time);
}

void seeking_go(struct app *a, const char *text)
{
	const struct session_info *info = model_info(a->model);
	uint64_t first = seeking_first(a), last = seeking_last(a), wall, time;
	struct err err = {.code = 0};

	if (daytime_parse(text, info->start_wall + first, info->start_wall + last, &wall, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	time = wall - info->start_wall;
	if (!seeking_bring(a, time)) {
		app_say(a, ROLE_WARN, "what was there is forgotten: a larger --history keeps more");
		return;
	}
	a->frozen = false;
	app_hold(a, (struct window){time, a->span ? time + a->span : app_now(a)});
}
