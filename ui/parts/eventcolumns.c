/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/eventcolumns.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/app/view.h"
#include "ui/parts/details.h"
#include "ui/parts/wallclock.h"

#define COLUMN 11 /* columns */

/* Make a column's title; of a tracepoint only the name behind its system. */
static void make_title(const char *name, char *title, size_t size)
{
	const char *colon = strchr(name, ':');
	char text[4 * sizeof(((struct session_event *)0)->name)];

	text_escape(text, sizeof(text), colon && strlen(colon) > 3 ? colon + 1 : name);
	snprintf(title, size, "%.*s", COLUMN, text);
}

bool eventcolumns_measured(const struct app *a)
{
	struct account acc = {.attributed = 0};

	for (unsigned e = 0; e < model_info(a->model)->nevents && !acc.attributed; e++)
		if (e != a->event)
			model_account(a->model, e, ALL_CPUS, app_window(a), &acc);
	return acc.attributed;
}

static double part_counted(const struct app *a, unsigned event)
{
	struct account acc;

	model_account(a->model, event, ALL_CPUS, app_window(a), &acc);
	return acc.starved ? model_counter_share(&acc) : 1;
}

bool eventcolumns_estimates(const struct app *a)
{
	const struct eventcolumns *b = a->beside;
	bool any = b->nr && b->shown_part < 1;

	for (unsigned k = 0; k < b->nr; k++)
		any |= b->part[k] < 1;
	return any;
}

void eventcolumns_details(const struct app *a, struct details *d)
{
	struct account acc;

	model_account(a->model, a->event, ALL_CPUS, app_window(a), &acc);
	if (acc.starved)
		details_add(d, ROLE_WARN, "counted",
			    "%.1f%% of the time: shares of other events are of other times",
			    model_counter_share(&acc) * 100);
}

unsigned eventcolumns_choose(struct app *a, unsigned nr)
{
	const struct session_info *info = model_info(a->model);
	struct eventcolumns *b = a->beside;

	b->nr = 0;
	for (unsigned e = 0; b->on && !wallclock_shown(a) && e < info->nevents &&
			     b->nr < EVENTCOLUMNS_MOST && nr + b->nr < WIDGET_COLUMNS;
	     e++) {
		if (e == a->event)
			continue;
		make_title(info->events[e].name, b->title[b->nr], sizeof(b->title[0]));
		b->part[b->nr] = part_counted(a, e);
		b->event[b->nr++] = e;
	}
	b->shown_part = b->nr ? part_counted(a, a->event) : 1;
	return b->nr;
}

static struct eventcolumns_row *find_beside_row(struct eventcolumns *b, uint64_t key)
{
	for (size_t i = 0; i < b->nrows; i++)
		if (b->row[i].key == key)
			return &b->row[i];
	return NULL;
}

void eventcolumns_take(struct app *a, const struct row *rows, size_t nr, const struct query *q,
		 struct window w)
{
	struct eventcolumns *b = a->beside;
	struct query of = *q;

	b->nrows = nr < EVENTCOLUMNS_ROWS ? nr : EVENTCOLUMNS_ROWS;
	for (size_t i = 0; i < b->nrows; i++)
		b->row[i] = (struct eventcolumns_row){.key = rows[i].key, .self = rows[i].self};
	of.limit = 0;
	of.trend = of.in_part = false;
	for (unsigned k = 0; k < b->nr; k++) {
		const struct rows *others;

		of.event = b->event[k];
		others = model_rows(a->model, &of, w);
		for (size_t i = 0; others && i < others->nr; i++) {
			struct eventcolumns_row *r = find_beside_row(b, others->row[i].key);

			if (r)
				r->other[k] = others->row[i].self;
		}
	}
}

/* Return n per count of the event shown; if that is a time (ns) and n is not, per second. */
static double ratio(const struct app *a, const struct session_event *e,
		    const struct eventcolumns_row *r, double n)
{
	const struct session_event *shown = app_event(a);
	bool per_second = shown && !strcmp(shown->unit, "ns") && strcmp(e->unit, "ns") != 0;

	return n / (double)r->self * a->beside->shown_part * (per_second ? 1e9 : 1);
}

/* --- cells -------------------------------------------------------------------------------- */

static void put_cell_ratio(char *buf, size_t size, const char *mark, double value)
{
	char text[UNITS_LEN];

	if (value < 100)
		snprintf(buf, size, "%s%.3g", mark, value);
	else
		snprintf(buf, size, "%s%s", mark, units_count(text, value));
}

static enum role cell_beside(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct row *row = cell->row;
	unsigned k = cell->column - 1; /* they stand behind the first column */
	const struct session_event *e = &model_info(a->model)->events[a->beside->event[k]];
	struct eventcolumns_row *r = find_beside_row((struct eventcolumns *)a->beside, row->key);
	double part = a->beside->part[k], n = part > 0 && r ? (double)r->other[k] / part : 0;
	const char *mark = part < 1 || (a->beside->ratio && a->beside->shown_part < 1) ? "~" : "";
	char text[UNITS_LEN];

	if (part <= 0 || (a->beside->ratio && (!r || !r->self)))
		snprintf(buf, size, "-");
	else if (a->beside->ratio)
		put_cell_ratio(buf, size, mark, ratio(a, e, r, n));
	else
		snprintf(buf, size, "%s%s", mark,
			 !strcmp(e->unit, "ns") ? units_span(text, (uint64_t)n)
						: units_count(text, n));
	return n > 0 ? ROLE_TEXT : ROLE_DIM;
}

void eventcolumns_columns(const struct app *a, struct widget_column *columns)
{
	for (unsigned k = 0; k < a->beside->nr; k++)
		columns[k] = (struct widget_column){a->beside->title[k], COLUMN, 0, 0,
						    (uint8_t)(k + 1), true, -1, cell_beside, NULL};
}
