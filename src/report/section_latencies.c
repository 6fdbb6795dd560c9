/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times from one tracepoint to another (--between). */
#include "report/section_parts.h"

#include <stdio.h>
#include <string.h>

#include "model/fields/fieldquery.h"
#include "report/jsonout.h"

#define BAR 40

struct latency_row {
	const char *from, *to, *key;
	struct slice_latency l;
	double average;
	uint64_t p50, p99;
};

static void json_pair_key(struct out *o, const void *row)
{
	char text[160];

	out_text(o, "[");
	for (const char *at = ((const struct latency_row *)row)->key; *at;) {
		size_t len = strcspn(at, ",");

		snprintf(text, sizeof(text), "%.*s", (int)len, at);
		jsonout_string(o, NULL, text);
		at += len;
		at += strspn(at, ", ");
	}
	out_text(o, "]");
}

/* Put a bar for each range between two powers of two; JSON has all bins. */
static void text_bars(struct out *o, const void *row)
{
	const struct latency_row *r = row;
	uint64_t of[SLICE_LATENCY_BINS / 8] = {0}, most = 0;

	for (unsigned i = 0; i < SLICE_LATENCY_BINS; i++)
		of[i / 8] += r->l.hist[i];
	for (unsigned i = 0; i < SLICE_LATENCY_BINS / 8; i++)
		most = of[i] > most ? of[i] : most;
	for (unsigned i = 0; most && i < SLICE_LATENCY_BINS / 8; i++) {
		unsigned bar = (unsigned)((double)of[i] * BAR / (double)most + 0.5);

		if (!of[i])
			continue;
		out_printf(o, "\n  %14llu to %14llu ns %12llu  %.*s",
			   (unsigned long long)slice_latency_from(8 * i),
			   (unsigned long long)slice_latency_to(8 * i + 7),
			   (unsigned long long)of[i], (int)bar,
			   "****************************************");
	}
}

static const struct column latencies[] = {
#define LATENCY(member) COLUMN_OF(struct latency_row, member)
	{"from", COLUMN_NAME, LATENCY(from)}, {"to", COLUMN_NAME, LATENCY(to)},
	{"key", COLUMN_OWN, .json = json_pair_key},
	{"count", COLUMN_NUMBER, LATENCY(l.count), "  {}", .head = "count", .width = 14},
	{"sum", COLUMN_NUMBER, LATENCY(l.sum)},
	{"avg", COLUMN_REAL, LATENCY(average), .format = "%.17g"},
	{NULL, COLUMN_REAL, LATENCY(average), " {}", .head = "avg", .width = 14,
	 .format = "%14.1f"},
	{"min", COLUMN_NUMBER, LATENCY(l.min)},
	{"p50", COLUMN_NUMBER, LATENCY(p50), " {}", .head = "p50", .width = 12},
	{"p99", COLUMN_NUMBER, LATENCY(p99), " {}", .head = "p99", .width = 12},
	{"max", COLUMN_NUMBER, LATENCY(l.max), " {}", .head = "max", .width = 14},
	{"hist", COLUMN_COUNTS, LATENCY(l.hist), .nr = SLICE_LATENCY_BINS},
	{"unpaired_from", COLUMN_NUMBER, LATENCY(l.unpaired_from), "\n  unpaired: {} from"},
	{"unpaired_to", COLUMN_NUMBER, LATENCY(l.unpaired_to), ", {} to"},
	{"lost", COLUMN_NUMBER, LATENCY(l.lost), "; lost: {}"},
	{.form = COLUMN_OWN, .own = text_bars, .text = "{}"},
	{0},
};

static bool fill_latencies(struct section_rows *to)
{
	const struct session_info *info = model_info(to->v->model);
	struct latency_row r = {.from = info->events[info->between.from].name,
				.to = info->events[info->between.to].name,
				.key = info->between.key};

	if (!info->between.wanted)
		return false;
	model_latency(to->v->model, to->v->window, &r.l);
	r.average = r.l.count ? (double)r.l.sum / (double)r.l.count : 0;
	r.p50 = slice_latency_part(&r.l, 0.5);
	r.p99 = slice_latency_part(&r.l, 0.99);
	if (!to->json) {
		out_text(to->o, "\n  from ");
		out_name(to->o, r.from, 0);
		out_text(to->o, " to ");
		out_name(to->o, r.to, 0);
		out_text(to->o, " by ");
		out_name(to->o, *r.key ? r.key : "thread", 0);
		out_text(to->o, "\n");
	}
	to->head_end = " ns";
	section_row(to, &r);
	return true;
}

const struct section section_latencies = {.name = "latencies", .columns = latencies,
	.fill = fill_latencies};
