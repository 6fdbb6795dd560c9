/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "model/core/marks.h"
#include "ui/app/app.h"
#include "ui/app/marking.h"
#include "ui/app/seeking.h"
#include "ui/app/zoom.h"
#include "ui/parts/head.h"
#include "ui/parts/hosttexts.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

/* Return the shortest round time of which `cells` cover `length`. */
static uint64_t bin_length(uint64_t length, int cells)
{
	static const unsigned tenths[] = {1, 2, 5, 10, 20, 50, 100, 200, 300, 600, 1200, 3000, 6000,
					  9000, 18000, 36000};
	size_t i = 0, n = sizeof(tenths) / sizeof(tenths[0]);
	uint64_t unit = NSEC_PER_SEC / 10;

	while (i + 1 < n && tenths[i] * unit * (uint64_t)cells < length)
		i++;
	while (tenths[i] * unit * (uint64_t)cells < length)
		unit *= 2;
	return tenths[i] * unit;
}

struct timeline {
	uint64_t start, bin, first, now;
	int cells; /* with history in them */
	double full; /* weight of a bin that fills its cell */
	double bins[TIMELINE_MAX];
};

#define GAPS_MAX 32

/* Mark the cells during which nothing came from a host. */
static void find_gaps(const struct app *a, const struct timeline *t, bool gap[TIMELINE_MAX])
{
	const struct host_gap *gaps[GAPS_MAX];
	struct window all = {t->start, t->start + t->bin * (uint64_t)t->cells};
	size_t nr = model_gaps(a->model, all, gaps, GAPS_MAX);

	memset(gap, 0, sizeof(bool) * TIMELINE_MAX);
	for (int i = 0; i < t->cells; i++)
		for (size_t g = 0; g < nr; g++)
			gap[i] |= gaps[g]->from < t->start + t->bin * (uint64_t)(i + 1) &&
				  gaps[g]->to > t->start + t->bin * (uint64_t)i;
}

static bool is_time(const struct app *a)
{
	const struct session_event *e = app_event(a);

	return e && !strcmp(e->unit, "ns");
}

void timeline_choose(struct app *a, const struct row *r)
{
	struct timeline_state *s = a->line;

	s->chosen = true;
	s->id = r->id;
	s->key = r->key;
	if (a->table[a->view].group == GROUP_FUNCTION)
		rowlist_fit(a, s->name, sizeof(s->name), r->name, NULL, 13);
	else if (a->table[a->view].group == GROUP_LINE)
		rowlist_line(a, s->name, sizeof(s->name), r, 13);
	else
		text_escape(s->name, sizeof(s->name), r->name);
}

/* Hash all that determines the row's line: on a change its bins are rebuilt. */
static uint64_t row_what(const struct app *a, const struct query *q)
{
	char words[ZOOM_LEVELS * ZOOM_WORDS];
	unsigned flags = a->hide_kernel | a->hide_user << 1 | a->show_self << 2 |
			 a->show_idle << 3 | a->wall << 4 | a->event << 5;
	uint64_t h = hash_mix(a->line->key, (uint64_t)a->table[a->view].group << 32 | flags);

	h = hash_mix(h, model_row_named(a->model, q, a->line->id));

	zoom_words(a->zoom, words, sizeof(words));
	h = hash_mix(h, hash_bytes(words, strlen(words)));
	return hash_mix(h, hash_bytes(a->filter_text, strlen(a->filter_text)));
}

/*
 * Fill the cells, by adding only slices that came since the last frame: a history has millions of
 * rows.  Slices after the last refresh are left out, as the screen stands still between refreshes.
 */
static void fill_bins(struct app *a, struct timeline *t)
{
	struct timeline_state *s = a->line;
	struct query q = app_query(a, &a->table[a->view]);
	struct timeline_of of = {s->chosen ? row_what(a, &q) : a->event, t->first, t->start,
				 t->bin};
	struct timeline_part p = {.bins = {t->start, t->start + t->bin * TIMELINE_MAX},
				  .until = t->now};

	if (!memcmp(&s->of, &of, sizeof(of)) && s->upto <= t->now)
		p.since = s->upto;
	do {
		if (p.since == UINT64_MAX || !p.since) {
			p.since = 0;
			memset(s->bins, 0, sizeof(s->bins));
		}
		p.since =
			s->chosen
				? model_row_timeline(a->model, &q, s->id, &p, s->bins, TIMELINE_MAX)
				: model_timeline_add(a->model, a->event, &p, s->bins, TIMELINE_MAX);
	} while (p.since == UINT64_MAX);
	s->of = of;
	s->upto = p.since;
	memcpy(t->bins, s->bins, (size_t)t->cells * sizeof(*t->bins));
}

/* Extrapolate cells of which only a part has passed, or is in the history. */
static void complete_ends(struct timeline *t)
{
	for (int i = 0; i < t->cells; i++) {
		uint64_t from = t->start + t->bin * (uint64_t)i, to = from + t->bin;

		from = from > t->first ? from : t->first;
		to = to < t->now ? to : t->now;
		if (from < to && to - from < t->bin)
			t->bins[i] *= (double)t->bin / (double)(to - from);
	}
}

/*
 * A cell is full if all CPUs are busy, where whole CPUs are measured; else at the power of two
 * above the largest bin, which stays the same while values jitter.
 */
/* Return the target of a saved time line, which is behind the file's name (timefile). */
static const char *saved_target(const char *target)
{
	const char *at = strstr(target, ": whole machine");

	at = at ? at : strstr(target, ": cpus ");
	return at && !strstr(target, ": " SESSION_COMMAND_TARGET) ? at + 2 : target;
}

bool timeline_whole(const struct app *a)
{
	const struct session_info *info = model_info(a->model);
	const char *target = info->live ? info->target : saved_target(info->target);

	return !strncmp(target, "whole machine", 13) || !strncmp(target, "cpus ", 5);
}

double timeline_full(const struct app *a, const double *bins, size_t nr, uint64_t bin, bool row)
{
	const struct session_info *info = model_info(a->model);
	bool whole = timeline_whole(a);
	double unit = is_time(a) ? (double)bin : 1, most = 0;
	int exponent;

	if (is_time(a) && whole && !row)
		return unit * (info->cpus ? info->cpus : 1);
	for (size_t i = 0; i < nr; i++)
		most = fmax(most, bins[i] / unit);
	if (!(most > 0))
		return unit;
	return unit * (frexp(most, &exponent) == 0.5 ? most : ldexp(1, exponent));
}

/*
 * Set up the bins and fill them.  Bins begin at round times and the line grows to the right, so
 * that a refresh rewrites one cell and not all of them.
 */
static void prepare_timeline(struct app *a, struct timeline *t, int cells)
{
	t->first = model_first(a->model);
	t->now = head_now(a);
	t->bin = bin_length(t->now > t->first ? t->now - t->first + 1 : 1,
			    cells > 2 ? cells - 1 : 1);
	t->start = t->first / t->bin * t->bin;
	t->cells = cells;
	if (t->now < t->start + t->bin * (uint64_t)cells)
		t->cells = t->now > t->start ? (int)((t->now - t->start + t->bin - 1) / t->bin) : 0;
	fill_bins(a, t);
	complete_ends(t);
	t->full = timeline_full(a, t->bins, (size_t)t->cells, t->bin, a->line->chosen);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#define SPIKE_CELLS 8 /* with fewer cells the median means nothing */

double timeline_spike(const double *bins, size_t nr, double full)
{
	double sorted[TIMELINE_MAX];

	if (nr < SPIKE_CELLS || nr > TIMELINE_MAX)
		return INFINITY;
	memcpy(sorted, bins, nr * sizeof(*bins));
	qsort(sorted, nr, sizeof(*sorted), ascending);
	return fmax(2 * sorted[nr / 2], full / 4);
}

#define TICK_MOST (200 * NSEC_PER_MSEC) /* most that whole slices differ from the span */

/* Return the window's real length: slices that are kept may be coarser than the span. */
static uint64_t window_length(const struct app *a, struct window w)
{
	uint64_t length = w.to - w.from;

	if (length < NSEC_PER_SEC)
		return length;
	if (length <= a->span + TICK_MOST && a->span <= length + TICK_MOST)
		return a->span;
	return (length + NSEC_PER_SEC / 2) / NSEC_PER_SEC * NSEC_PER_SEC;
}

/* Write the window in time of day, "11:41:45–11:41:50"; below a second "11:41:45.3–45.7". */
static void wall_clock(const struct app *a, struct window w, char *buf, size_t size)
{
	uint64_t from = model_info(a->model)->start_wall + w.from, to = from + (w.to - w.from),
		 tenth = NSEC_PER_SEC / 10;
	char f[32], t[32];

	marks_time_of_day(from, f, sizeof(f));
	marks_time_of_day(to, t, sizeof(t));
	if (w.to - w.from >= NSEC_PER_SEC)
		text_append(buf, size, 0, "%s–%s", f, t);
	else
		text_append(buf, size, 0, "%s.%u–%s.%u", f, (unsigned)(from / tenth % 10),
			    t + (strlen(t) == 8 ? 6 : 0), (unsigned)(to / tenth % 10));
}

/*
 * Return true if the model has forgotten the oldest slices, so that the line does not cover the
 * run.
 */
static bool forgotten(const struct app *a)
{
	struct model_memory mem;

	model_memory(a->model, &mem);
	return mem.forgotten;
}

static void write_legend(const struct app *a, struct window w, char *buf, size_t size)
{
	char span[UNITS_LEN], all[UNITS_LEN + 8], back[UNITS_LEN], clock[48];
	uint64_t now = head_now(a), first = model_first(a->model);
	uint64_t length = now > first ? now - first : 0;
	bool from_file = model_info(a->own)->seeks || seeking_in_file(a);

	if (from_file)
		length = seeking_last(a) - seeking_first(a);
	head_whole(all, length >= NSEC_PER_SEC ? length / NSEC_PER_SEC * NSEC_PER_SEC : length);
	if (!from_file && forgotten(a))
		text_append(all, sizeof(all), strlen(all), " kept");
	head_whole(span, window_length(a, w));
	head_whole(back, head_behind(a));
	wall_clock(a, w, clock, sizeof(clock));
	if (w.to == UINT64_MAX || (!a->held && a->span >= length))
		snprintf(buf, size, "all of %s", all);
	else if (!a->held)
		snprintf(buf, size, "last %s of %s", span, all);
	else if (a->scene.cols < 120)
		snprintf(buf, size, "%s, %s%s", span, clock, seeking_in_file(a) ? ", saved" : "");
	else if (seeking_in_file(a))
		snprintf(buf, size, "%s, %s ago, from the file, of %s: %s", span, back, all, clock);
	else
		snprintf(buf, size, "%s, %s ago, of %s: %s", span, back, all, clock);
}

/* Write the window's legend, with a host's gap, a mark, or the keys that move it. */
static void legend(struct app *a, struct window w, char *buf, size_t size)
{
	const char *keys =
		a->held ? "  (← → move, End: now)" : "  (← → move, +/- widen, Space freeze)";
	const struct mark *mark = marking_in(a, w);
	char why[128], name[4 * MARK_NAME] = "";

	write_legend(a, w, buf, size);
	if (mark)
		text_escape(name, sizeof(name), mark->name);
	hosttexts_gap_text(a, w.from, w.to, why, sizeof(why));
	if (why[0])
		text_append(buf, size, strlen(buf), ": %s", why);
	else if (mark && w.to != UINT64_MAX)
		text_append(buf, size, strlen(buf), ": %s", name);
	else if (a->scene.cols >= 120)
		text_append(buf, size, strlen(buf), "%s", keys);
}

/* Write two digits of a number of CPUs: "256", "12", "2.6", "0.22", "0.062". */
static void write_scale(char *buf, size_t size, double full)
{
	snprintf(buf, size, full >= 99.5 ? "%.0f" : "%.2g", full);
}

/*
 * Write the number of CPUs in three columns, where more would be cut: of less than one, per cent of
 * it: "12%", "6%",
 * ".4%".
 */
static void write_short_scale(char *buf, size_t size, double full)
{
	double percent = full * 100;

	if (full >= 999.5)
		snprintf(buf, size, "%.0fk", full / 1000);
	else if (full >= 0.995)
		write_scale(buf, size, full);
	else if (percent >= 0.95)
		snprintf(buf, size, "%.0f%%", percent);
	else
		snprintf(buf, size, percent < 0.05 ? "<.1%%" : ".%.0f%%", percent * 10);
}

/* Return the unit for narrow screens: "CPU" if the scale is in per cent, "CPUs" else. */
static const char *narrow_name(const struct app *a, const char *scale)
{
	if (a->line->chosen)
		return "row";
	return !is_time(a) ? "" : strchr(scale, '%') ? "CPU" : "CPUs"; /* the head has the event */
}

/* Write the line's name and the value of a full cell: "CPUs≤2". */
static void write_name(const struct app *a, const struct timeline *t, char *buf, size_t size)
{
	const struct session_event *e = app_event(a);
	bool wide = a->scene.cols >= 120;
	char scale[UNITS_LEN], name[300];

	if (is_time(a)) {
		(wide ? write_scale : write_short_scale)(scale, sizeof(scale),
							 t->full / (double)t->bin);
		text_append(scale, sizeof(scale), strlen(scale), "%s",
			    wide && a->line->chosen ? " CPUs" : "");
	} else {
		units_count(scale, t->full * (double)NSEC_PER_SEC / (double)t->bin);
	}
	text_escape(name, sizeof(name),
		    !wide	     ? narrow_name(a, scale)
		    : a->line->chosen ? a->line->name
		    : is_time(a)     ? "CPUs"
		    : e		     ? e->name
				     : "");
	text_append(buf, size, 0, "%.*s≤%s%s", 13, name, scale, is_time(a) ? "" : "/s");
}

struct looks {
	bool in, gap, marked, spike;
};

static enum role cell_role(const struct app *a, const struct looks *c)
{
	return c->marked  ? ROLE_STRONG
	       : c->gap   ? ROLE_WARN
	       : c->spike ? ROLE_WARN
	       : c->in	  ? ROLE_WINDOW
	       : a->line->chosen ? ROLE_GOOD
				: ROLE_DIM;
}

static void draw_cells(struct app *a, const struct timeline *t, struct window w, int y, int x)
{
	int from = w.to <= t->start	? -1
		   : w.from <= t->start ? 0
					: (int)((w.from - t->start) / t->bin);
	int to = from < 0	  ? -1
		 : w.to >= t->now ? t->cells
				  : (int)((w.to - t->start + t->bin - 1) / t->bin);
	double spike = timeline_spike(t->bins, (size_t)t->cells, t->full);
	bool gap[TIMELINE_MAX];

	find_gaps(a, t, gap);
	for (int i = 0; i < t->cells; i++) {
		uint64_t at = t->start + t->bin * (uint64_t)i;
		int level = (int)lround(t->bins[i] / t->full * 8);
		struct looks c = {.in = i >= from &&
					i<to, .gap = gap[i], .spike = t->bins[i]> spike,
				  .marked = marking_in(a, (struct window){at + 1, at + t->bin})};
		const char *glyph = c.marked ? "▼"
				    : c.gap && !level
					    ? "x"
					    : widget_level(level || !(t->bins[i] > 0) ? level : 1,
							   a->scene.ascii);

		if (i == from)
			x += scene_text(&a->scene, y, x, 1, ROLE_WINDOW, "[");
		app_zone(a, (struct rect){y, x, 1, 1}, ZONE_TIME, at + t->bin, NULL);
		x += scene_text(&a->scene, y, x, 1, cell_role(a, &c), glyph);
		if (i + 1 == to)
			x += scene_text(&a->scene, y, x, 1, ROLE_WINDOW, "]");
	}
}

void timeline_draw(struct app *a, int y)
{
	struct window w = app_window(a);
	char text[240], name[128];
	struct timeline t;
	int cells, room, left;

	if (!a->to)
		return;
	/* Fixed room for the words, or the bins would jump with every digit. */
	room = a->scene.cols >= 120 ? 66 : a->scene.cols >= 60 ? 28 : 0;
	left = a->scene.cols >= 120 ? 24 : a->scene.cols >= 60 ? 9 : 0;
	cells = a->scene.cols - 3 - room - left;
	cells = cells > TIMELINE_MAX ? TIMELINE_MAX : cells;
	if (cells < 8)
		return;
	prepare_timeline(a, &t, cells);
	write_name(a, &t, name, sizeof(name));
	scene_fit(&a->scene, y, 1, left - 1, ROLE_DIM, name);
	draw_cells(a, &t, w, y, 1 + left);
	legend(a, w, text, sizeof(text));
	if (room)
		scene_fit(&a->scene, y, left + cells + 4, -1, ROLE_DIM, text);
}
