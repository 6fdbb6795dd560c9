/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json_changes.h"

#include <math.h>
#include <stdio.h>

#include "report/json.h"
#include "report/jsonout.h"

#define P_LEAST 1e-12 /* smaller values are as sure, and their digits depend on the C library */

static const char *const side_names[CHANGES_SIDES] = {
	[CHANGES_WAS] = "baseline", [CHANGES_NOW] = "now"};

static void put_bool(struct out *o, const char *name, bool value)
{
	out_printf(o, "%s%s", name, value ? "true" : "false");
}

/* Put a share with nine decimals: differences of shares may not show in six. */
static void put_part(struct out *o, const char *name, double part)
{
	out_printf(o, "%s%.9f", name, part);
}

static void put_finite(struct out *o, const char *name, const char *format, double value)
{
	char text[64];

	snprintf(text, sizeof(text), isfinite(value) ? format : "null", value);
	out_printf(o, "%s%s", name, text);
}

static void put_log(struct out *o, const struct changes_side *s)
{
	out_text(o, ",\"log\":[");
	for (size_t i = 0; i < s->nlogs; i++) {
		jsonout_string(o, i ? ",{\"level\":" : "{\"level\":",
			       s->logs[i].warning ? "warning" : "info");
		jsonout_string(o, ",\"text\":", s->logs[i].text);
		out_text(o, "}");
	}
	out_text(o, "]");
}

static void put_changes_file(struct out *o, const struct changes_side *s)
{
	jsonout_text(o, "{\"file\":", s->file);
	jsonout_text(o, ",\"host\":", *s->host ? s->host : NULL);
	out_printf(o, ",\"start\":%.3f,\"seconds\":%.3f", (double)s->start_wall / 1e9, s->seconds);
	jsonout_text(o, ",\"error\":", *s->error ? s->error : NULL);
	put_log(o, s);
	out_text(o, "}");
}

static void put_event_side(struct out *o, const struct profile *p)
{
	out_printf(o, "{\"seconds\":%.3f", p->seconds);
	jsonout_number(o, ",\"samples\":", p->samples);
	jsonout_number(o, ",\"attributed\":", p->weight);
	jsonout_number(o, ",\"lost\":", p->lost);
	jsonout_number(o, ",\"blocks\":", p->nblocks);
	out_text(o, "}");
}

static void put_changes_event(struct out *o, const struct changes_event *e)
{
	jsonout_string(o, "{\"name\":", e->profile[CHANGES_NOW].event);
	jsonout_string(o, ",\"unit\":", e->profile[CHANGES_NOW].unit);
	jsonout_number(o, ",\"significant\":", e->comparison.significant);
	put_bool(o, ",\"rough\":", e->comparison.rough);
	for (int i = 0; i < CHANGES_SIDES; i++) {
		out_printf(o, ",\"%s\":", side_names[i]);
		put_event_side(o, &e->profile[i]);
	}
	out_text(o, "}");
}

static void put_object_name(struct out *o, const char *name, const struct profile_row *r)
{
	jsonout_text(o, name, r && *r->object && !(r->flags & ROW_UNMAPPED) ? r->object : NULL);
}

static void put_counts(struct out *o, const struct profile_row *now, const struct profile_row *was)
{
	jsonout_number(o, ",\"samples\":", now ? now->samples : 0);
	jsonout_number(o, ",\"baseline_samples\":", was ? was->samples : 0);
	jsonout_number(o, ",\"weight\":", now ? now->weight : 0);
	jsonout_number(o, ",\"baseline_weight\":", was ? was->weight : 0);
}

static void put_function_change(struct out *o, const struct changes_event *e,
				const struct difference *d)
{
	jsonout_string(o, "{\"event\":", e->profile[CHANGES_NOW].event);
	jsonout_string(o, ",\"function\":", difference_row(d)->name);
	put_object_name(o, ",\"object\":", difference_row(d));
	put_object_name(o, ",\"baseline_object\":", d->was);
	put_part(o, ",\"share\":", d->share);
	put_part(o, ",\"baseline_share\":", d->was_share);
	put_part(o, ",\"delta\":", d->delta);
	out_printf(o, ",\"low\":%.7f,\"high\":%.7f", d->low, d->high);
	put_finite(o, ",\"ratio\":", "%.6g", d->ratio);
	out_printf(o, ",\"rate\":%.3f,\"baseline_rate\":%.3f", d->rate, d->was_rate);
	out_printf(o, ",\"rate_low\":%.6g,\"rate_high\":%.6g", d->rate_low, d->rate_high);
	put_counts(o, d->now, d->was);
	out_printf(o, ",\"p\":%.3g", d->p > P_LEAST ? d->p : P_LEAST);
	put_bool(o, ",\"significant\":", d->flags & DIFFERENCE_SIGNIFICANT);
	put_bool(o, ",\"new\":", d->flags & DIFFERENCE_NEW);
	put_bool(o, ",\"gone\":", d->flags & DIFFERENCE_GONE);
	put_bool(o, ",\"share_only\":", d->flags & DIFFERENCE_SHARE_ONLY);
	put_finite(o, ",\"needs\":", "%.1f", d->needs);
	out_text(o, "}");
}

static void put_function_changes(struct out *o, const struct changes *c)
{
	bool first = true;

	for (size_t i = 0; i < c->nevents; i++)
		for (size_t r = 0; r < c->events[i].comparison.nr; r++) {
			out_text(o, first ? "" : ",");
			put_function_change(o, &c->events[i],
					    compare_row(&c->events[i].comparison, r));
			first = false;
		}
}

void json_changes(struct out *o, const struct changes *c)
{
	out_printf(o, "{\"type\":\"%s\",\"schema\":%d", c->beside ? "changes" : "total",
		   JSON_SCHEMA);
	jsonout_string(o, ",\"version\":", c->version);
	for (int i = 0; i < CHANGES_SIDES; i++) {
		out_printf(o, ",\"%s\":", side_names[i]);
		put_changes_file(o, &c->side[i]);
	}
	jsonout_number(o, ",\"significant\":", c->significant);
	jsonout_number(o, ",\"failed_allocations\":", c->failed_allocations);
	jsonout_number(o, ",\"failed_reads\":", c->failed_reads);
	out_text(o, ",\"events\":[");
	for (size_t i = 0; i < c->nevents; i++) {
		out_text(o, i ? "," : "");
		put_changes_event(o, &c->events[i]);
	}
	out_text(o, "],\"functions\":[");
	put_function_changes(o, c);
	out_text(o, "]}\n");
}
