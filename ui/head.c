/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/head.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/alerts.h"
#include "ui/app.h"
#include "ui/hosts.h"
#include "ui/meters.h"
#include "ui/widget.h"

#define TIMELINE_MAX 512

/* The end of what is shown: between refreshes the screen stands still, whatever came meanwhile. */
static uint64_t shown_now(const struct app *a)
{
	return a->held ? app_now(a) : a->to;
}

/* Whole seconds: "5 s", "01:32". */
static const char *whole(char buf[UNITS_LEN], uint64_t ns)
{
	uint64_t s = ns / NSEC_PER_SEC;

	if (s < 100 && (ns < NSEC_PER_SEC || ns % NSEC_PER_SEC) && ns < 10 * NSEC_PER_SEC)
		snprintf(buf, UNITS_LEN, "%.1f s", (double)ns / (double)NSEC_PER_SEC);
	else if (s < 100)
		snprintf(buf, UNITS_LEN, "%u s", (unsigned)s);
	else if (s < 3600)
		snprintf(buf, UNITS_LEN, "%02u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(buf, UNITS_LEN, "%u:%02u:%02u", (unsigned)(s / 3600 % 100000),
			 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	return buf;
}

/* How far the window's end lies back, in whole seconds. */
static uint64_t behind(const struct app *a)
{
	uint64_t now = model_info(a->model)->seeks ? seeking_last(a) : shown_now(a), to = app_window(a).to;

	return now > to ? (now - to) / NSEC_PER_SEC * NSEC_PER_SEC : 0;
}

static void brief(struct widget_segment *g, const char *text)
{
	text_append(g->brief, sizeof(g->brief), 0, "%s", text);
}

/* --- what is measured ------------------------------------------------------------------- */

/* A file that is still being read says how far it is. */
static void running_segment(const struct app *a, struct widget_line *l)
{
	double progress = model_progress(a->model);
	char bar[64], text[40];

	if (model_info(a->model)->live || !(progress > 0)) {
		widget_segment(l, ROLE_GOOD, 0, 2, model_info(a->model)->live ? "● LIVE" : "■ FILE");
		return;
	}
	widget_gauge(bar, sizeof(bar), 10, progress, a->scene.ascii);
	snprintf(text, sizeof(text), "■ FILE %.0f%%", floor(progress * 100));
	widget_segment(l, ROLE_GOOD, 0, 2, "■ FILE %s%3.0f%%", bar, floor(progress * 100));
	/* The bar stays where other words give way to it. */
	if (a->scene.cols < 60)
		brief(&l->seg[l->nr - 1], text);
}

static void state_segment(const struct app *a, struct widget_line *l)
{
	char span[UNITS_LEN];

	whole(span, behind(a));
	if (a->held && a->frozen)
		widget_segment(l, ROLE_WARN, 0, 2, "■ FROZEN");
	else if (a->held)
		widget_segment(l, ROLE_WARN, 0, 2, "◀ %s AGO", span);
	else if (a->ended)
		widget_segment(l, ROLE_WARN, 0, 2, "■ ENDED");
	else if (a->paused)
		widget_segment(l, ROLE_WARN, 0, 2, "■ PAUSED");
	else
		running_segment(a, l);
}

/* What is recorded, while it is; what failed stays until the next. */
static void recording_segment(const struct app *a, struct widget_line *l)
{
	const struct slice_recording *r = model_recording(a->model);
	char name[128], bytes[UNITS_LEN], text[40];
	const char *slash;

	if (!r || r->state == RECORDING_DONE)
		return;
	slash = strrchr(r->file, '/');
	text_escape(name, sizeof(name), slash ? slash + 1 : r->file);
	units_bytes(bytes, (double)r->bytes);
	if (r->state == RECORDING_FAILED) {
		brief(widget_segment(l, ROLE_BAD, 0, 2, "■ REC FAILED: see 6"), "■ REC FAILED");
		return;
	}
	snprintf(text, sizeof(text), "● REC %s", bytes);
	brief(widget_segment(l, ROLE_BAD, 0, 2, "● REC %.40s %s", name, bytes), text);
	if (r->lost)
		widget_segment(l, ROLE_WARN, 0, 1, "lost %s", units_count(bytes, (double)r->lost));
}

static void event_segment(const struct app *a, struct widget_line *l)
{
	const struct session_event *e = app_event(a);
	char name[140], period[UNITS_LEN], rate[48] = "";

	if (!e)
		return;
	text_escape(name, sizeof(name), e->name);
	/* A clock has both: what was asked for says more. */
	if (e->frequency)
		snprintf(rate, sizeof(rate), " %u Hz", e->frequency);
	else if (e->period)
		snprintf(rate, sizeof(rate), " every %s",
			 strcmp(e->unit, "ns") ? units_count(period, (double)e->period)
					       : units_span(period, e->period));
	brief(widget_segment(l, ROLE_STRONG, 1, 2, "%s%s", name, rate), name);
}

static void target_segment(const struct app *a, struct widget_line *l)
{
	const struct session_info *info = model_info(a->model);
	char target[300], text[340];

	text_escape(target, sizeof(target), info->target);
	/* "CPUs 0-3" says it already. */
	if (strstr(target, "CPU"))
		text_append(text, sizeof(text), 0, "%.80s", target);
	else
		text_append(text, sizeof(text), 0, "%.60s, %u CPU%s", target, info->cpus,
			    info->cpus == 1 ? "" : "s");
	brief(widget_segment(l, ROLE_TEXT, 2, 2, "%s", text), target);
}

static void clock_segments(const struct app *a, struct widget_line *l)
{
	const struct session_info *info = model_info(a->model);
	uint64_t now = info->seeks && a->held ? app_window(a).to : shown_now(a), up = now / NSEC_PER_SEC;
	time_t wall = (time_t)((info->start_wall + now) / NSEC_PER_SEC);
	char text[UNITS_LEN];
	struct tm tm;

	if (!now || !localtime_r(&wall, &tm))
		return;
	widget_segment(l, ROLE_TEXT, 4, 2, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec)
	    ->right = true;
	if (up < 3600)
		widget_segment(l, ROLE_TEXT, 6, 2, "up %02u:%02u", (unsigned)(up / 60),
			       (unsigned)(up % 60));
	else
		widget_segment(l, ROLE_TEXT, 6, 2, "up %s", whole(text, now));
}

void head_what(struct app *a, int y)
{
	const struct session_info *info = model_info(a->model);
	struct widget_line l = {.nr = 0};
	bool still = a->held || a->ended || a->paused;
	char graph[70];

	text_escape(graph, sizeof(graph), info->call_graph);
	widget_segment(&l, ROLE_STRONG, 3, 0, "ringtop");
	hosts_segment(a, &l);
	if (still)
		state_segment(a, &l);
	if (!hosts_cut_segment(a, &l) && !still)
		state_segment(a, &l);
	recording_segment(a, &l);
	event_segment(a, &l);
	target_segment(a, &l);
	if (graph[0])
		widget_segment(&l, ROLE_TEXT, 7, 2, "call graph: %s", graph);
	hosts_link_segment(a, &l);
	clock_segments(a, &l);
	widget_line_draw(&a->scene, y, &l);
}

/* --- can I trust it --------------------------------------------------------------------- */

/* "310k~ lost": the number as it is known, ~ where it is an estimate. */
static void lost_segment(const struct account *acc, struct widget_line *l)
{
	double share = 1 - acc->attributed_share;
	enum role role = theme_loss(share);
	char n[UNITS_LEN];
	struct widget_segment *g;

	if (!acc->counted) {
		widget_segment(l, ROLE_TEXT, 1, 2, "lost -");
		return;
	}
	units_count(n, (double)acc->lost_samples_all);
	g = widget_segment(l, role, 0, 2, "lost %s%s", n,
			   acc->lost_samples_all && !acc->exact ? "~" : "");
	if (role != ROLE_TEXT) {
		char text[40];

		snprintf(text, sizeof(text), "%sLOSS %.1f%%", role == ROLE_BAD ? "HEAVY " : "",
			 share * 100);
		brief(widget_segment(l, role, 0, 1, "%s: see 6", text), text);
	}
	if (acc->lost_all && !acc->lost_samples_all)
		snprintf(g->text, sizeof(g->text), "lost <1");
}

static void rate_segments(const struct app *a, const struct head *h, struct widget_line *l)
{
	char rate[UNITS_LEN], percent[16] = "-";

	if (h->seconds > 0) {
		struct widget_segment *g;
		char text[40];

		units_count(rate, h->samples_per_s);
		snprintf(text, sizeof(text), "%s/s", rate);
		g = widget_segment(l, ROLE_STRONG, 1, 0, "%s samples/s", rate);
		brief(g, text);
	} else {
		widget_segment(l, ROLE_DIM, 0, 0,
			       app_forgotten(a) ? "forgotten: no room in --history"
						: "waiting for the first samples");
	}
	/* Rounded down: 100.00% is said only of everything. */
	if (!isnan(h->account.attributed_share))
		snprintf(percent, sizeof(percent), "%.2f%%",
			 floor(h->account.attributed_share * 10000) / 100);
	{
		char text[32];

		snprintf(text, sizeof(text), "attr %s", percent);
		brief(widget_segment(
			  l, theme_loss(1 - h->account.attributed_share), 2, 2, "attributed %s", percent),
		      text);
	}
}

#define SELF_SECONDS 0.01 /* a share of less time says nothing */

/* How near what is read of the programs' files is to its limit, and whether all of it found room. */
static enum role memory_role(const struct slice_self *self)
{
	if (!self->budget_limit)
		return ROLE_DIM;
	if (self->budget_bytes > self->budget_limit / 20 * 19)
		return ROLE_BAD;
	if (self->budget_refusals || self->budget_bytes > self->budget_limit / 4 * 3)
		return ROLE_WARN;
	return ROLE_DIM;
}

static void self_segment(const struct head *h, struct widget_line *l)
{
	enum role role = memory_role(&h->self);
	char rss[UNITS_LEN];

	if (h->seconds < SELF_SECONDS)
		return;
	widget_segment(l, role, role == ROLE_DIM ? 6 : 0, 2, "│ self %.1f%% %s%s", h->self_cpu * 100,
		       units_bytes(rss, (double)h->self.rss_bytes),
		       role == ROLE_DIM ? "" : ": see 6");
}

void head_trust(struct app *a, int y)
{
	struct widget_line line = {.nr = 0}, self = {.nr = 0};
	struct head h;

	model_head(a->model, a->event, app_window(a), &h);
	rate_segments(a, &h, &line);
	lost_segment(&h.account, &line);
	self_segment(&h, &self);
	meters_add(a, &h.account, &line, &self);
	if (self.nr && line.nr < sizeof(line.seg) / sizeof(line.seg[0]))
		line.seg[line.nr++] = self.seg[0];
	widget_line_draw(&a->scene, y, &line);
}

void head_short(struct app *a, int y)
{
	struct widget_line l = {.nr = 0};
	struct head h;

	model_head(a->model, a->event, app_window(a), &h);
	hosts_cut_segment(a, &l);
	rate_segments(a, &h, &l);
	lost_segment(&h.account, &l);
	widget_line_draw(&a->scene, y, &l);
}

/* --- timeline --------------------------------------------------------------------------- */

/* The shortest round time of which `cells` cover `length`. */
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
	uint64_t start, bin, now;
	int cells; /* with history in them */
	double full; /* weight of a bin that fills its cell */
	double bins[TIMELINE_MAX];
};

#define GAPS_MAX 32

/* Where nothing came from a host, in the cells [from, to). */
static void timeline_gaps(const struct app *a, const struct timeline *t, bool gap[TIMELINE_MAX])
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

/*
 * Bins stand still: they are cut at round times and the line grows to the right, so that a refresh
 * rewrites one cell and not all of them.
 */
static void timeline_fill(const struct app *a, struct timeline *t, int cells)
{
	const struct session_event *e = app_event(a);
	uint64_t first = model_first(a->model);
	double most = 0;
	int exponent;

	t->now = shown_now(a);
	t->bin = bin_length(t->now > first ? t->now - first + 1 : 1, cells > 2 ? cells - 1 : 1);
	t->start = first / t->bin * t->bin;
	t->cells = cells;
	if (t->now < t->start + t->bin * (uint64_t)cells)
		t->cells = t->now > t->start ? (int)((t->now - t->start + t->bin - 1) / t->bin) : 0;
	model_timeline(a->model, a->event,
		       (struct window){t->start, t->start + t->bin * (uint64_t)t->cells}, t->bins,
		       (size_t)t->cells);
	if (e && !strcmp(e->unit, "ns")) {
		t->full =
		    (double)t->bin * (model_info(a->model)->cpus ? model_info(a->model)->cpus : 1);
		return;
	}
	for (int i = 0; i < t->cells; i++)
		most = fmax(most, t->bins[i]);
	t->full = most > 0 ? (frexp(most, &exponent), ldexp(1, exponent)) : 1;
}

#define TICK_MOST (200 * NSEC_PER_MSEC) /* a window of whole slices is longer by so much, or less */

/* How long the window really is: what is kept may be coarser than what was asked for. */
static uint64_t window_length(const struct app *a, struct window w)
{
	uint64_t length = w.to - w.from;

	if (length <= a->span + TICK_MOST && a->span <= length + TICK_MOST)
		return a->span;
	if (length < NSEC_PER_SEC)
		return length;
	return (length + NSEC_PER_SEC / 2) / NSEC_PER_SEC * NSEC_PER_SEC;
}

static void timeline_legend(const struct app *a, char *buf, size_t size)
{
	char span[UNITS_LEN], all[UNITS_LEN], back[UNITS_LEN];
	uint64_t now = shown_now(a), first = model_first(a->model);
	uint64_t length = now > first ? now - first : 0;

	if (model_info(a->model)->seeks)
		length = seeking_last(a) - seeking_first(a);
	whole(all, length >= NSEC_PER_SEC ? length / NSEC_PER_SEC * NSEC_PER_SEC : length);
	whole(span, window_length(a, app_window(a)));
	if (!a->span || (a->span >= length && !a->held))
		snprintf(buf, size, "all of %s", all);
	else if (a->held)
		snprintf(buf, size, "%s, %s ago, of %s", span, whole(back, behind(a)), all);
	else
		snprintf(buf, size, "last %s of %s", span, all);
}

void head_timeline(struct app *a, int y)
{
	const char *keys = a->held ? "  (← → move, +/- widen, End or Esc: now)"
				   : "  (← → move, +/- widen, Space freeze)";
	struct window w = app_window(a);
	bool gap[TIMELINE_MAX];
	struct timeline t;
	char legend[240], why[128], name[4 * MARK_NAME] = "";
	const struct mark *mark = marking_in(a, w);
	int x = 1, cells, room, from, to;

	if (!a->to)
		return;
	timeline_legend(a, legend, sizeof(legend));
	if (mark)
		text_escape(name, sizeof(name), mark->name);
	hosts_gap_text(a, w.from, w.to, why, sizeof(why));
	if (why[0])
		text_append(legend, sizeof(legend), strlen(legend), ": %s", why);
	else if (mark && w.to != UINT64_MAX)
		text_append(legend, sizeof(legend), strlen(legend), ": %s", name);
	else if (a->scene.cols >= 120)
		text_append(legend, sizeof(legend), strlen(legend), "%s", keys);
	/* Room that does not change with every digit of the legend, or the bins would jump. */
	room = a->scene.cols >= 120 ? 72 : a->scene.cols >= 60 ? 28 : 0;
	cells = a->scene.cols - 3 - room;
	if (cells > TIMELINE_MAX)
		cells = TIMELINE_MAX;
	if (cells < 8)
		return;
	timeline_fill(a, &t, cells);
	from = w.to <= t.start ? -1 : w.from <= t.start ? 0 : (int)((w.from - t.start) / t.bin);
	to = from < 0		? -1
	     : w.to >= t.now ? t.cells
			     : (int)((w.to - t.start + t.bin - 1) / t.bin);
	timeline_gaps(a, &t, gap);
	for (int i = 0; i < t.cells; i++) {
		bool in = i >= from && i < to;
		int level = (int)lround(t.bins[i] / t.full * 8);
		uint64_t cell = t.start + t.bin * (uint64_t)i;
		bool marked = marking_in(a, (struct window){cell + 1, cell + t.bin});
		const char *glyph = marked		? "▼"
				    : gap[i] && !level ? "x"
					: widget_level(level || !(t.bins[i] > 0) ? level : 1, a->scene.ascii);

		if (i == from)
			x += scene_text(&a->scene, y, x, 1, ROLE_WINDOW, "[");
		app_zone(a, (struct rect){y, x, 1, 1}, ZONE_TIME,
			 t.start + t.bin * (uint64_t)(i + 1), NULL);
		x += scene_text(&a->scene, y, x, 1, marked ? ROLE_STRONG : gap[i] ? ROLE_WARN : in ? ROLE_WINDOW : ROLE_DIM, glyph);
		if (i + 1 == to)
			x += scene_text(&a->scene, y, x, 1, ROLE_WINDOW, "]");
	}
	if (room)
		scene_fit(&a->scene, y, cells + 4, -1, ROLE_DIM, legend);
}

/* --- alerts ----------------------------------------------------------------------------- */

static const struct alert *alert_shown(const struct alerts *all, struct window w, unsigned *standing)
{
	const struct alert *found = NULL;

	*standing = 0;
	for (size_t i = all->nr; i-- > 0;) {
		const struct alert *a = &all->alert[i];

		if (!a->until)
			++*standing;
		if ((!a->until && *standing == 1) || (!found && alerts_in(a, w.from, w.to)))
			found = a;
	}
	return found;
}

/* What of the command need not be told is that it went well. */
static bool command_failed(const struct alert *a)
{
	return *a->command && strcmp(a->command, "exit 0") != 0 && strcmp(a->command, "running") != 0;
}

bool head_alert(struct app *a, int y)
{
	unsigned standing;
	const struct alert *alert = alert_shown(model_alerts(a->model), app_window(a), &standing);
	uint64_t wall = model_info(a->model)->start_wall;
	char text[1600], reason[1200], day[32];
	size_t pos;

	if (!alert)
		return false;
	marks_time_of_day(wall + alert->time, day, sizeof(day));
	text_escape(reason, sizeof(reason), alert->reason);
	pos = text_append(text, sizeof(text), 0, alert->until ? "alert at %s: %s" : "ALERT since %s: %s", day, reason);
	if (standing > 1)
		pos = text_append(text, sizeof(text), pos, "; %u more stand", standing - 1);
	if (command_failed(alert))
		text_append(text, sizeof(text), pos, "; --on-alert: %s", alert->command);
	scene_fit(&a->scene, y, 1, -1, alert->until ? ROLE_DIM : ROLE_BAD, text);
	return true;
}
