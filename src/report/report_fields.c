/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/jsonout.h"
#include "model/fields/fieldhists.h"
#include "model/fields/fieldpaths.h"
#include "model/fields/fields.h"

#define TEXT_ROWS 20 /* rows in an interval's report, without --top */

static bool is_total(const struct headless_view *v)
{
	return v->window.to == UINT64_MAX;
}

#define TEXT_PATH 160 /* bytes of a call path in text, about, so that the line is still readable */

/* Rows of one list of fields of an event. */
struct shown {
	struct model *m;
	const struct session_event *e;
	const struct field_rows *r;
	size_t nr;
	uint64_t (*hist)[SLICE_FIELD_BINS];
};

typedef void put_rows(struct out *o, const struct shown *s);

/* Put the rows of an event's list of fields number `by`.  Return the number of its lists. */
static unsigned put_field_list(struct out *o, const struct headless_view *v, unsigned event,
			       unsigned by, size_t most, put_rows *put)
{
	const struct field_query q = {
		.event = event, .by = (int)by, .sort = SORT_COUNT, .filter = v->filter};
	const struct field_rows *r = model_fields(v->model, &q, v->window);
	size_t shown = r && most && r->nr > most ? most : r ? r->nr : 0;
	uint64_t (*hist)[SLICE_FIELD_BINS] = calloc(shown + 1, sizeof(*hist));

	if (!r || !hist || model_field_hists(v->model, v->window, r->row, shown, hist))
		o->error = o->error ? o->error : -ENOMEM;
	else if (r->all)
		put(o, &(struct shown){v->model, &model_info(v->model)->events[event], r, shown,
				       hist});
	free(hist);
	return r ? r->nby : 0;
}

/*
 * Call `put` for each list of fields of each event, with at most `most` rows, heaviest first; 0:
 * all.
 */
static void each_event(struct out *o, const struct headless_view *v, size_t most, put_rows *put)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned e = 0; e < info->nevents; e++)
		for (unsigned by = 0, nr = 1; by < nr; by++)
			nr = put_field_list(o, v, e, by, most, put);
}

/* --- JSON ------------------------------------------------------------------------------------ */

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
	char before = '[', address[32];
	const char *name;

	for (; (name = model_field_frame(m, &at, address)); before = ',') {
		out_bytes(o, &before, 1);
		jsonout_name(o, name);
	}
	out_text(o, before == '[' ? "[]" : "]");
}

static void put_key_members(struct out *o, const struct shown *s, const struct field_row *f)
{
	const struct field_rows *r = s->r;
	char text[SLICE_FIELD_KEY];
	const char *name, *value;
	size_t len, n;

	for (unsigned i = 0;
	     !f->rest && i < sizeof(((struct session_event *)0)->by_kinds) &&
	     (name = fields_name(r->names, i, &n)) && (value = fields_value(f->text, i, &len));
	     i++) {
		snprintf(text, sizeof(text), "%.*s", (int)n, name);
		out_text(o, i ? "," : "");
		jsonout_name(o, text);
		out_text(o, ":");
		snprintf(text, sizeof(text), "%.*s", (int)len, value);
		if (r->kinds[i] == SLICE_FIELD_PATH)
			put_path_functions(o, s->m, f);
		else if (r->kinds[i] == 'n')
			put_json_number(o, text);
		else
			jsonout_name(o, text);
	}
}

static void put_hist(struct out *o, const uint64_t *hist)
{
	unsigned last = SLICE_FIELD_BINS;

	while (last && !hist[last - 1])
		last--;
	out_text(o, ",\"hist\":[");
	for (unsigned i = 0; i < last; i++) {
		out_text(o, i ? "," : "");
		out_number(o, hist[i]);
	}
	out_text(o, "]}");
}

static void put_json_keys(struct out *o, const struct shown *s)
{
	const struct session_event *e = s->e;

	for (size_t i = 0; i < s->nr; i++) {
		const struct field_row *f = &s->r->row[i];

		if (o->len && o->data[o->len - 1] != '[')
			out_text(o, ",");
		jsonout_string(o, "{\"event\":", e->name);
		out_text(o, ",\"key\":{");
		put_key_members(o, s, f);
		out_printf(o, "}%s", f->rest ? ",\"rest\":true" : "");
		jsonout_number(o, ",\"count\":", f->count);
		jsonout_number(o, ",\"sum\":", f->sum);
		if (e->in_kernel) {
			out_text(o, ",\"min\":null,\"max\":null");
		} else {
			jsonout_number(o, ",\"min\":", f->min);
			jsonout_number(o, ",\"max\":", f->max);
		}
		out_printf(o, ",\"avg\":%.17g", f->count ? (double)f->sum / (double)f->count : 0);
		if (e->in_kernel)
			out_text(o, ",\"hist\":null}");
		else
			put_hist(o, s->hist[i]);
	}
}

static bool any_keyed(const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned e = 0; e < info->nevents; e++)
		if (*info->events[e].by || info->events[e].by_nr)
			return true;
	return false;
}

void json_fields(struct out *o, const struct headless_view *v)
{
	if (!any_keyed(v))
		return;
	out_text(o, ",\"fields\":[");
	each_event(o, v, is_total(v) ? 0 : v->top, put_json_keys);
	out_text(o, "]");
}

/* --- for people ------------------------------------------------------------------------------ */

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

static void put_key_values(struct out *o, const struct shown *s, const struct field_row *f)
{
	const char *value;
	size_t len;

	for (unsigned k = 0; !f->rest && (value = fields_value(f->text, k, &len)); k++) {
		char text[SLICE_FIELD_KEY];

		out_text(o, "  ");
		snprintf(text, sizeof(text), "%.*s", (int)len, value);
		if (k < sizeof(s->e->by_kinds) && s->r->kinds[k] == SLICE_FIELD_PATH)
			put_path_text(o, s->m, f);
		else
			out_name(o, text, 0);
	}
	out_text(o, f->rest ? "  [others]\n" : "\n");
}

static void put_text_keys(struct out *o, const struct shown *s)
{
	const struct session_event *e = s->e;

	out_text(o, "\n  ");
	out_name(o, e->name, 0);
	out_text(o, " by ");
	out_name(o, s->r->names, 0);
	if (e->in_kernel)
		out_text(o, ", summed up by the kernel, without records");
	out_printf(o, "\n  %14s %16s %12s %12s %14s\n", "count", "sum", "min", "max", "avg");
	for (size_t i = 0; i < s->nr; i++) {
		const struct field_row *f = &s->r->row[i];

		out_printf(o, "  %14llu %16llu", (unsigned long long)f->count,
			   (unsigned long long)f->sum);
		if (e->in_kernel)
			out_printf(o, " %12s %12s", "-", "-");
		else
			out_printf(o, " %12llu %12llu", (unsigned long long)f->min,
				   (unsigned long long)f->max);
		out_printf(o, " %14.1f", f->count ? (double)f->sum / (double)f->count : 0);
		put_key_values(o, s, f);
	}
	if (s->r->nr > s->nr)
		out_printf(o, "  %zu more\n", s->r->nr - s->nr);
	if (s->r->all > s->r->nr)
		out_printf(o, "  %zu hidden by the filter\n", s->r->all - s->r->nr);
}

void text_fields(struct out *o, const struct headless_view *v)
{
	size_t top = v->top ? v->top : TEXT_ROWS;

	each_event(o, v, is_total(v) ? 0 : top, put_text_keys);
}
