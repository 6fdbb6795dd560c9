/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text_counters.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/core/counters.h"
#include "model/core/ratios.h"

static void put_counter_value(struct out *o, const struct session_counter *c,
			      const struct counter_sum *s)
{
	double value = counter_scaled(c, s);

	if (isnan(value))
		out_printf(o, "%20s", "-");
	else if (!strcmp(c->unit, "ns"))
		out_printf(o, "%17.3f ms", value / 1e6);
	else if (c->scale != 1.0f)
		out_printf(o, "%20.3f", value);
	else
		out_printf(o, "%20.0f", value);
}

static void put_text_counter(struct out *o, const struct session_counter *c,
			     const struct counter_sum *s, double seconds)
{
	double value = counter_scaled(c, s), share = counter_share(s);
	const char *why = counter_why(c, s);

	out_text(o, "  ");
	put_counter_value(o, c, s);
	out_text(o, "  ");
	out_name(o, c->name, 28);
	if (*c->unit && strcmp(c->unit, "ns") != 0) {
		out_text(o, " ");
		out_name(o, c->unit, 0);
	}
	if (!isnan(value) && seconds > 0 && strcmp(c->unit, "ns") != 0)
		out_printf(o, "  %.6g per second", value / seconds);
	if (share < 1)
		out_printf(o, "  estimated: it counted %.2f%% of the time", share * 100);
	if (*why) {
		out_text(o, "  ");
		out_name(o, why, 0);
	}
	out_text(o, "\n");
}

static void put_ratios(struct out *o, const struct headless_view *v,
		       const struct slice_counters *all)
{
	struct ratio ratios[RATIOS_MAX];
	size_t nr = ratios_make(model_info(v->model), all, v->seconds, ratios);

	for (size_t i = 0; i < nr; i++) {
		if (ratios[i].why)
			out_printf(o, "  %20s  = %s  %s\n", "-", ratios[i].name, ratios[i].why);
		else
			out_printf(o, "  %20.3f  = %s%s%s\n", ratios[i].value, ratios[i].name,
				   *ratios[i].unit ? ", " : "", ratios[i].unit);
	}
}

void text_counters(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);
	const struct slice_counters *all =
		info->ncounters ? model_counters(v->model, v->window) : NULL;

	if (info->ncounters && !all)
		o->error = o->error ? o->error : -ENOMEM;
	if (!all)
		return;
	out_text(o, "  counters\n");
	for (unsigned i = 0; i < info->ncounters; i++) {
		size_t nr;
		const struct slice_counter *of = counters_of(all, i, &nr);
		const struct counter_sum sum = counters_sum(of, nr);

		put_text_counter(o, &info->counters[i], &sum, v->seconds);
	}
	put_ratios(o, v, all);
}
