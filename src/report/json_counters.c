/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json_counters.h"

#include <errno.h>
#include <math.h>

#include "report/jsonout.h"
#include "model/core/counters.h"
#include "model/core/ratios.h"

/* Put a value, or *exact instead: a count that is in its unit and was read, not estimated. */
static void put_json_value(struct out *o, const char *name, double value, const uint64_t *exact)
{
	if (isnan(value))
		out_printf(o, "%snull", name);
	else if (exact)
		jsonout_number(o, name, *exact);
	else
		out_printf(o, "%s%.17g", name, value);
}

static void put_counter_sum(struct out *o, const struct session_counter *c,
			    const struct counter_sum *s)
{
	bool whole = c->scale == 1.0f, all = s->running == s->enabled;

	put_json_value(o, ",\"count\":", counter_value(c, s), whole ? &s->count : NULL);
	put_json_value(o, ",\"scaled\":", counter_scaled(c, s), whole && all ? &s->count : NULL);
	jsonout_number(o, ",\"enabled\":", s->enabled);
	jsonout_number(o, ",\"running\":", s->running);
}

static void put_parts(struct out *o, const struct headless_view *v, const struct session_counter *c,
		      const struct slice_counter *of, size_t nr)
{
	out_text(o, ",\"cpus\":[");
	for (size_t i = 0; i < nr; i++) {
		const struct counter_sum sum = counters_sum(&of[i], 1);

		jsonout_place(o, v, !i, of[i].cpu);
		if (of[i].tid)
			jsonout_number(o, ",\"tid\":", (uint64_t)of[i].tid);
		put_counter_sum(o, c, &sum);
		out_text(o, "}");
	}
	out_text(o, "]");
}

static void put_json_counter(struct out *o, const struct headless_view *v,
			     const struct slice_counters *all, unsigned i)
{
	const struct session_counter *c = &model_info(v->model)->counters[i];
	size_t nr;
	const struct slice_counter *of = counters_of(all, i, &nr);
	const struct counter_sum sum = counters_sum(of, nr);

	jsonout_string(o, i ? ",{\"name\":" : "{\"name\":", c->name);
	jsonout_string(o, ",\"unit\":", c->unit);
	if (*c->filter)
		jsonout_string(o, ",\"filter\":", c->filter);
	put_counter_sum(o, c, &sum);
	jsonout_known(o, ",\"group\":", c->group ? c->group : GAUGE_UNKNOWN);
	jsonout_text(o, ",\"why\":", *counter_why(c, &sum) ? counter_why(c, &sum) : NULL);
	put_parts(o, v, c, of, nr);
	out_text(o, "}");
}

void json_counters(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);
	const struct slice_counters *all =
		info->ncounters ? model_counters(v->model, v->window) : NULL;

	if (info->ncounters && !all)
		o->error = o->error ? o->error : -ENOMEM;
	for (unsigned i = 0; all && i < info->ncounters; i++)
		put_json_counter(o, v, all, i);
}

void json_ratios(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);
	const struct slice_counters *all =
		info->ncounters ? model_counters(v->model, v->window) : NULL;
	struct ratio ratios[RATIOS_MAX];
	size_t nr = all ? ratios_make(info, all, v->seconds, ratios) : 0;

	for (size_t i = 0; i < nr; i++) {
		jsonout_string(o, i ? ",{\"name\":" : "{\"name\":", ratios[i].name);
		jsonout_string(o, ",\"unit\":", ratios[i].unit);
		jsonout_string(o, ",\"of\":", info->counters[ratios[i].of].name);
		jsonout_text(o, ",\"by\":",
			     ratios[i].by != ratios[i].of ? info->counters[ratios[i].by].name
							  : NULL);
		put_json_value(o, ",\"value\":", ratios[i].value, NULL);
		jsonout_text(o, ",\"why\":", ratios[i].why);
		out_text(o, "}");
	}
}
