/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "front/report_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/jsonout.h"
#include "model/fields.h"

#define TEXT_ROWS 20 /* in an interval's report, where --top says nothing else */

static bool is_total(const struct headless_view *v)
{
	return v->window.to == UINT64_MAX;
}

/* `put` of each event's keys, heaviest first, as many as were asked for; `total` has all. */
static void each_event(struct out *o, const struct headless_view *v, size_t most,
		       void (*put)(struct out *o, const struct session_event *e, const struct slice_field *const *all, size_t nr,
				   size_t more))
{
	const struct session_info *info = model_info(v->model);
	const struct slice_fields *f = model_fields(v->model, !is_total(v));
	const struct slice_field **all = calloc(f->nr + 1, sizeof(*all));

	if (!all && !o->error)
		o->error = -ENOMEM;
	for (unsigned e = 0; all && e < info->nevents; e++) {
		size_t nr = *info->events[e].by ? fields_of(f, e, all) : 0, shown = nr;

		if (most && shown > most)
			shown = most;
		if (nr)
			put(o, &info->events[e], all, shown, nr - shown);
	}
	free(all);
}

/* The i-th name; the last ends with the text.  Returns its length. */
static size_t name_at(const char **names)
{
	size_t len;

	*names += strspn(*names, ", ");
	len = strcspn(*names, ",");
	return len;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_number(struct out *o, const char *text)
{
	bool digits = *text == '-' ? text[1] && !text[1 + strspn(text + 1, "0123456789")]
				   : *text && !text[strspn(text, "0123456789")];

	/* What another machine says is no number stays a text. */
	if (digits && strlen(text) <= 20)
		out_text(o, text);
	else
		jsonout_name(o, text);
}

static void put_key(struct out *o, const struct session_event *e, const struct slice_field *f)
{
	const char *names = e->by, *value;
	char text[SLICE_FIELD_KEY];
	size_t len;

	for (unsigned i = 0; !f->rest && i < sizeof(e->by_kinds) && *names && (value = fields_value(f, i, &len)); i++) {
		size_t n = name_at(&names);

		snprintf(text, sizeof(text), "%.*s", (int)n, names);
		out_text(o, i ? "," : "");
		jsonout_name(o, text);
		out_text(o, ":");
		snprintf(text, sizeof(text), "%.*s", (int)len, value);
		if (e->by_kinds[i] == 'n')
			put_number(o, text);
		else
			jsonout_name(o, text);
		names += n;
	}
}

static void put_hist(struct out *o, const struct slice_field *f)
{
	unsigned last = SLICE_FIELD_BINS;

	while (last && !f->hist[last - 1])
		last--;
	out_text(o, ",\"hist\":[");
	for (unsigned i = 0; i < last; i++) {
		out_text(o, i ? "," : "");
		out_number(o, f->hist[i]);
	}
	out_text(o, "]}");
}

static void put_json(struct out *o, const struct session_event *e, const struct slice_field *const *all, size_t nr,
		     size_t more)
{
	(void)more;
	for (size_t i = 0; i < nr; i++) {
		const struct slice_field *f = all[i];

		if (o->len && o->data[o->len - 1] != '[')
			out_text(o, ",");
		jsonout_string(o, "{\"event\":", e->name);
		out_text(o, ",\"key\":{");
		put_key(o, e, f);
		out_printf(o, "}%s", f->rest ? ",\"rest\":true" : "");
		jsonout_number(o, ",\"count\":", f->count);
		jsonout_number(o, ",\"sum\":", f->sum);
		jsonout_number(o, ",\"min\":", f->min);
		jsonout_number(o, ",\"max\":", f->max);
		out_printf(o, ",\"avg\":%.17g", f->count ? (double)f->sum / (double)f->count : 0);
		put_hist(o, f);
	}
}

static bool any_keyed(const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned e = 0; e < info->nevents; e++)
		if (*info->events[e].by)
			return true;
	return false;
}

void json_fields(struct out *o, const struct headless_view *v)
{
	if (!any_keyed(v))
		return;
	out_text(o, ",\"fields\":[");
	each_event(o, v, is_total(v) ? 0 : v->top, put_json);
	out_text(o, "]");
}

/* --- for people ------------------------------------------------------------------------------ */

static void put_text(struct out *o, const struct session_event *e, const struct slice_field *const *all, size_t nr,
		     size_t more)
{
	out_text(o, "\n  ");
	out_name(o, e->name, 0);
	out_text(o, " by ");
	out_name(o, e->by, 0);
	out_printf(o, "\n  %14s %16s %12s %12s %14s\n", "count", "sum", "min", "max", "avg");
	for (size_t i = 0; i < nr; i++) {
		const struct slice_field *f = all[i];
		const char *value;
		size_t len;

		out_printf(o, "  %14llu %16llu %12llu %12llu %14.1f", (unsigned long long)f->count, (unsigned long long)f->sum,
			   (unsigned long long)f->min, (unsigned long long)f->max,
			   f->count ? (double)f->sum / (double)f->count : 0);
		for (unsigned k = 0; !f->rest && (value = fields_value(f, k, &len)); k++) {
			char text[SLICE_FIELD_KEY];

			snprintf(text, sizeof(text), "%.*s", (int)len, value);
			out_text(o, "  ");
			out_name(o, text, 0);
		}
		out_text(o, f->rest ? "  [others]\n" : "\n");
	}
	if (more)
		out_printf(o, "  %zu more\n", more);
}

void text_fields(struct out *o, const struct headless_view *v)
{
	size_t top = v->top ? v->top : TEXT_ROWS;

	each_event(o, v, is_total(v) ? 0 : top, put_text);
}
