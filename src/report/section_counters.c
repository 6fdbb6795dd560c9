/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are counted without samples, and ratios of two. */
#include "report/section_parts.h"

#include <math.h>
#include <string.h>

#include "model/core/counters.h"
#include "model/core/ratios.h"

/* A counter's sum, or one CPU's or thread's part of it. */
struct counter_row {
	const struct headless_view *v;
	struct session_counter c;
	const char *why, *unit;
	struct section_place place;
	struct counter_sum sum;
	double per_second, percent; /* NAN: not shown */
	const struct slice_counter *of; /* the parts */
	size_t nr;
};

/* Put a value, or *exact instead: a count that is in its unit and was read, not estimated. */
static void put_json_count(struct out *o, double value, const uint64_t *exact)
{
	if (isnan(value))
		out_text(o, "null");
	else if (exact)
		out_number(o, *exact);
	else
		out_printf(o, "%.17g", value);
}

static void json_count(struct out *o, const void *row)
{
	const struct counter_row *r = row;

	put_json_count(o, counter_value(&r->c, &r->sum), r->c.scale == 1.0f ? &r->sum.count : NULL);
}

static void json_scaled(struct out *o, const void *row)
{
	const struct counter_row *r = row;
	bool exact = r->c.scale == 1.0f && r->sum.running == r->sum.enabled;

	put_json_count(o, counter_scaled(&r->c, &r->sum), exact ? &r->sum.count : NULL);
}

static void text_count(struct out *o, const void *row)
{
	const struct counter_row *r = row;
	double value = counter_scaled(&r->c, &r->sum);

	if (isnan(value))
		out_printf(o, "%20s", "-");
	else if (!strcmp(r->c.unit, "ns"))
		out_printf(o, "%17.3f ms", value / 1e6);
	else
		out_printf(o, r->c.scale == 1.0f ? "%20.0f" : "%20.3f", value);
}

enum { OF_CPU = 1 };

#define COUNTER(member) COLUMN_OF(struct counter_row, member)

static const struct column counts[] = {
	SECTION_PLACE(struct counter_row, place, .when = OF_CPU),
	{"count", COLUMN_OWN, .json = json_count}, {"scaled", COLUMN_OWN, .json = json_scaled},
	{"enabled", COLUMN_NUMBER, COUNTER(sum.enabled)},
	{"running", COLUMN_NUMBER, COUNTER(sum.running)},
	{0},
};

static void json_parts(struct out *o, const void *row)
{
	const struct counter_row *r = row;

	out_text(o, "[");
	for (size_t i = 0; i < r->nr; i++) {
		struct counter_row part = {.c = r->c, .sum = counters_sum(&r->of[i], 1),
					   .place = section_place(r->v, r->of[i].cpu, -1)};

		part.place.tid = r->of[i].tid ? r->of[i].tid : -1;
		column_json_object(o, counts, &part, OF_CPU);
	}
	out_text(o, "]");
}

static const struct column counters[] = {
	{.form = COLUMN_OWN, .own = text_count, .text = "  {}"},
	{"name", COLUMN_NAME, COUNTER(c.name), "  {}", .width = 28},
	{"unit", COLUMN_NAME, COUNTER(c.unit)},
	{"filter", COLUMN_NAME, COUNTER(c.filter), .omit = COLUMN_OMIT},
	{NULL, COLUMN_NAME, COUNTER(unit), " {}", COLUMN_OMIT},
	{NULL, COLUMN_REAL, COUNTER(per_second), "  {} per second", COLUMN_OMIT, .format = "%.6g"},
	{NULL, COLUMN_REAL, COUNTER(percent), "  estimated: it counted {}% of the time",
	 COLUMN_OMIT, .format = "%.2f"},
	{NULL, COLUMN_OBJECT, .columns = counts}, {"group", COLUMN_NONZERO, COUNTER(c.group)},
	{"why", COLUMN_TEXT, COUNTER(why), "  {}", COLUMN_OMIT_TEXT},
	{"cpus", COLUMN_OWN, .json = json_parts},
	{0},
};

/* Return the window's counters, or NULL: there are none, or no memory. */
static const struct partsum *all_counters(struct section_rows *to)
{
	struct model *m = to->v->model;
	const struct partsum *all =
		model_info(m)->ncounters ? model_partsum(m, PART_COUNTERS, to->v->window) : NULL;

	if (model_info(m)->ncounters && !all)
		section_no_memory(to);
	return all;
}

static bool fill_counters(struct section_rows *to)
{
	const struct partsum *all = all_counters(to);

	if (all && !to->json)
		out_text(to->o, "  counters\n");
	for (unsigned i = 0; all && i < model_info(to->v->model)->ncounters; i++) {
		const struct session_counter *c = &model_info(to->v->model)->counters[i];
		bool clock = !strcmp(c->unit, "ns");
		struct counter_row r = {.v = to->v, .c = *c, .unit = clock ? "" : c->unit};
		double share;

		r.of = counters_of(all, i, &r.nr);
		r.sum = counters_sum(r.of, r.nr);
		share = counter_share(&r.sum);
		r.per_second = clock || !(to->v->seconds > 0)
				       ? NAN
				       : counter_scaled(c, &r.sum) / to->v->seconds;
		r.percent = share < 1 ? share * 100 : NAN;
		r.why = *counter_why(c, &r.sum) ? counter_why(c, &r.sum) : NULL;
		section_row(to, &r);
	}
	return true;
}

const struct section section_counters = {.name = "counters", .columns = counters,
	.fill = fill_counters};

struct ratio_row {
	struct ratio r;
	const char *of, *by;
	const char *unit; /* where there is a value */
};

static const struct column ratio_columns[] = {
#define RATIO(member) COLUMN_OF(struct ratio_row, member)
	{NULL, COLUMN_REAL, RATIO(r.value), "  {}", .width = 20, .format = "%20.3f"},
	{"name", COLUMN_NAME, RATIO(r.name), "  = {}"},
	{NULL, COLUMN_NAME, RATIO(unit), ", {}", COLUMN_OMIT},
	{"unit", COLUMN_NAME, RATIO(r.unit)}, {"of", COLUMN_NAME, RATIO(of)},
	{"by", COLUMN_TEXT, RATIO(by)},
	{"value", COLUMN_REAL, RATIO(r.value), .format = "%.17g"},
	{"why", COLUMN_TEXT, RATIO(r.why), "  {}", COLUMN_OMIT_TEXT},
	{0},
};

static bool fill_ratios(struct section_rows *to)
{
	const struct session_info *info = model_info(to->v->model);
	const struct partsum *all = all_counters(to);
	struct ratio ratios[RATIOS_MAX];
	size_t nr = all ? ratios_make(info, all, to->v->seconds, ratios) : 0;

	for (size_t i = 0; i < nr; i++) {
		const struct ratio *r = &ratios[i];

		section_row(to, &(struct ratio_row){*r, info->counters[r->of].name,
						    r->by != r->of ? info->counters[r->by].name
								   : NULL,
						    r->why ? "" : r->unit});
	}
	return true;
}

const struct section section_ratios = {.name = "ratios", .columns = ratio_columns,
	.fill = fill_ratios};
