/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/linerows.h"

#include <errno.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/code/editor.h"
#include "ui/parts/details.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

#define TEXT_BYTES 600

enum role linerows_text_function(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;
	size_t pos = r->flags & ROW_KERNEL ? text_append(buf, size, 0, "[k] ") : 0;

	if (*r->function)
		rowlist_fit(cell->ctx, buf + pos, size - pos, r->function, NULL,
			 cell->width - (int)pos);
	else if (r->line)
		text_append(buf, size, pos, "(several)");
	return r->flags & ROW_LOADING  ? ROLE_LOADING
	       : r->flags & ROW_KERNEL ? ROLE_KERNEL
				       : ROLE_TEXT;
}

void linerows_ask(struct app *a)
{
	const struct session_request rq = {.command = SESSION_LINES};
	struct err err = {.code = 0};

	if (a->session && !a->ended && a->session->ops->command(a->session, &rq, &err) &&
	    err.code != EOPNOTSUPP) /* a session that neither sends nor saves has all lines */
		app_say(a, ROLE_WARN, "no lines from now on: %s", err.text);
}

/* Return why the row has no line, as far as the row tells; NULL: unknown. */
static const char *why_none(const struct row *r)
{
	if (r->flags & (ROW_SELF | ROW_LOST | ROW_FOLDED))
		return NULL;
	if (r->flags & ROW_LINE_PENDING)
		return "debug information is being read";
	if (r->flags & ROW_KERNEL)
		return "kernel lines are not read, even if its debug information is installed";
	return "this code has no debug information, its samples came or were saved without lines, "
	       "or --no-lines";
}

void linerows_details(struct details *d, const struct row *r)
{
	const char *why = r->line ? NULL : why_none(r);
	char text[TEXT_BYTES];

	if (*r->function) {
		text_escape(text, sizeof(text), r->function);
		details_add(d, ROLE_TEXT, "function", "%s", text);
	} else if (r->line) {
		details_add(d, ROLE_TEXT, "function", "in several functions");
	}
	if (r->line) {
		text_escape(text, sizeof(text), r->file);
		details_add(d, ROLE_TEXT, "source", "%s:%u", text, r->line);
	}
	if (why)
		details_add(d, ROLE_DIM, "no line", "%s", why);
}

const char *linerows_hint(const struct app *a, const struct rows *rows, char *buf, size_t size)
{
	double all = rows ? (double)rows->attributed + (double)rows->missing : 0;

	if (model_unlined(a->model))
		return model_info(a->own)->live
			       ? "data by function has no line: --group line has lines from the "
				 "start"
			       : "data saved by function has no line: --save with --group line "
				 "saves lines";
	if (rows && rows->missing) {
		text_append(
			buf, size, 0,
			"lines are known for %.1f%% of the run: the rest is no longer kept "
			"(--history keeps more)",
			100 * (double)rows->attributed / all);
		return buf;
	}
	return model_coarsened(a->model, app_window(a)) & MODEL_THIN_PATHS
		       ? "addresses thinned here: small rows lack lines (--history keeps more)"
		       : NULL;
}

bool linerows_source(const struct row *r, struct editor_file *f)
{
	if (!r || !r->line)
		return false;
	f->line = r->line;
	return text_append(f->path, sizeof(f->path), 0, "%s", r->file) < sizeof(f->path) - 1;
}
