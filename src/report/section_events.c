/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are sampled: as requested, and their accounts by CPU and by period. */
#include "report/section_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/rates.h"
#include "model/rows/irqsoff.h"
#include "report/jsonout.h"
#include "report/words.h"

static const struct column by_rate[] = {
#define RATE(member) COLUMN_OF(struct rate, member)
	{"from", COLUMN_TIME, RATE(from)}, {"on", COLUMN_BOOL, RATE(on)},
	{"period", COLUMN_NONZERO, RATE(period)}, {"frequency", COLUMN_NONZERO, RATE(frequency)},
	{"counted", COLUMN_NUMBER, RATE(counted)}, {"attributed", COLUMN_NUMBER, RATE(attributed)},
	{"samples", COLUMN_NUMBER, RATE(samples)}, {"lost", COLUMN_NUMBER, RATE(lost)},
	{"enabled", COLUMN_NONZERO, RATE(enabled)}, {"running", COLUMN_KNOWN, RATE(starved)},
	{0},
};

/* An account with the values that are not known marked as such. */
struct account_row {
	const struct headless_view *v;
	unsigned event;
	struct session_event e;
	struct section_place place;
	struct account a; /* starved: the running time */
	double busy, user, kernel, steal; /* CPUs' times by /proc/stat as shares; NAN: not read */
	struct irqsoff irqs_off;
};

/* Return the time for which an event had a counter, where it is known for which it was to have. */
static uint64_t running_time(uint64_t enabled, uint64_t starved)
{
	return enabled ? enabled - starved : GAUGE_UNKNOWN;
}

static const struct column busy[] = {
	{"user", COLUMN_NUMBER, COLUMN_OF(struct busy, user)},
	{"kernel", COLUMN_NUMBER, COLUMN_OF(struct busy, kernel)},
	{"idle", COLUMN_NUMBER, COLUMN_OF(struct busy, idle)},
	{0},
};

/* Put attributed by where it ran; null where rows weigh something else than the event counts. */
static void json_ran(struct out *o, const void *row)
{
	const struct account *a = &((const struct account_row *)row)->a;

	if (a->busy.user + a->busy.kernel + a->busy.idle == a->attributed)
		column_json_object(o, busy, &a->busy, 0);
	else
		out_text(o, "null");
}

enum { OF_CPU = 1 };

static const struct column account[] = {
#define ACCOUNT(member) COLUMN_OF(struct account_row, a.member)
	SECTION_PLACE(struct account_row, place, .when = OF_CPU),
	{"counted", COLUMN_KNOWN, ACCOUNT(counted)},
	{"others", COLUMN_NUMBER, ACCOUNT(others), .omit = COLUMN_OMIT},
	{"attributed", COLUMN_NUMBER, ACCOUNT(attributed)},
	{"attributed_share", COLUMN_SHARE, ACCOUNT(attributed_share)},
	{"ran", COLUMN_OWN, .json = json_ran},
	{"stat_busy", COLUMN_SHARE, COLUMN_OF(struct account_row, busy), .omit = COLUMN_OMIT},
	{"stat_user", COLUMN_SHARE, COLUMN_OF(struct account_row, user), .omit = COLUMN_OMIT},
	{"stat_kernel", COLUMN_SHARE, COLUMN_OF(struct account_row, kernel), .omit = COLUMN_OMIT},
	{"stat_steal", COLUMN_SHARE, COLUMN_OF(struct account_row, steal), .omit = COLUMN_OMIT},
	{"pending", COLUMN_NUMBER, ACCOUNT(pending)},
	{"unsampled", COLUMN_NUMBER, ACCOUNT(unsampled)},
	{"unsampled_why", COLUMN_COUNTS, ACCOUNT(unsampled_why), .names = unsampled_why_names,
	 .nr = UNSAMPLED_NR},
	{"samples", COLUMN_NUMBER, ACCOUNT(samples)},
	{"folded", COLUMN_NUMBER, ACCOUNT(left_out), .omit = COLUMN_OMIT},
	{"lost", COLUMN_COUNTS, ACCOUNT(lost), .names = lost_cause_names, .nr = LOST_CAUSES},
	{"lost_samples", COLUMN_COUNTS, ACCOUNT(lost_samples), .names = lost_cause_names,
	 .nr = LOST_CAUSES},
	{"lost_exact", COLUMN_BOOL, ACCOUNT(exact)},
	{"throttles", COLUMN_NUMBER, ACCOUNT(throttles)},
	{"enabled", COLUMN_NONZERO, ACCOUNT(enabled)}, {"running", COLUMN_KNOWN, ACCOUNT(starved)},
	{0},
};

static double stat_share(const struct account *a, uint64_t ns)
{
	return a->stat_ns ? fmin((double)ns / (double)a->stat_ns, 1) : NAN;
}

/* Read the account of a CPU, or of all. */
static void read_account(struct account_row *r, int cpu)
{
	model_account(r->v->model, r->event, cpu, r->v->window, &r->a);
	r->place = section_place(r->v, cpu, -1);
	r->busy = r->a.stat_ns ? model_stat_busy(&r->a) : NAN;
	r->steal = stat_share(&r->a, r->a.stat_stolen);
	/* slices of an older ringtop lack these */
	r->user = r->a.stat_user || r->a.stat_kernel ? stat_share(&r->a, r->a.stat_user) : NAN;
	r->kernel = isnan(r->user) ? NAN : stat_share(&r->a, r->a.stat_kernel);
	r->a.starved = running_time(r->a.enabled, r->a.starved);
	if (r->a.unknown) /* the event never had a counter */
		r->a.counted = r->a.lost[LOST_MULTIPLEXED] = r->a.lost_samples[LOST_MULTIPLEXED] =
			GAUGE_UNKNOWN;
}

/* Put the counts under each period, since the session's start, whatever the report's window. */
static void json_rates(struct out *o, const void *row)
{
	const struct account_row *r = row;
	const struct rate *rate = model_next_rate(r->v->model, r->event, NULL);

	if (!rate)
		return;
	jsonout_open(o, "rates", "[");
	for (; rate; rate = model_next_rate(r->v->model, r->event, rate)) {
		struct rate shown = *rate;

		shown.counted += rate_multiplexed(rate);
		shown.lost += rate_multiplexed(rate);
		shown.starved = running_time(rate->enabled, rate->starved);
		column_json_object(o, by_rate, &shown, 0);
	}
	out_text(o, "]");
}

static void json_cpus(struct out *o, const void *row)
{
	struct account_row r = *(const struct account_row *)row;
	size_t nr = model_account_cpus(r.v->model, r.event, NULL, 0);
	int *cpus = malloc((nr + 1) * sizeof(*cpus));

	out_text(o, "[");
	nr = cpus ? model_account_cpus(r.v->model, r.event, cpus, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		read_account(&r, cpus[i]);
		column_json_object(o, account, &r, OF_CPU);
	}
	out_text(o, "]");
	free(cpus);
}

static const struct column events[] = {
#define OF_EVENT(member) COLUMN_OF(struct account_row, e.member)
	{"name", COLUMN_NAME, OF_EVENT(name)}, {"unit", COLUMN_NAME, OF_EVENT(unit)},
	{"weight", COLUMN_NAME, OF_EVENT(weight), .omit = COLUMN_OMIT},
	{"filter", COLUMN_NAME, OF_EVENT(filter), .omit = COLUMN_OMIT},
	{NULL, COLUMN_OBJECT, .columns = account}, {NULL, COLUMN_OWN, .json = json_rates},
	{"interrupts_off", COLUMN_SHARE, COLUMN_OF(struct account_row, irqs_off.share),
	 .omit = COLUMN_OMIT},
	{"cpus", COLUMN_OWN, .json = json_cpus},
	{0},
};

static bool fill_event(struct section_rows *to)
{
	struct account_row r = {.v = to->v, .event = to->event,
				.e = model_info(to->v->model)->events[to->event],
				.irqs_off = irqsoff_sum(to->v->model, to->event, to->v->window)};

	read_account(&r, ALL_CPUS);
	section_row(to, &r);
	return true;
}

/* --- for people ------------------------------------------------------------------------- */

/* Put " (CAUSE 12, ...)" with the amounts that are not 0. */
static void put_amounts(struct out *o, const struct session_event *e, const char *about,
			const uint64_t *n, const char *const *names, int nr)
{
	bool any = false;

	for (int i = 0; i < nr; i++) {
		if (!n[i])
			continue;
		out_printf(o, "%s%s%s ", any ? ", " : " (", about, names[i]);
		words_amount(o, e, n[i]);
		any = true;
	}
	out_text(o, any ? ")" : "");
}

static void put_text_event(struct out *o, const struct session_event *e, const struct account *a,
			   const struct irqsoff *off)
{
	out_text(o, a->lost[LOST_MULTIPLEXED] ? "~" : "");
	words_amount(o, e, a->counted);
	out_text(o, ", attributed ");
	words_percent(o, a->attributed, a->attributed + a->lost_all);
	out_text(o, ", lost ");
	words_amount(o, e, a->lost_all);
	put_amounts(o, e, a->exact ? "" : "~", a->lost, lost_cause_names, LOST_CAUSES);
	out_text(o, ", pending ");
	words_amount(o, e, a->pending);
	put_amounts(o, e, "", a->unsampled_why, unsampled_why_names, UNSAMPLED_NR);
	if (a->others) {
		out_text(o, ", not counted: ");
		words_amount(o, e, a->others);
		out_text(o, " of other tasks");
	}
	if (off->samples)
		out_printf(o, ", %.2f%% where interrupts were off before", off->share * 100);
	if (a->throttles)
		out_printf(o, ", throttled %llu times", (unsigned long long)a->throttles);
	if (a->left_out) {
		out_text(o, ", [folded] ");
		words_percent(o, a->left_out, a->samples);
	}
	if (a->starved)
		out_printf(o, ", it counted %.2f%% of the time", model_counter_share(a) * 100);
	out_text(o, "\n");
}

static void text_events(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned i = 0; i < info->nevents; i++) {
		const struct irqsoff off = irqsoff_sum(v->model, i, v->window);
		struct account a;

		model_account(v->model, i, ALL_CPUS, v->window, &a);
		out_text(o, "  ");
		out_name(o, info->events[i].name, 0);
		out_printf(o, ": %llu sample%s, counted ", (unsigned long long)a.samples,
			   a.samples == 1 ? "" : "s");
		if (a.unknown)
			out_text(o, "-, attributed -, lost -, pending -, it never had a counter\n");
		else
			put_text_event(o, &info->events[i], &a, &off);
	}
}

const struct section section_events = {.name = "events", .columns = events, .by_event = true,
	.fill = fill_event, .text = text_events};

/* --- as requested ----------------------------------------------------------------------- */

static void json_skid(struct out *o, const void *row)
{
	const struct session_event *e = row;

	if (!session_skid(e))
		return;
	jsonout_number(o, "precise_ip", e->precise - 1u);
	jsonout_string(o, "skid", session_skid(e));
}

static const struct column requested[] = {
#define EVENT(member) COLUMN_OF(struct session_event, member)
	{"name", COLUMN_NAME, EVENT(name)}, {"unit", COLUMN_NAME, EVENT(unit)},
	{"period", COLUMN_NONZERO, EVENT(period)}, {"frequency", COLUMN_NONZERO, EVENT(frequency)},
	{NULL, COLUMN_OWN, .json = json_skid},
	{"weight", COLUMN_NAME, EVENT(weight), .omit = COLUMN_OMIT},
	{"by", COLUMN_NAME, EVENT(by), .omit = COLUMN_OMIT},
	{"in_kernel", COLUMN_BOOL, EVENT(in_kernel), .omit = COLUMN_OMIT},
	{"filter", COLUMN_NAME, EVENT(filter), .omit = COLUMN_OMIT},
	{0},
};

static bool fill_requested(struct section_rows *to)
{
	section_row(to, &model_info(to->v->model)->events[to->event]);
	return true;
}

#define HEAD_EVENTS 16u /* events named in the header; each has a line of its own in the report */

static void text_requested(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned i = 0; i < info->nevents && i < HEAD_EVENTS; i++) {
		const struct session_event *e = &info->events[i];

		out_text(o, i ? ", " : "  ");
		out_name(o, e->name, 0);
		if (e->frequency)
			out_printf(o, " at %u Hz", e->frequency);
		else if (e->period && !strcmp(e->unit ? e->unit : "", "ns"))
			out_printf(o, " every %.3f ms", (double)e->period / 1e6);
		else if (e->period)
			out_printf(o, " every %llu", (unsigned long long)e->period);
		if (session_skid(e))
			out_printf(o, " (skid: %s)", session_skid(e));
		out_text(o, *e->weight ? " by " : "");
		out_name(o, e->weight, 0);
		out_text(o, *e->filter ? " where " : "");
		out_name(o, e->filter, 0);
	}
	if (info->nevents > HEAD_EVENTS)
		out_printf(o, " and %u more", info->nevents - HEAD_EVENTS);
}

const struct section section_header_events = {.name = "events", .columns = requested,
	.by_event = true, .fill = fill_requested, .text = text_requested};
