/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings with their fill, and AUX areas. */
#include "report/section_parts.h"

#include <math.h>

#include "base/units.h"

static const char *const state_names[] = {
	[RING_LIVE] = "live", [RING_OFFLINE] = "offline", [RING_PAUSING] = "pausing"};

/* --- rings ------------------------------------------------------------------------------ */

struct ring_row {
	struct gauge g;
	struct section_place place;
};

enum { OF_FTRACE = 1 };

static const struct column rings[] = {
#define RING(member) COLUMN_OF(struct ring_row, g.member)
	SECTION_PLACE(struct ring_row, place),
	{"kind", COLUMN_WORD, RING(now.kind), .names = ring_kind_names},
	{"mode", COLUMN_WORD, RING(now.mode), .names = ring_mode_names},
	{"state", COLUMN_WORD, RING(now.state), .names = state_names},
	{"size", COLUMN_NUMBER, RING(now.size)},
	/* null: an AUX area that overwrites itself is not read, and has no fill */
	{"fill", COLUMN_SHARE, RING(fill)}, {"fill_max", COLUMN_SHARE, RING(fill_max)},
	{"bytes", COLUMN_KNOWN, RING(bytes)}, {"records", COLUMN_KNOWN, RING(records)},
	{"lost", COLUMN_KNOWN, RING(lost)},
	{"overwritten_bytes", COLUMN_KNOWN, RING(overwritten_bytes)},
	{"wakeups", COLUMN_KNOWN, RING(wakeups)}, {"oldest_ns", COLUMN_KNOWN, RING(now.oldest_ns)},
	{"late_ns", COLUMN_KNOWN, RING(now.late_ns)},
	{"entries", COLUMN_NUMBER, RING(now.ftrace.entries), .when = OF_FTRACE},
	{"overrun", COLUMN_NUMBER, RING(now.ftrace.overrun), .when = OF_FTRACE},
	{"commit_overrun", COLUMN_NUMBER, RING(now.ftrace.commit_overrun), .when = OF_FTRACE},
	{"dropped_events", COLUMN_NUMBER, RING(now.ftrace.dropped), .when = OF_FTRACE},
	{"read_events", COLUMN_NUMBER, RING(now.ftrace.read), .when = OF_FTRACE},
	{0},
};

static bool fill_rings(struct section_rows *to)
{
	for (size_t i = 0; i < model_ngauges(to->v->model); i++) {
		struct ring_row r;

		model_gauge(to->v->model, i, to->v->window, &r.g);
		r.place = section_place(to->v, r.g.now.cpu, r.g.now.tid);
		to->shown = r.g.now.kind == RING_FTRACE ? OF_FTRACE : 0;
		section_row(to, &r);
	}
	return true;
}

/* Put "9%^31": fill when last read and at most; "-" if the ring was not read last, or never. */
static void put_text_fill(struct out *o, const struct gauge *g)
{
	if (isnan(g->fill))
		out_text(o, "-");
	else
		out_printf(o, "%.0f%%", fmin(g->fill * 100, 100));
	if (!isnan(g->fill_max))
		out_printf(o, "^%.0f", fmin(g->fill_max * 100, 100));
}

/* Put a CPU's rings side by side: sample 9%^31 means 9 % full when last read, 31 % at most. */
static void text_rings(struct out *o, const struct headless_view *v)
{
	size_t nr = model_ngauges(v->model);
	int cpu = -2, tid = 0;

	for (size_t i = 0; i < nr; i++) {
		struct section_place place;
		struct gauge g;

		model_gauge(v->model, i, v->window, &g);
		if (g.now.kind == RING_AUX)
			continue; /* text_areas() shows it */
		if (g.now.cpu != cpu || g.now.tid != tid) {
			cpu = g.now.cpu;
			tid = g.now.tid;
			place = section_place(v, cpu, tid);
			out_text(o, i ? " |" : "  rings:");
			column_text(o, section_place_columns, &place, 0);
		}
		out_printf(o, " %s ", ring_kind_names[g.now.kind]);
		put_text_fill(o, &g);
		if (g.now.state == RING_OFFLINE)
			out_text(o, " offline");
		if (g.now.state == RING_PAUSING)
			out_text(o, " paused to read");
	}
	if (nr)
		out_text(o, "\n");
}

const struct section section_rings = {.name = "rings", .columns = rings, .fill = fill_rings,
	.text = text_rings};

/* --- AUX areas -------------------------------------------------------------------------- */

struct area_row {
	struct aux a;
	const char *event, *state, *offline;
	struct section_place place;
};

static void text_rate_of_area(struct out *o, const void *row)
{
	const struct aux *a = &((const struct area_row *)row)->a;
	char n[UNITS_LEN];

	if (isnan(a->rate))
		out_text(o, "-");
	else
		out_printf(o, "%s/s%s", units_bytes(n, a->rate), a->measured ? "~" : "");
}

static const struct column areas[] = {
#define AREA(member) COLUMN_OF(struct area_row, member)
	SECTION_PLACE(struct area_row, place),
	{"event", COLUMN_NAME, AREA(event)},
	{"mode", COLUMN_WORD, AREA(a.now.mode), .names = aux_mode_names},
	{"state", COLUMN_NAME, AREA(state)},
	{NULL, COLUMN_NAME, AREA(offline), " {}", COLUMN_OMIT},
	{"size", COLUMN_NUMBER, AREA(a.now.size)}, {"unread", COLUMN_KNOWN, AREA(a.now.unread)},
	{"bytes", COLUMN_KNOWN, AREA(a.sum.bytes)},
	{"rate", COLUMN_REAL, AREA(a.rate), " {}", .format = "%.0f", .own = text_rate_of_area},
	{"rate_measured", COLUMN_BOOL, AREA(a.measured)}, {"rate_why", COLUMN_TEXT, AREA(a.why)},
	{"held_ns", COLUMN_KNOWN, AREA(a.held_ns), " holds {}", COLUMN_OMIT_UNKNOWN,
	 .unit = COLUMN_SPAN},
	{"head", COLUMN_WORD, AREA(a.now.head), .names = aux_head_names},
	{"consumed", COLUMN_KNOWN, AREA(a.sum.consumed)},
	{"lost_bytes", COLUMN_KNOWN, AREA(a.sum.lost_bytes)},
	{"records", COLUMN_KNOWN, AREA(a.sum.records)},
#define FLAG(member, text_) AREA(a.sum.member), .text = text_, .omit = COLUMN_OMIT_TEXT
	{"truncated", COLUMN_KNOWN, FLAG(truncated, " truncated {}")},
	{"collision", COLUMN_KNOWN, FLAG(collision, " collision {}")},
	{"partial", COLUMN_KNOWN, FLAG(partial, " partial {}")},
	{"overwrite", COLUMN_KNOWN, AREA(a.sum.overwrite)},
	{"gap", COLUMN_KNOWN, FLAG(gaps, " gaps {}")}, {"starts", COLUMN_KNOWN, AREA(a.sum.starts)},
	{"restarts", COLUMN_KNOWN, FLAG(restarts, " restarted {}")},
	{"lost_records", COLUMN_KNOWN, FLAG(lost_records, " records lost {}")},
	{"last_record_ns", COLUMN_KNOWN, AREA(a.now.age_ns)},
	{"snapshots", COLUMN_KNOWN, FLAG(snapshots, " snapshots {}")},
	{"samples", COLUMN_KNOWN, AREA(a.sum.samples)},
	{"sample_bytes", COLUMN_KNOWN, AREA(a.sum.sample_bytes)},
	{0},
};

static void read_area(const struct headless_view *v, size_t i, struct area_row *r)
{
	model_aux(v->model, i, v->window, &r->a);
	r->a.rate = r->a.rate < 0 ? NAN : r->a.rate;
	r->event = model_info(v->model)->aux_event;
	r->offline = r->a.now.state == RING_OFFLINE ? "offline" : "";
	r->state = *r->offline ? r->offline : "live";
	r->place = section_place(v, r->a.now.cpu, r->a.now.tid);
}

static bool fill_areas(struct section_rows *to)
{
	for (size_t i = 0; i < model_naux(to->v->model); i++) {
		struct area_row r;

		read_area(to->v, i, &r);
		section_row(to, &r);
	}
	return true;
}

/* Put all areas in a line, then the first reason why a rate is not known. */
static void text_areas(struct out *o, const struct headless_view *v)
{
	size_t nr = model_naux(v->model);
	const char *why = NULL;
	char size[UNITS_LEN];
	struct area_row r;

	for (size_t i = 0; i < nr; i++) {
		read_area(v, i, &r);
		if (!i) {
			out_text(o, "  aux ");
			out_name(o, r.event, 0);
			out_printf(o, ", %s, %s:", aux_mode_names[r.a.now.mode],
				   units_bytes(size, (double)r.a.now.size));
		}
		out_text(o, i ? " |" : "");
		column_text(o, areas, &r, 0);
		why = why ? why : r.a.why;
	}
	if (nr)
		out_text(o, "\n");
	if (why)
		out_printf(o, "  aux -: %s\n", why);
}

const struct section section_aux = {.name = "aux", .columns = areas, .fill = fill_areas,
	.text = text_areas};
