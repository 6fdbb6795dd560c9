/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_aux_pt.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/parts/widget.h"

#define STRETCH_ROWS 4 /* rows for lost stretches, if functions have room, too */

/* --- cells -------------------------------------------------------------------------------- */

static enum role text_pt_time(const struct widget_cell *cell, char *buf, size_t size)
{
	enum role role = widget_span(buf, size, ((const struct slice_pt_row *)cell->row)->ns);

	return role == ROLE_DIM ? role : ROLE_STRONG;
}

/* Format the share of time, or of instructions where the trace has no time. */
static enum role text_pt_share(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_pt *pt = model_pt(((const struct app *)cell->ctx)->model);
	const struct slice_pt_row *r = cell->row;

	if (pt->ns != GAUGE_UNKNOWN && pt->ns)
		widget_percent(buf, size,
			       r->ns == GAUGE_UNKNOWN ? NAN : (double)r->ns / (double)pt->ns);
	else
		widget_percent(buf, size, pt->insns ? (double)r->insns / (double)pt->insns : NAN);
	return ROLE_TEXT;
}

WIDGET_CELL(text_insns, count, struct slice_pt_row, insns)
WIDGET_CELL(text_calls, count, struct slice_pt_row, calls)
WIDGET_CELL(text_function, name, struct slice_pt_row, function)
WIDGET_CELL(text_task, name, struct slice_pt_row, comm)

static enum role text_pt_object(const struct widget_cell *cell, char *buf, size_t size)
{
	text_escape(buf, size, ((const struct slice_pt_row *)cell->row)->object);
	return ROLE_DIM;
}

static const struct widget_column columns[] = {
	{"TIME", 8, 0, 0, 0, true, -1, text_pt_time, NULL},
	{"%", 6, 0, 0, 1, true, -1, text_pt_share, NULL},
	{"INSNS", 6, 0, 0, 3, true, -1, text_insns, NULL},
	{"CALLS", 6, 0, 0, 4, true, -1, text_calls, NULL},
	{"FUNCTION", 12, 3, 0, 0, false, -1, text_function, NULL},
	{"OBJECT", 10, 2, 40, 5, false, -1, text_pt_object, NULL},
	{"TASK", 8, 1, 15, 2, false, -1, text_task, NULL},
};

/* --- lines -------------------------------------------------------------------------------- */

static void say_sums(const struct slice_pt *pt, char *text, size_t size)
{
	char n[UNITS_LEN], b[UNITS_LEN];
	size_t pos = text_append(text, size, 0, " Intel PT of snapshot %u", pt->snapshot);

	if (pt->error) {
		pos = text_append(text, size, pos, ": ");
		text_escape(text + pos, size - pos, pt->error);
		return;
	}
	pos = text_append(text, size, pos, ": %s instructions", units_count(n, (double)pt->insns));
	if (pt->ns != GAUGE_UNKNOWN)
		pos = text_append(text, size, pos, " in %s", units_span(n, pt->ns));
	if (pt->bytes)
		pos = text_append(text, size, pos, ", %.1f%% of %s decoded",
				  100.0 * (double)pt->decoded / (double)pt->bytes,
				  units_bytes(b, (double)pt->bytes));
	if (pt->ns == GAUGE_UNKNOWN)
		text_append(text, size, pos, "; trace lacks times");
}

/* Write the losses by cause.  False: there are none. */
static bool write_pt_losses(const struct slice_pt *pt, char *text, size_t size)
{
	size_t pos = text_append(text, size, 0, " lost:");
	char n[UNITS_LEN];
	bool any = false;

	for (int i = 0; i < PT_LOST_NR; i++) {
		if (!pt->lost[i])
			continue;
		pos = text_append(text, size, pos, "%s %s %llu×", any ? "," : "", pt_lost_texts[i],
				  (unsigned long long)pt->lost[i]);
		if (pt->lost_bytes[i])
			pos = text_append(text, size, pos, " %s",
					  units_bytes(n, (double)pt->lost_bytes[i]));
		any = true;
	}
	return any;
}

static void say_stretch(const struct slice_pt_stretch *s, char *text, size_t size)
{
	char n[UNITS_LEN], why[64];
	size_t pos;

	text_escape(why, sizeof(why), s->why ? s->why : "");
	pos = text_append(text, size, 0, "   cpu %d at %llu: %s, %s", s->cpu,
			  (unsigned long long)s->offset, pt_lost_texts[s->cause],
			  s->bytes == GAUGE_UNKNOWN ? "-" : units_bytes(n, (double)s->bytes));
	pos = text_append(text, size, pos, ", %s",
			  s->ns == GAUGE_UNKNOWN ? "-" : units_span(n, s->ns));
	if (*why)
		text_append(text, size, pos, ": %s", why);
}

static int draw_text_row(struct app *a, struct rect *at, enum role role, const char *text)
{
	if (at->rows <= 0)
		return 0;
	scene_fit(&a->scene, at->y, at->x, at->cols, role, text);
	at->y++;
	at->rows--;
	return 1;
}

static void draw_functions(struct app *a, const struct slice_pt *pt, struct rect *at, int rows)
{
	struct widget_table t = {.columns = columns, .nr = sizeof(columns) / sizeof(columns[0])};

	if (!pt->nrows || rows < 2)
		return;
	widget_table_layout(&t, 1, at->cols, 0);
	widget_table_head(&a->scene, at->y, at->cols, &t, NULL, -1, false);
	at->y++;
	at->rows--;
	for (size_t i = 0; i < pt->nrows && (int)i < rows - 1; i++) {
		widget_table_row(&a->scene, at->y, at->cols, &t, a, &pt->rows[i], false);
		at->y++;
		at->rows--;
	}
}

void view_aux_pt_draw(struct app *a, struct rect at)
{
	const struct slice_pt *pt = model_pt(a->model);
	char text[400];
	int stretches;

	if (!pt || at.rows < 2)
		return;
	say_sums(pt, text, sizeof(text));
	draw_text_row(a, &at, pt->error ? ROLE_WARN : ROLE_STRONG, text);
	if (write_pt_losses(pt, text, sizeof(text)))
		draw_text_row(a, &at, ROLE_WARN, text);
	stretches = pt->nstretches < STRETCH_ROWS ? (int)pt->nstretches : STRETCH_ROWS;
	if (at.rows < 2 * stretches + 3)
		stretches = 0; /* their sums are shown above */
	draw_functions(a, pt, &at, at.rows - stretches);
	for (int i = 0; i < stretches; i++) {
		say_stretch(&pt->stretches[i], text, sizeof(text));
		draw_text_row(a, &at, ROLE_DIM, text);
	}
}
