/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/handler_files.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/app/prompt.h"
#include "ui/app/request.h"

void handler_write(struct app *a, const char *arg)
{
	struct err err = {0};
	char start[64] = "";

	if (*arg) {
		if (request_write(a, arg, &err))
			app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	if (a->options.formats && a->options.formats[0])
		text_append(start, sizeof(start), 0, "%s:", a->options.formats[0]);
	prompt_open(&a->prompt, PROMPT_WRITE, start);
}

/* Make a file name in the present directory: ringtop-HOST-20260101-140320 and the suffix. */
static void default_file(const struct app *a, const char *suffix, char *to, size_t size)
{
	char host[65], stamp[32] = "now";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	text_append(host, sizeof(host), 0, "%s", model_info(a->model)->host);
	for (char *c = host; *c; c++)
		if (*c == '/' || (unsigned char)*c <= ' ')
			*c = '_';
	text_append(to, size, 0, "ringtop-%s-%s%s", host, stamp, suffix);
}

void handler_record(struct app *a, const char *arg)
{
	const struct slice_recording *r = model_recording(a->own);
	struct err err = {0};
	char start[128];

	if (r && r->state == RECORDING_ENDING)
		app_say(a, ROLE_WARN, "the last recording is not finished");
	else if ((r && r->state == RECORDING_ON) || *arg) {
		if (request_record(a, arg, &err))
			app_say(a, ROLE_WARN, "%s", err.text);
	} else if (!model_info(a->own)->live) {
		app_say(a, ROLE_WARN, "this is a recording already");
	} else {
		default_file(a, ".data", start, sizeof(start));
		prompt_open(&a->prompt, PROMPT_RECORD, start);
	}
}

void handler_save(struct app *a, const char *arg)
{
	const struct session_info *info = model_info(a->model);
	struct err err = {0};
	char start[128];

	if (*arg || info->saving) {
		if (request_save(a, arg, &err))
			app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	default_file(a, ".tl", start, sizeof(start));
	prompt_open(&a->prompt, PROMPT_SAVE, start);
}

/* Return the lines of the drawn rows and their heads, or all lines if the view has no rows. */
static struct rect rows_drawn(const struct app *a, unsigned *rows)
{
	int top = a->scene.rows, below = 0;

	*rows = 0;
	for (unsigned i = 0; i < a->nzones; i++) {
		const struct zone *z = &a->zones[i];

		if (z->kind != ZONE_ROW)
			continue;
		top = z->at.y < top ? z->at.y : top;
		below = z->at.y + z->at.rows > below ? z->at.y + z->at.rows : below;
		(*rows)++;
	}
	if (!*rows)
		return scene_rect(&a->scene);
	top -= top > 0;
	return (struct rect){.y = top, .rows = below - top, .cols = a->scene.cols};
}

void handler_copy(struct app *a)
{
	unsigned rows;
	struct rect at = rows_drawn(a, &rows);
	size_t size = scene_dump_lines(&a->scene, at.y, at.rows, NULL, NULL, 0) + 1;

	free(a->copy);
	a->copy = malloc(size);
	if (!a->copy) {
		app_say(a, ROLE_BAD, "out of memory: not copied");
		return;
	}
	scene_dump_lines(&a->scene, at.y, at.rows, NULL, a->copy, size);
	/* Terminals do not report if they accept it. */
	app_say(a, ROLE_GOOD, "%u rows sent to the terminal's clipboard (OSC 52)", rows);
}
