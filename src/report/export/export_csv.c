/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line a function (and host), for spreadsheets and programs: RFC 4180, all events.
 *
 * Cells of names are quoted, and a name that a spreadsheet could take for a formula has a ' in
 * front.
 */
#include "report/export/export_parts.h"

#include <errno.h>

#include "report/column.h"
#include "report/export/exportdiff.h"

struct csv_row {
	struct row r;
	const char *event, *unit, *object, *kind, *note;
	uint64_t stands_for;
};

static const struct column functions[] = {
#define CSV_ROW(member) COLUMN_OF(struct csv_row, member)
	{"event", COLUMN_NAME, CSV_ROW(event)}, {"unit", COLUMN_NAME, CSV_ROW(unit)},
	{"host", COLUMN_NAME, CSV_ROW(r.host)}, {"function", COLUMN_NAME, CSV_ROW(r.name)},
	{"object", COLUMN_NAME, CSV_ROW(object)}, {"task", COLUMN_NAME, CSV_ROW(r.task)},
	{"kind", COLUMN_WORD, CSV_ROW(kind)}, {"samples", COLUMN_NUMBER, CSV_ROW(r.samples)},
	{"self", COLUMN_NUMBER, CSV_ROW(r.self)}, {"total", COLUMN_NUMBER, CSV_ROW(r.total)},
	{"self_percent", COLUMN_SHARE, CSV_ROW(r.self_share)},
	{"total_percent", COLUMN_SHARE, CSV_ROW(r.total_share)},
	{"stands_for", COLUMN_NUMBER, CSV_ROW(stands_for)}, {"note", COLUMN_NAME, CSV_ROW(note)},
	{0},
};

static const char *csv_unit(const struct session_event *e)
{
	return *e->weight ? e->weight : e->unit ? e->unit : "";
}

static void put_csv_row(struct out *o, const struct session_event *e, const struct row *r)
{
	struct csv_row row = {.r = *r, .event = e->name, .unit = csv_unit(e)};

	row.object = r->flags & ROW_UNMAPPED ? "" : r->object;
	row.kind = r->flags & ROW_LOST	   ? "lost"
		   : r->flags & ROW_SELF   ? "ringtop"
		   : r->flags & ROW_KERNEL ? "kernel"
					   : "user";
	row.note = r->flags & ROW_LOADING ? "loading" : r->why;
	row.stands_for = r->flags & ROW_FOLDED ? r->folded : 1;
	column_csv(o, functions, &row);
	export_breathe(o);
}

/* Append the differences from the baseline, in place of the rows. */
static void csv_changes_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);

	column_csv_head(o, changes_csv);
	for (unsigned event = 0; event < info->nevents && !o->error; event++) {
		const struct session_event *e = &info->events[event];
		struct changes_row row;
		struct diffed d;

		if (exportdiff_functions(src, event, &d))
			o->error = -ENOMEM;
		for (size_t i = 0; i < d.c.nr && !o->error; i++) {
			changes_row(&row, e->name, csv_unit(e), false, compare_row(&d.c, i));
			column_csv(o, changes_csv, &row);
			export_breathe(o);
		}
		exportdiff_clear(&d);
	}
}

static void csv_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);
	struct query q = *src->query;

	if (src->baseline) {
		csv_changes_write(o, src);
		return;
	}
	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.by_host = true;
	q.reverse = q.trend = false;
	q.limit = 0;
	column_csv_head(o, functions);
	for (q.event = 0; q.event < info->nevents; q.event++) {
		const struct rows *rows = model_rows(src->model, &q, src->window);

		if (!rows) {
			o->error = o->error ? o->error : -ENOMEM;
			return;
		}
		for (size_t i = 0; i < rows->nr && !o->error; i++)
			put_csv_row(o, &info->events[q.event], &rows->row[i]);
	}
}

const struct export_format export_csv = {
	.name = "csv",
	.suffix = ".csv",
	.compares = true,
	.write = csv_write,
};
