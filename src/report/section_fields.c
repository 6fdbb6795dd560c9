/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of tracepoints' samples by fields (--by). */
#include "report/section_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fields/fieldhists.h"
#include "model/fields/fieldpaths.h"
#include "model/fields/fieldquery.h"
#include "report/jsonout.h"

#define TEXT_ROWS 20  /* rows in an interval's text, without --top */
#define TEXT_PATH 160 /* bytes of a call path in text, about, so that the line is still readable */

struct key_row {
	struct model *m;
	const struct session_event *e;
	const struct field_rows *rows;
	const char *event;
	struct field_row f; /* min, max: not known where the kernel summed up */
	double average;
	const uint64_t *hist; /* NULL: not known, like min and max */
};

/* Copy value k of a row.  False: it has no more. */
static bool key_value(const struct key_row *r, unsigned k, char text[SLICE_FIELD_KEY])
{
	size_t len;
	const char *value = r->f.rest ? NULL : fields_value(r->f.text, k, &len);

	if (value)
		snprintf(text, SLICE_FIELD_KEY, "%.*s", (int)len, value);
	return value;
}

static bool is_path_value(const struct key_row *r, unsigned k)
{
	return k < sizeof(r->e->by_kinds) && r->rows->kinds[k] == SLICE_FIELD_PATH;
}

static void put_json_number(struct out *o, const char *text)
{
	bool digits = *text == '-' ? text[1] && !text[1 + strspn(text + 1, "0123456789")]
				   : *text && !text[strspn(text, "0123456789")];

	/* the text may come from another machine: only digits are put as a number */
	if (digits && strlen(text) <= 20)
		out_text(o, text);
	else
		jsonout_name(o, text);
}

/* Put the functions of a call path as an array, the leaf first. */
static void put_path_functions(struct out *o, struct model *m, const struct field_row *f)
{
	struct fieldpaths_at at = {.path = f->path};
	const char *name;
	char address[32];

	out_text(o, "[");
	while ((name = model_field_frame(m, &at, address)))
		jsonout_string(o, NULL, name);
	out_text(o, "]");
}

static void json_key(struct out *o, const void *row)
{
	const struct key_row *r = row;
	char text[SLICE_FIELD_KEY], key[SLICE_FIELD_KEY];
	const char *name;
	size_t n;

	out_text(o, "{");
	for (unsigned i = 0; i < sizeof(r->e->by_kinds) &&
			     (name = fields_name(r->rows->names, i, &n)) && key_value(r, i, text);
	     i++) {
		snprintf(key, sizeof(key), "%.*s", (int)n, name);
		jsonout_string(o, NULL, key);
		out_text(o, ":");
		if (is_path_value(r, i))
			put_path_functions(o, r->m, &r->f);
		else if (r->rows->kinds[i] == 'n')
			put_json_number(o, text);
		else
			jsonout_name(o, text);
	}
	out_text(o, "}");
}

/* Put "leaf < caller < ...", as many as there is room for. */
static void put_path_text(struct out *o, struct model *m, const struct field_row *f)
{
	struct fieldpaths_at at = {.path = f->path};
	const char *name, *before = "";
	size_t from = o->len;
	char address[32];

	for (; (name = model_field_frame(m, &at, address)); before = " < ") {
		out_text(o, before);
		if (o->len - from > TEXT_PATH) {
			out_text(o, "...");
			return;
		}
		out_name(o, name, 0);
	}
	out_text(o, *before ? "" : "-");
}

static void text_key_values(struct out *o, const void *row)
{
	const struct key_row *r = row;
	char text[SLICE_FIELD_KEY];

	for (unsigned k = 0; key_value(r, k, text); k++) {
		out_text(o, "  ");
		if (is_path_value(r, k))
			put_path_text(o, r->m, &r->f);
		else
			out_name(o, text, 0);
	}
}

static const struct column keys[] = {
#define KEY(member) COLUMN_OF(struct key_row, member)
	{"event", COLUMN_NAME, KEY(event)}, {"key", COLUMN_OWN, .json = json_key},
	{"rest", COLUMN_BOOL, KEY(f.rest), .omit = COLUMN_OMIT},
	{"count", COLUMN_NUMBER, KEY(f.count), "  {}", .head = "count", .width = 14},
	{"sum", COLUMN_NUMBER, KEY(f.sum), " {}", .head = "sum", .width = 16},
	{"min", COLUMN_KNOWN, KEY(f.min), " {}", .head = "min", .width = 12},
	{"max", COLUMN_KNOWN, KEY(f.max), " {}", .head = "max", .width = 12},
	{"avg", COLUMN_REAL, KEY(average), .format = "%.17g"},
	{NULL, COLUMN_REAL, KEY(average), " {}", .head = "avg", .width = 14, .format = "%14.1f"},
	{"hist", COLUMN_COUNTS, KEY(hist), .nr = SLICE_FIELD_BINS},
	{.form = COLUMN_OWN, .own = text_key_values, .text = "{}"},
	{NULL, COLUMN_BOOL, KEY(f.rest), "  [others]", COLUMN_OMIT},
	{0},
};

static void put_keys(struct section_rows *to, const struct field_rows *rows, size_t nr,
		     const uint64_t (*hist)[SLICE_FIELD_BINS])
{
	struct model *m = to->v->model;
	const struct session_event *e = &model_info(m)->events[to->event];

	if (!to->json) { /* each list of fields is a table */
		to->nr = 0;
		out_text(to->o, "\n  ");
		out_name(to->o, e->name, 0);
		out_text(to->o, " by ");
		out_name(to->o, rows->names, 0);
		out_text(to->o, e->in_kernel ? ", summed up by the kernel, without records" : "");
		out_text(to->o, "\n");
	}
	for (size_t i = 0; i < nr; i++) {
		struct key_row r = {m, e, rows, e->name, rows->row[i], 0,
				    e->in_kernel ? NULL : hist[i]};

		r.average = r.f.count ? (double)r.f.sum / (double)r.f.count : 0;
		if (e->in_kernel)
			r.f.min = r.f.max = GAUGE_UNKNOWN;
		section_row(to, &r);
	}
	if (!to->json && rows->nr > nr)
		out_printf(to->o, "  %zu more\n", rows->nr - nr);
	if (!to->json && rows->all > rows->nr)
		out_printf(to->o, "  %zu hidden by the filter\n", rows->all - rows->nr);
}

/* Fill in an event's list of fields number `by`.  Return the number of its lists. */
static unsigned fill_keys(struct section_rows *to, unsigned by)
{
	const struct headless_view *v = to->v;
	const struct field_query q = {
		.event = to->event, .by = (int)by, .sort = SORT_COUNT, .filter = v->filter};
	const struct field_rows *rows = model_fields(v->model, &q, v->window);
	size_t top = to->json || v->top ? v->top : TEXT_ROWS,
	       most = v->window.to == UINT64_MAX || !top ? SIZE_MAX : top,
	       nr = rows ? rows->nr < most ? rows->nr : most : 0;
	uint64_t (*hist)[SLICE_FIELD_BINS] = calloc(nr + 1, sizeof(*hist));

	if (!rows || !hist || model_field_hists(v->model, v->window, rows->row, nr, hist))
		section_no_memory(to);
	else if (rows->all)
		put_keys(to, rows, nr, hist);
	free(hist);
	return rows ? rows->nby : 0;
}

static bool fill_fields(struct section_rows *to)
{
	const struct session_info *info = model_info(to->v->model);
	bool keyed = false;

	for (unsigned e = 0; e < info->nevents; e++)
		keyed |= *info->events[e].by || info->events[e].by_nr;
	for (to->event = 0; to->event < info->nevents && (keyed || !to->json); to->event++)
		for (unsigned by = 0, nr = 1; by < nr; by++)
			nr = fill_keys(to, by);
	return keyed;
}

const struct section section_fields = {.name = "fields", .columns = keys, .fill = fill_fields};
