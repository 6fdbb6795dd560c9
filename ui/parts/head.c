/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/head.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/app/seeking.h"
#include "ui/parts/hosttexts.h"
#include "ui/parts/meters.h"
#include "ui/parts/widget.h"

/* Between refreshes the time shown ends at the last refresh, whatever has come since. */
uint64_t head_now(const struct app *a)
{
	return a->held ? app_now(a) : a->to;
}

/* Times below 10 s that are not whole seconds get a tenth. */
const char *head_whole(char buf[UNITS_LEN], uint64_t ns)
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

uint64_t head_behind(const struct app *a)
{
	uint64_t now = model_info(a->own)->seeks || seeking_in_file(a) ? seeking_last(a)
								       : head_now(a),
		 to = app_window(a).to;

	return now > to ? (now - to) / NSEC_PER_SEC * NSEC_PER_SEC : 0;
}

/* Pad a figure to `cols` columns, so that segments behind it do not move with every digit. */
static void steady(struct widget_segment *g, const char *figure, size_t cols)
{
	size_t len = strlen(figure);

	g->pad = (uint8_t)(len < cols ? cols - len : 0);
}

static void set_brief_text(struct widget_segment *g, const char *text)
{
	text_append(g->brief, sizeof(g->brief), 0, "%s", text);
}

/* --- what is measured ------------------------------------------------------------------- */

/* Add how late the picture is.  False: it is not. */
static bool late_segment(const struct app *a, struct widget_line *l)
{
	uint64_t behind = app_behind(a);
	char span[UNITS_LEN];

	if (behind)
		widget_segment(l, ROLE_WARN, 0, 2, "◌ %s BEHIND",
			       head_whole(span, behind / NSEC_PER_SEC * NSEC_PER_SEC));
	return behind;
}

/* Add the state of a session that is going on; of a file also how far it has been read. */
static void running_segment(const struct app *a, struct widget_line *l)
{
	double progress = model_progress(a->model);
	char bar[64], text[40];

	if (late_segment(a, l))
		return;
	if (model_info(a->model)->live || !(progress > 0)) {
		widget_segment(l, ROLE_GOOD, 0, 2,
			       model_info(a->model)->live ? "● LIVE" : "■ FILE");
		return;
	}
	widget_gauge(bar, sizeof(bar), 10, progress, a->scene.ascii);
	snprintf(text, sizeof(text), "■ FILE %.0f%%", floor(progress * 100));
	widget_segment(l, ROLE_GOOD, 0, 2, "■ FILE %s%3.0f%%", bar, floor(progress * 100));
	/* On wide screens other segments are shortened, not the bar. */
	if (a->scene.cols < 60)
		set_brief_text(&l->seg[l->nr - 1], text);
}

static void state_segment(const struct app *a, struct widget_line *l)
{
	char span[UNITS_LEN];

	head_whole(span, head_behind(a));
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

/* Add the recording while it is going on; a failure stays until the next one. */
static void recording_segment(const struct app *a, struct widget_line *l)
{
	const struct slice_recording *r = model_recording(a->own);
	char name[128], bytes[UNITS_LEN], text[40];
	const char *slash;

	if (!r || r->state == RECORDING_DONE)
		return;
	slash = strrchr(r->file, '/');
	text_escape(name, sizeof(name), slash ? slash + 1 : r->file);
	units_bytes(bytes, (double)r->bytes);
	if (r->state == RECORDING_FAILED) {
		set_brief_text(widget_segment(l, ROLE_BAD, 0, 2, "■ REC FAILED: see 6"),
			       "■ REC FAILED");
		return;
	}
	snprintf(text, sizeof(text), "● REC %s", bytes);
	set_brief_text(widget_segment(l, ROLE_BAD, 0, 2, "● REC %.40s %s", name, bytes), text);
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
	/* A clock has both: show the frequency, which was requested. */
	if (e->frequency)
		snprintf(rate, sizeof(rate), " %u Hz", e->frequency);
	else if (e->period)
		snprintf(rate, sizeof(rate), " every %s",
			 strcmp(e->unit, "ns") ? units_count(period, (double)e->period)
					       : units_span(period, e->period));
	set_brief_text(widget_segment(l, ROLE_STRONG, 1, 2, "%s%s", name, rate), name);
}

/* Cut the target to `cols` columns; the beginning of a command tells most. */
static void shorten_target(const struct app *a, char *text, size_t size, int cols)
{
	size_t len = strlen(text);

	if (scene_width(&a->scene, text) <= cols)
		return;
	while (len && scene_width(&a->scene, text) >= cols) {
		do
			len--;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80);
		text[len] = '\0';
	}
	text_append(text, size, len, "…");
}

#define TARGET_COLS 60
#define TARGET_LEAST 24

static void target_segment(const struct app *a, struct widget_line *l)
{
	const struct session_info *info = model_info(a->model);
	char target[300], text[340];

	text_escape(target, sizeof(target), info->target);
	shorten_target(a, target, sizeof(target), TARGET_COLS);
	/* "CPUs 0-3" already contains their number. */
	if (strstr(target, "CPU"))
		text_append(text, sizeof(text), 0, "%s", target);
	else
		text_append(text, sizeof(text), 0, "%s, %u CPU%s", target, info->cpus,
			    info->cpus == 1 ? "" : "s");
	shorten_target(a, target, sizeof(target), TARGET_LEAST);
	set_brief_text(widget_segment(l, ROLE_TEXT, 2, 2, "%s", text), target);
}

static void clock_segments(const struct app *a, struct widget_line *l)
{
	const struct session_info *info = model_info(a->model);
	uint64_t now =
		(info->seeks || seeking_in_file(a)) && a->held ? app_window(a).to : head_now(a);
	uint64_t run = now / NSEC_PER_SEC * NSEC_PER_SEC;
	time_t wall = (time_t)((info->start_wall + now) / NSEC_PER_SEC);
	char text[UNITS_LEN];
	struct tm tm;

	if (!now || !localtime_r(&wall, &tm))
		return;
	widget_segment(l, ROLE_TEXT, 4, 2, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec)
	    ->right = true;
	/* The measured time, not the machine's uptime. */
	widget_segment(l, ROLE_TEXT, 6, 2, "run %s", head_whole(text, run));
}

void head_what(struct app *a, int y)
{
	const struct session_info *info = model_info(a->model);
	struct widget_line l = {.nr = 0};
	bool still = a->held || a->ended || a->paused;
	char graph[70];

	text_escape(graph, sizeof(graph), info->call_graph);
	widget_segment(&l, ROLE_STRONG, 3, 0, "ringtop");
	hosttexts_segment(a, &l);
	if (still)
		state_segment(a, &l);
	if (!hosttexts_cut_segment(a, &l) && !still)
		state_segment(a, &l);
	recording_segment(a, &l);
	event_segment(a, &l);
	target_segment(a, &l);
	if (graph[0] && !callpaths_named(a))
		widget_segment(&l, ROLE_TEXT, 7, 2, "call graph: %s", graph);
	hosttexts_link_segment(a, &l);
	clock_segments(a, &l);
	widget_line_draw(&a->scene, y, &l);
}

/* --- can I trust it --------------------------------------------------------------------- */

/* Add the time without a counter: it is no loss of a ring, and a larger ring would not help. */
static void counter_segment(const struct account *acc, struct widget_line *l)
{
	double share = model_counter_share(acc);
	char text[40];

	if (acc->unknown) {
		set_brief_text(widget_segment(l, ROLE_BAD, 0, 2, "no counter yet: see 6"),
			       "no counter");
	} else if (acc->starved) {
		snprintf(text, sizeof(text), "counted %.1f%% of the time", share * 100);
		set_brief_text(widget_segment(l, theme_loss(1 - share), 0, 2, "%s: see 6", text),
			       text);
	}
}

/* Add the losses: "310k~ lost", where ~ marks an estimate. */
static void lost_segment(const struct account *acc, struct widget_line *l)
{
	double due = (double)acc->attributed + (double)acc->lost_all;
	double share = due > 0 ? (double)(acc->lost_all - acc->lost[LOST_MULTIPLEXED]) / due : NAN;
	enum role role = theme_loss(share);
	char n[UNITS_LEN];
	struct widget_segment *g;

	if (!acc->counted) {
		widget_segment(l, ROLE_TEXT, 1, 2, "lost -");
		counter_segment(acc, l);
		return;
	}
	units_count(n, (double)acc->lost_samples_all);
	g = widget_segment(l, role, 0, 2, "lost %s%s", n,
			   acc->lost_samples_all && !acc->exact ? "~" : "");
	if (role != ROLE_TEXT) {
		char text[40];

		snprintf(text, sizeof(text), "%sLOSS %.1f%%", role == ROLE_BAD ? "HEAVY " : "",
			 share * 100);
		set_brief_text(widget_segment(l, role, 0, 1, "%s: see 6", text), text);
	}
	if (acc->lost_all && !acc->lost_samples_all)
		snprintf(g->text, sizeof(g->text), "lost <1");
	counter_segment(acc, l);
}

static void rate_segments(const struct app *a, const struct head *h, struct widget_line *l)
{
	char rate[UNITS_LEN], percent[16] = "-", text[40];
	struct widget_segment *g;

	if (h->seconds > 0) {
		units_count(rate, h->samples_per_s);
		snprintf(text, sizeof(text), "%s/s", rate);
		g = widget_segment(l, ROLE_STRONG, 1, 0, "%s samples/s", rate);
		set_brief_text(g, text);
		steady(g, rate, 5);
	} else {
		widget_segment(l, ROLE_DIM, 0, 0,
			       app_forgotten(a)	     ? "forgotten: no room in --history"
			       : model_now(a->model) ? "waiting for samples"
						     : "waiting for the first samples");
	}
	/* Rounded down, so that 100.00% means everything. */
	if (!isnan(h->account.attributed_share))
		snprintf(percent, sizeof(percent), "%.2f%%",
			 floor(h->account.attributed_share * 10000) / 100);
	snprintf(text, sizeof(text), "attr %s", percent);
	g = widget_segment(l, theme_loss(1 - h->account.attributed_share), 2, 2, "attributed %s",
			   percent);
	set_brief_text(g, text);
	if (!isnan(h->account.attributed_share))
		steady(g, percent, 7);
}

#define SELF_SECONDS 0.01 /* least time to compute ringtop's CPU share from */

/*
 * Return the role of the memory for programs' files: how near it is to its limit, or if it was
 * refused.
 */
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

/* Return the role of the measuring cost: how near it is to --max-cpu. */
static enum role cost_role(const struct head *h)
{
	double share = h->self_cpu * 100;

	if (!h->self.cpu_limit || share * 2 <= h->self.cpu_limit)
		return ROLE_DIM;
	return share > h->self.cpu_limit ? ROLE_BAD : ROLE_WARN;
}

/* Write the largest use of memory; a file by the last part of its path. */
static void memory_cause(const struct slice_self *self, char *buf, size_t size)
{
	const char *of = strstr(self->memory, " of /"), *slash = strrchr(self->memory, '/');
	char text[sizeof(self->memory) * 4];

	if (of && slash)
		snprintf(text, sizeof(text), "%.*s of %s", (int)(of - self->memory), self->memory,
			 slash + 1);
	else
		snprintf(text, sizeof(text), "%s", self->memory);
	text_escape(buf, size, text);
}

/* Words for the uses of ringtop's own CPU time. */
static const char *const cause_words[SELF_CAUSES] = {
	"nothing",   "reading rings", "for names",	 "unwinding", "for symbols",
	"for lines", "for traces",    "for event lines", "for files", "drawing",
};

/*
 * Add ringtop's own use; if too high, the largest cause of CPU time or memory, or a pointer to view
 * 6.
 */
static void self_segment(const struct head *h, struct widget_line *l)
{
	enum role memory = memory_role(&h->self), cost = cost_role(h);
	enum role role = memory == ROLE_BAD || cost == ROLE_BAD ? ROLE_BAD
			 : cost != ROLE_DIM			? cost
								: memory;
	char rss[UNITS_LEN], why[80] = "", cause[64] = "", text[96];
	struct widget_segment *g;

	if (h->seconds < SELF_SECONDS)
		return;
	if (memory != ROLE_DIM && h->self.memory[0])
		memory_cause(&h->self, why, sizeof(why));
	else if (memory != ROLE_DIM)
		snprintf(why, sizeof(why), "see 6");
	if (cost != ROLE_DIM && h->self.cause)
		snprintf(cause, sizeof(cause), " %s", cause_words[h->self.cause]);
	units_bytes(rss, (double)h->self.rss_bytes);
	g = widget_segment(l, role, role == ROLE_DIM ? 6 : 0, 2, "│ self %.1f%%%s%s %s%s%s",
			   h->self_cpu * 100, cause, cause[0] ? "," : "", rss, why[0] ? ": " : "",
			   why);
	snprintf(text, sizeof(text), "%.1f%s", h->self_cpu * 100, rss);
	if (role == ROLE_DIM)
		steady(g, text, 9);
	if (cost != ROLE_DIM && (cost == ROLE_BAD || memory != ROLE_BAD))
		snprintf(text, sizeof(text), "│ self %.0f%%%s", h->self_cpu * 100, cause);
	else
		snprintf(text, sizeof(text), "│ self %s: %.36s", rss, why);
	if (role != ROLE_DIM)
		set_brief_text(g, text);
}

/* Add the reduced sampling rate, if --max-cpu has reduced it. */
static void slowed_segment(const struct head *h, struct widget_line *l)
{
	char text[32];

	if (h->self.rate_divisor < 2)
		return;
	snprintf(text, sizeof(text), "rate 1/%u", h->self.rate_divisor);
	set_brief_text(widget_segment(l, ROLE_WARN, 0, 2, "%s: --max-cpu", text), text);
}

#define LEFT_OUT_MUCH 0.05

/* Add the share of samples whose functions a saved time line, or a slow link, left out. */
static void left_out_segment(const struct account *acc, struct widget_line *l)
{
	double share = acc->samples ? (double)acc->left_out / (double)acc->samples : 0;
	char text[40];

	if (!acc->left_out)
		return;
	if (share < 0.001)
		snprintf(text, sizeof(text), "[folded] <0.1%%");
	else
		snprintf(text, sizeof(text), "[folded] %.1f%%", share * 100);
	set_brief_text(
		widget_segment(l, share < LEFT_OUT_MUCH ? ROLE_DIM : ROLE_WARN, 1, 2, "%s", text),
		text);
}

void head_trust(struct app *a, int y)
{
	struct widget_line line = {.nr = 0}, self = {.nr = 0};
	struct head h;

	model_head(a->model, a->event, app_window(a), &h);
	rate_segments(a, &h, &line);
	lost_segment(&h.account, &line);
	left_out_segment(&h.account, &line);
	slowed_segment(&h, &line);
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
	if (!hosttexts_cut_segment(a, &l))
		late_segment(a, &l);
	rate_segments(a, &h, &l);
	lost_segment(&h.account, &l);
	widget_line_draw(&a->scene, y, &l);
}

/* --- alerts ----------------------------------------------------------------------------- */

static const struct alert *alert_shown(const struct alerts *all, struct window w,
				       unsigned *standing)
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

/* Return true if the alert's command failed: success is not shown. */
static bool command_failed(const struct alert *a)
{
	return *a->command && strcmp(a->command, "exit 0") != 0 &&
	       strcmp(a->command, "running") != 0;
}

bool head_alert(struct app *a, int y)
{
	unsigned standing;
	const struct alert *alert = alert_shown(model_alerts(a->own), app_window(a), &standing);
	uint64_t wall = model_info(a->model)->start_wall;
	char text[1600], reason[1200], day[32];
	size_t pos;

	if (!alert)
		return false;
	marks_time_of_day(wall + alert->time, day, sizeof(day));
	text_escape(reason, sizeof(reason), alert->reason);
	pos = text_append(text, sizeof(text), 0,
			  alert->until ? "alert at %s: %s" : "ALERT since %s: %s", day, reason);
	if (standing > 1)
		pos = text_append(text, sizeof(text), pos, "; %u more", standing - 1);
	if (command_failed(alert))
		text_append(text, sizeof(text), pos, "; --on-alert: %s", alert->command);
	scene_fit(&a->scene, y, 1, -1, alert->until ? ROLE_DIM : ROLE_BAD, text);
	return true;
}
