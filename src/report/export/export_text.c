/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report, for people (report/textreport.h) or for programs (report/jsonreport.h), as a file:
 * a window with all its rows.
 */
#include "report/export/export_parts.h"

#include <errno.h>

#include "report/export/exportdiff.h"
#include "report/jsonreport.h"
#include "report/changes.h"
#include "report/textreport.h"

#define LOGS 256 /* lines */

static void report_write(struct out *o, const struct export_source *src,
			 const struct headless_format *format)
{
	static const struct session_end going_on;
	const struct slice_log *logs[LOGS];
	struct head head;
	struct headless_view v = {.model = src->model,
				  .window = src->window,
				  .filter = src->query->filter,
				  .show_self = src->query->show_self,
				  .hide_kernel = src->query->hide_kernel,
				  .hide_user = src->query->hide_user,
				  .version = src->version,
				  .logs = logs,
				  .end = src->end ? src->end : &going_on};
	uint64_t end = model_now(src->model);

	model_head(src->model, 0, src->window, &head);
	if (src->window.to < end)
		end = src->window.to;
	v.time = (double)end / 1e9;
	v.seconds = head.seconds;
	v.nlogs = model_logs(src->model, logs, LOGS);
	format->header(o, &v);
	if (src->window.to == UINT64_MAX && !src->window.from)
		format->total(o, &v);
	else
		format->interval(o, &v);
}

/* Append the differences behind the report of the window itself, like --baseline. */
static void report_changes_write(struct out *o, const struct export_source *src,
				 void (*put)(struct out *o, const struct changes *c))
{
	struct changes c;

	if (!src->baseline)
		return;
	if (exportdiff_changes(src, &c))
		o->error = o->error ? o->error : -ENOMEM;
	else
		put(o, &c);
	exportdiff_changes_clear(&c);
}

static void text_write(struct out *o, const struct export_source *src)
{
	report_write(o, src, &text_format);
	report_changes_write(o, src, changes_text);
}

static void json_write(struct out *o, const struct export_source *src)
{
	report_write(o, src, &json_format);
	report_changes_write(o, src, changes_json);
}

const struct export_format export_text = {
	.name = "text",
	.suffix = ".txt",
	.compares = true,
	.write = text_write,
};

const struct export_format export_json = {
	.name = "json",
	.suffix = ".json",
	.compares = true,
	.write = json_write,
};
