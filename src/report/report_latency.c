/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report_latency.h"

#include <stdio.h>
#include <string.h>

#include "report/jsonout.h"
#include "model/fields/fields.h"

#define BAR 40

/* Return the number of bins up to the last that is not empty. */
static unsigned bins_of(const struct slice_latency *l)
{
	unsigned last = SLICE_LATENCY_BINS;

	while (last && !l->hist[last - 1])
		last--;
	return last;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_pair_key(struct out *o, const char *names)
{
	char text[160];

	out_text(o, ",\"key\":[");
	for (const char *at = names; *at;) {
		size_t len = strcspn(at, ",");

		snprintf(text, sizeof(text), "%.*s", (int)len, at);
		out_text(o, at == names ? "" : ",");
		jsonout_name(o, text);
		at += len;
		at += strspn(at, ", ");
	}
	out_text(o, "]");
}

void json_latency(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);
	struct slice_latency sum, *l = &sum;
	unsigned bins;

	if (!info->between.wanted)
		return;
	model_latency(v->model, v->window, l);
	bins = bins_of(l);
	jsonout_string(o, ",\"latencies\":[{\"from\":", info->events[info->between.from].name);
	jsonout_string(o, ",\"to\":", info->events[info->between.to].name);
	put_pair_key(o, info->between.key);
	jsonout_number(o, ",\"count\":", l->count);
	jsonout_number(o, ",\"sum\":", l->sum);
	out_printf(o, ",\"avg\":%.17g", l->count ? (double)l->sum / (double)l->count : 0);
	jsonout_number(o, ",\"min\":", l->min);
	jsonout_number(o, ",\"p50\":", slice_latency_part(l, 0.5));
	jsonout_number(o, ",\"p99\":", slice_latency_part(l, 0.99));
	jsonout_number(o, ",\"max\":", l->max);
	out_text(o, ",\"hist\":[");
	for (unsigned i = 0; i < bins; i++) {
		out_text(o, i ? "," : "");
		out_number(o, l->hist[i]);
	}
	out_text(o, "]");
	jsonout_number(o, ",\"unpaired_from\":", l->unpaired_from);
	jsonout_number(o, ",\"unpaired_to\":", l->unpaired_to);
	jsonout_number(o, ",\"lost\":", l->lost);
	out_text(o, "}]");
}

/* --- for people ------------------------------------------------------------------------------ */

/* Put a bar for each range between two powers of two; JSON has all bins. */
static void put_bars(struct out *o, const struct slice_latency *l)
{
	uint64_t of[SLICE_LATENCY_BINS / 8] = {0}, most = 0;
	unsigned last = (bins_of(l) + 7) / 8;

	for (unsigned i = 0; i < SLICE_LATENCY_BINS; i++)
		of[i / 8] += l->hist[i];
	for (unsigned i = 0; i < last; i++)
		most = of[i] > most ? of[i] : most;
	for (unsigned i = 0; i < last; i++) {
		unsigned bar = (unsigned)((double)of[i] * BAR / (double)most + 0.5);

		if (!of[i])
			continue;
		out_printf(o, "  %14llu to %14llu ns %12llu  %.*s\n",
			   (unsigned long long)slice_latency_from(8 * i),
			   (unsigned long long)slice_latency_to(8 * i + 7),
			   (unsigned long long)of[i], (int)bar,
			   "****************************************");
	}
}

void text_latency(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);
	struct slice_latency sum, *l = &sum;

	if (!info->between.wanted)
		return;
	model_latency(v->model, v->window, l);
	out_text(o, "\n  from ");
	out_name(o, info->events[info->between.from].name, 0);
	out_text(o, " to ");
	out_name(o, info->events[info->between.to].name, 0);
	out_text(o, " by ");
	out_name(o, *info->between.key ? info->between.key : "thread", 0);
	out_printf(o, "\n  %14s %14s %12s %12s %14s ns\n", "count", "avg", "p50", "p99", "max");
	out_printf(o, "  %14llu %14.1f %12llu %12llu %14llu\n", (unsigned long long)l->count,
		   l->count ? (double)l->sum / (double)l->count : 0,
		   (unsigned long long)slice_latency_part(l, 0.5),
		   (unsigned long long)slice_latency_part(l, 0.99), (unsigned long long)l->max);
	out_printf(o, "  unpaired: %llu from, %llu to; lost: %llu\n",
		   (unsigned long long)l->unpaired_from, (unsigned long long)l->unpaired_to,
		   (unsigned long long)l->lost);
	put_bars(o, l);
}
