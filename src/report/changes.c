/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/changes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "report/jsonreport.h"

#define WIDTH_FUNCTION 44
#define WIDTH_OBJECT   24
#define NOISE	       10 /* rows that may be chance, by default */
#define NEEDS_MOST     86400 /* seconds: to need a day more is as good as never */
#define P_LEAST	       1e-12 /* digits of smaller values depend on the C library */

/* --- functions -------------------------------------------------------------------------- */

/* Return true if the row goes on behind its object. */
static bool is_long(const struct changes_row *r)
{
	return r->needs || r->share_only;
}

static void text_changed_function(struct out *o, const void *row)
{
	const struct changes_row *r = row;
	bool kernel = r->row.flags & ROW_KERNEL;

	out_text(o, kernel ? "[k] " : "");
	if (*r->row.object || is_long(r))
		out_function(o, r->row.name, kernel ? WIDTH_FUNCTION - 4 : WIDTH_FUNCTION);
	else
		out_name(o, r->row.name, 0);
}

static void text_changed_object(struct out *o, const void *row)
{
	const struct changes_row *r = row;

	out_text(o, *r->row.object || is_long(r) ? "  " : "");
	out_name(o, text_base(r->row.object), is_long(r) ? WIDTH_OBJECT : 0);
}

static void text_rate_change(struct out *o, const void *row)
{
	const struct changes_row *r = row;
	char n[UNITS_LEN], text[UNITS_LEN + 8];
	double rate = r->d.rate - r->d.was_rate;

	if (r->clock)
		snprintf(text, sizeof(text), "%+.1f ms", rate / 1e6);
	else if (fabs(rate) < 1000)
		snprintf(text, sizeof(text), "%+.1f", rate);
	else
		snprintf(text, sizeof(text), "%c%s", rate < 0 ? '-' : '+',
			 units_count(n, fabs(rate)));
	out_printf(o, "%11s", text);
}

/* Put a change of weight per second: ms for a clock, else a count. */
static void html_rate_change(struct out *o, const void *row)
{
	const struct changes_row *r = row;
	double rate = r->d.rate - r->d.was_rate;

	out_printf(o, r->clock ? "%+.1f ms" : "%+.1f", r->clock ? rate / 1e6 : rate);
}

static void text_change_ratio(struct out *o, const void *row)
{
	const struct changes_row *r = row;

	if (r->appeared || r->gone)
		out_printf(o, "%6s", *difference_word(&r->d) ? difference_word(&r->d) : "-");
	else if (r->d.ratio < 1000)
		out_printf(o, "%6.2f", r->d.ratio);
	else
		out_text(o, " >1000");
}

#define CHANGE(member) COLUMN_OF(struct changes_row, member)

static const struct column changes_columns[] = {
	{"event", COLUMN_NAME, CHANGE(event)}, {"function", COLUMN_NAME, CHANGE(row.name)},
	{"object", COLUMN_TEXT, CHANGE(object)},
	{"baseline_object", COLUMN_TEXT, CHANGE(was_object)},
	/* nine decimals: differences of shares may not show in six */
	{"share", COLUMN_REAL, CHANGE(d.share), .format = "%.9f"},
	{"baseline_share", COLUMN_REAL, CHANGE(d.was_share), .format = "%.9f"},
	{"delta", COLUMN_REAL, CHANGE(d.delta), .format = "%.9f"},
	{"low", COLUMN_REAL, CHANGE(d.low), .format = "%.7f"},
	{"high", COLUMN_REAL, CHANGE(d.high), .format = "%.7f"},
	{"ratio", COLUMN_REAL, CHANGE(d.ratio), .format = "%.6g"},
	{"rate", COLUMN_REAL, CHANGE(d.rate), .format = "%.3f"},
	{"baseline_rate", COLUMN_REAL, CHANGE(d.was_rate), .format = "%.3f"},
	{"rate_low", COLUMN_REAL, CHANGE(d.rate_low), .format = "%.6g"},
	{"rate_high", COLUMN_REAL, CHANGE(d.rate_high), .format = "%.6g"},
	{"samples", COLUMN_NUMBER, CHANGE(samples)},
	{"baseline_samples", COLUMN_NUMBER, CHANGE(was_samples)},
	{"weight", COLUMN_NUMBER, CHANGE(weight)},
	{"baseline_weight", COLUMN_NUMBER, CHANGE(was_weight)},
	{"p", COLUMN_REAL, CHANGE(p), .format = "%.3g"},
	{"significant", COLUMN_BOOL, CHANGE(significant)}, {"new", COLUMN_BOOL, CHANGE(appeared)},
	{"gone", COLUMN_BOOL, CHANGE(gone)},
	{NULL, COLUMN_SHARE, CHANGE(d.delta), "  {}", .head = "DELTA", .width = 7,
	 .format = "%+7.2f"},
	{NULL, COLUMN_SHARE, CHANGE(half), " {}", .head = "+-95", .width = 6},
	{NULL, COLUMN_SHARE, CHANGE(d.share), " {}", .head = "NOW%", .width = 7},
	{NULL, COLUMN_SHARE, CHANGE(d.was_share), " {}", .head = "WAS%", .width = 7},
	{.form = COLUMN_OWN, .own = text_rate_change, .head = "DELTA/s", .text = " {}",
	 .width = 11},
	{.form = COLUMN_OWN, .own = text_change_ratio, .head = "RATIO", .text = " {}", .width = 6},
	{.form = COLUMN_OWN, .own = text_changed_function, .head = "FUNCTION", .text = "  {}",
	 .width = -WIDTH_FUNCTION},
	{.form = COLUMN_OWN, .own = text_changed_object, .head = "  OBJECT", .text = "{}"},
	{"share_only", COLUMN_BOOL, CHANGE(share_only), "  share only", COLUMN_OMIT_TEXT},
	{"needs", COLUMN_REAL, CHANGE(d.needs), .format = "%.1f"},
	{NULL, COLUMN_NUMBER, CHANGE(needs), "  >= {} more needed", COLUMN_OMIT,
	 .unit = COLUMN_SPAN},
	{0},
};

const struct column changes_csv[] = {
	{"event", COLUMN_NAME, CHANGE(event)}, {"unit", COLUMN_NAME, CHANGE(unit)},
	{"function", COLUMN_NAME, CHANGE(row.name)}, {"object", COLUMN_NAME, CHANGE(csv_object)},
	{"kind", COLUMN_WORD, CHANGE(kind)}, {"samples", COLUMN_NUMBER, CHANGE(samples)},
	{"baseline_samples", COLUMN_NUMBER, CHANGE(was_samples)},
	{"percent", COLUMN_SHARE, CHANGE(d.share)},
	{"baseline_percent", COLUMN_SHARE, CHANGE(d.was_share)},
	{"delta", COLUMN_SHARE, CHANGE(d.delta)}, {"delta_low", COLUMN_SHARE, CHANGE(d.low)},
	{"delta_high", COLUMN_SHARE, CHANGE(d.high)},
	{"rate", COLUMN_REAL, CHANGE(d.rate), .format = "%.3f"},
	{"baseline_rate", COLUMN_REAL, CHANGE(d.was_rate), .format = "%.3f"},
	{"rate_delta_low", COLUMN_REAL, CHANGE(d.rate_low), .format = "%.3f"},
	{"rate_delta_high", COLUMN_REAL, CHANGE(d.rate_high), .format = "%.3f"},
	{"significant", COLUMN_BOOL, CHANGE(significant)}, {"new", COLUMN_BOOL, CHANGE(appeared)},
	{"gone", COLUMN_BOOL, CHANGE(gone)}, {"share_only", COLUMN_BOOL, CHANGE(share_only)},
	{0},
};

const struct column changes_html[] = {
	{"share%", COLUMN_SHARE, CHANGE(d.share)}, {"was%", COLUMN_SHARE, CHANGE(d.was_share)},
	{"delta", COLUMN_SHARE, CHANGE(d.delta), .format = "%+.2f"},
	{"±95", COLUMN_SHARE, CHANGE(half)}, {"delta/s", COLUMN_OWN, .own = html_rate_change},
	{"function", COLUMN_NAME, CHANGE(row.name)}, {"object", COLUMN_NAME, CHANGE(row.object)},
	{"sure?", COLUMN_WORD, CHANGE(sure)},
	{0},
};

void changes_row(struct changes_row *r, const char *event, const char *unit, bool clock,
		 const struct difference *d)
{
	const struct profile_row *row = difference_row(d), *was = d->was;
	const char *word = difference_word(d);

	*r = (struct changes_row){
		.event = event, .unit = unit, .clock = clock, .d = *d, .row = *row,
		.samples = d->now ? d->now->samples : 0, .was_samples = was ? was->samples : 0,
		.weight = d->now ? d->now->weight : 0, .was_weight = was ? was->weight : 0,
		.half = (d->high - d->low) / 2, .p = d->p > P_LEAST ? d->p : P_LEAST,
		.significant = d->flags & DIFFERENCE_SIGNIFICANT,
		.appeared = d->flags & DIFFERENCE_NEW, .gone = d->flags & DIFFERENCE_GONE,
		.share_only = d->flags & DIFFERENCE_SHARE_ONLY};
	r->csv_object = row->flags & ROW_UNMAPPED ? "" : row->object;
	r->object = *r->csv_object ? r->csv_object : NULL;
	r->was_object = was && *was->object && !(was->flags & ROW_UNMAPPED) ? was->object : NULL;
	r->kind = row->flags & ROW_SELF	    ? "ringtop"
		  : row->flags & ROW_KERNEL ? "kernel"
					    : "user";
	if (!r->significant && d->needs > 0 && d->needs < NEEDS_MOST)
		r->needs = (uint64_t)ceil(d->needs) * NSEC_PER_SEC;
	snprintf(r->sure, sizeof(r->sure), "%s%s%s", r->significant ? "changed" : "may be chance",
		 *word ? ", " : "", word);
}

static void read_event_row(const struct changes_event *e, size_t i, struct changes_row *r)
{
	const struct profile *p = &e->profile[CHANGES_NOW];

	changes_row(r, p->event, p->unit, !strcmp(p->unit, "ns"), compare_row(&e->comparison, i));
}

/* --- JSON ------------------------------------------------------------------------------- */

static const struct column changes_log[] = {
	{"level", COLUMN_WORD, COLUMN_OF(struct changes_log, warning),
	 .names = (const char *const[]){"info", "warning"}},
	{"text", COLUMN_NAME, COLUMN_OF(struct changes_log, text)},
	{0},
};

static const struct column side_columns[] = {
#define SIDE(member) COLUMN_OF(struct changes_side, member)
	{"file", COLUMN_TEXT, SIDE(file)}, {"host", COLUMN_TEXT, SIDE(host)},
	{"start", COLUMN_TIME, SIDE(start_wall)},
	{"seconds", COLUMN_REAL, SIDE(seconds), .format = "%.3f"},
	{"error", COLUMN_TEXT, SIDE(error)},
	{"log", COLUMN_ROWS, COLUMN_ROWS_OF(struct changes_side, logs, nlogs),
	 .columns = changes_log},
	{0},
};

static const struct column profile_columns[] = {
#define PROFILE(member) COLUMN_OF(struct profile, member)
	{"seconds", COLUMN_REAL, PROFILE(seconds), .format = "%.3f"},
	{"samples", COLUMN_NUMBER, PROFILE(samples)},
	{"attributed", COLUMN_NUMBER, PROFILE(weight)}, {"lost", COLUMN_NUMBER, PROFILE(lost)},
	{"blocks", COLUMN_NUMBER, PROFILE(nblocks)},
	{0},
};

static const struct column changes_event[] = {
#define OF_EVENT(member) COLUMN_OF(struct changes_event, member)
	{"name", COLUMN_NAME, OF_EVENT(profile[CHANGES_NOW].event)},
	{"unit", COLUMN_NAME, OF_EVENT(profile[CHANGES_NOW].unit)},
	{"significant", COLUMN_NUMBER, OF_EVENT(comparison.significant)},
	{"rough", COLUMN_BOOL, OF_EVENT(comparison.rough)},
	{"baseline", COLUMN_OBJECT, OF_EVENT(profile[CHANGES_WAS]), .columns = profile_columns},
	{"now", COLUMN_OBJECT, OF_EVENT(profile[CHANGES_NOW]), .columns = profile_columns},
	{0},
};

static const struct column changes_head[] = {
#define CHANGES(member) COLUMN_OF(struct changes, member)
	{"version", COLUMN_NAME, CHANGES(version)},
	{"baseline", COLUMN_OBJECT, CHANGES(side[CHANGES_WAS]), .columns = side_columns},
	{"now", COLUMN_OBJECT, CHANGES(side[CHANGES_NOW]), .columns = side_columns},
	{"significant", COLUMN_NUMBER, CHANGES(significant)},
	{"failed_allocations", COLUMN_NUMBER, CHANGES(failed_allocations)},
	{"failed_reads", COLUMN_NUMBER, CHANGES(failed_reads)},
	{"events", COLUMN_ROWS, COLUMN_ROWS_OF(struct changes, events, nevents),
	 .columns = changes_event},
	{0},
};

void changes_json(struct out *o, const struct changes *c)
{
	struct changes_row row;

	out_printf(o, "{\"type\":\"%s\",\"schema\":%d", c->beside ? "changes" : "total",
		   JSON_SCHEMA);
	column_json(o, changes_head, c, 0);
	out_text(o, ",\"functions\":[");
	for (size_t i = 0; i < c->nevents; i++)
		for (size_t r = 0; r < c->events[i].comparison.nr; r++) {
			read_event_row(&c->events[i], r, &row);
			column_json_object(o, changes_columns, &row, 0);
		}
	out_text(o, "]}\n");
}

/* --- text ------------------------------------------------------------------------------- */

static void put_compared_side(struct out *o, const char *what, const struct changes_side *s)
{
	out_printf(o, "  %s  ", what);
	if (s->file)
		out_name(o, s->file, 0);
	if (*s->host) {
		out_text(o, s->file ? ", of " : "");
		out_name(o, s->host, 0);
	}
	out_printf(o, ", %.3f s\n", s->seconds);
	if (*s->error) {
		out_text(o, "    not all of it: ");
		out_name(o, s->error, 0);
		out_text(o, "\n");
	}
	for (size_t i = 0; i < s->nlogs; i++) {
		out_text(o, s->logs[i].warning ? "    warning: " : "    note: ");
		out_name(o, s->logs[i].text, 0);
		out_text(o, "\n");
	}
}

static void put_lost_part(struct out *o, const char *what, const struct profile *p)
{
	double all = (double)p->weight + (double)p->lost;

	if (p->lost)
		out_printf(o, "  %s: %.2f%% was lost; the intervals are wider by as much\n",
			   what, 100 * (double)p->lost / all);
}

static void put_changed_rows(struct out *o, const struct changes_event *e, size_t from, size_t to)
{
	struct changes_row r;

	if (from == to)
		return;
	column_text_head(o, changes_columns, 0);
	out_text(o, "\n");
	for (; from < to; from++) {
		read_event_row(e, from, &r);
		column_text(o, changes_columns, &r, 0);
		out_text(o, "\n");
	}
}

static void put_event_changes(struct out *o, const struct changes *c, const struct changes_event *e)
{
	const struct comparison *k = &e->comparison;
	size_t top = c->top ? c->top : NOISE,
	       to = k->nr - k->significant < top ? k->nr : k->significant + top;

	out_text(o, "  ");
	out_name(o, e->profile[CHANGES_NOW].event, 0);
	out_printf(o, ": %llu samples, were %llu; ",
		   (unsigned long long)e->profile[CHANGES_NOW].samples,
		   (unsigned long long)e->profile[CHANGES_WAS].samples);
	if (k->significant)
		out_printf(o, "%zu function%s changed\n", k->significant,
			   k->significant == 1 ? "" : "s");
	else
		out_text(o, "no significant change\n");
	put_lost_part(o, "baseline", &e->profile[CHANGES_WAS]);
	put_lost_part(o, "other", &e->profile[CHANGES_NOW]);
	if (k->rough)
		out_printf(o,
			   "  with fewer than %d blocks of time on a side the intervals are "
			   "rough\n",
			   COMPARE_BLOCKS);
	put_changed_rows(o, e, 0, k->significant);
	if (k->nr > k->significant)
		out_printf(o, "  not significant, %zu of %zu:\n", to - k->significant,
			   k->nr - k->significant);
	put_changed_rows(o, e, k->significant, to);
}

void changes_text(struct out *o, const struct changes *c)
{
	out_printf(o, "ringtop %s\n", c->version);
	put_compared_side(o, "baseline", &c->side[CHANGES_WAS]);
	put_compared_side(o, "against ", &c->side[CHANGES_NOW]);
	if (c->failed_allocations || c->failed_reads)
		out_printf(
			o,
			"  the system refused memory %llu times, reads %llu times: names may be "
			"missing\n",
			(unsigned long long)c->failed_allocations,
			(unsigned long long)c->failed_reads);
	for (size_t i = 0; i < c->nevents; i++) {
		out_text(o, "\n");
		put_event_changes(o, c, &c->events[i]);
	}
}
