/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/wall.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app.h"

#define OFF    "off-cpu"
#define ON     "on-cpu"
#define PLACES 5 /* where it waited most */

bool wall_event(const struct app *a, const char *name, unsigned *event)
{
	const struct session_info *info = model_info(a->model);

	for (unsigned e = 0; e < info->nevents; e++) {
		if (strcmp(info->events[e].name, name) != 0 || strcmp(info->events[e].unit, "ns") != 0)
			continue;
		*event = e;
		return true;
	}
	return false;
}

/* A sampled clock, of all that ran. */
static bool find_clock(const struct app *a, unsigned *event)
{
	const struct session_info *info = model_info(a->model);

	for (unsigned e = 0; e < info->nevents; e++) {
		const struct session_event *s = &info->events[e];

		if (s->off || (strcmp(s->name, "cpu-clock") != 0 && strcmp(s->name, "task-clock") != 0))
			continue;
		*event = e;
		return true;
	}
	return false;
}

bool wall_shown(const struct app *a)
{
	return a->wall && (a->view == VIEW_FUNCTIONS || a->view == VIEW_TASKS || a->view == VIEW_TREE ||
			   a->view == VIEW_FLAME);
}

void wall_query(const struct app *a, struct query *q)
{
	unsigned on, off;

	if (!wall_shown(a) || !wall_event(a, OFF, &off) || !wall_event(a, ON, &on))
		return;
	if (a->view != VIEW_TASKS)
		find_clock(a, &on);
	q->event = on;
	q->both = true;
	q->other = off;
}

/* --- cells -------------------------------------------------------------------------------- */

static double window_seconds(const struct app *a)
{
	struct window w = model_kept(a->model, app_window(a));

	return (double)(w.to - w.from) / (double)NSEC_PER_SEC;
}

void wall_rate(const struct app *a, char *buf, size_t size, uint64_t ns)
{
	double seconds = window_seconds(a);
	char text[UNITS_LEN];

	snprintf(buf, size, "%s", ns && seconds > 0 ? units_span(text, (uint64_t)((double)ns / seconds)) : "-");
}

static enum role text_on(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)width;
	wall_rate(ctx, buf, size, r->self - r->other);
	return r->self > r->other ? ROLE_TEXT : ROLE_DIM;
}

static enum role text_off(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)width;
	wall_rate(ctx, buf, size, r->other);
	return r->other ? ROLE_OFF : ROLE_DIM;
}

void wall_columns(struct widget_column *columns)
{
	columns[0] = (struct widget_column){"ON-CPU/s", 8, 0, 0, 0, true, -1, text_on};
	columns[1] = (struct widget_column){"OFF-CPU/s", 9, 0, 0, 0, true, -1, text_off};
}

void wall_hint(const struct app *a, uint64_t all, uint64_t off, char *buf, size_t size)
{
	struct query q = {.both = false};
	char whole[UNITS_LEN], on[UNITS_LEN], waited[UNITS_LEN], name[140];

	buf[0] = '\0';
	wall_query(a, &q);
	if (!q.both)
		return;
	text_escape(name, sizeof(name), model_info(a->model)->events[q.event].name);
	snprintf(buf, size, "100 %% is %s of threads' wall time: %s on CPU (%s), %s off", units_span(whole, all),
		 units_span(on, all - off), name, units_span(waited, off));
}

/* --- details ------------------------------------------------------------------------------ */

/* All of the row of that event, and of each tenth of the window; 0: nothing. */
static uint64_t weight_of(struct app *a, const struct filter *filter, unsigned event, float *trend)
{
	double tenths[TREND_NR] = {0}; /* of all rows, of which a trend is a share */
	struct query q = {.event = event, .group = GROUP_HOST, .show_self = true, .filter = filter, .trend = true};
	const struct rows *rows = model_rows(a->model, &q, app_window(a));

	memset(trend, 0, TREND_NR * sizeof(*trend));
	model_timeline(a->model, event, model_kept(a->model, app_window(a)), tenths, TREND_NR);
	for (size_t i = 0; rows && i < rows->nr; i++)
		for (int t = 0; t < TREND_NR; t++)
			trend[t] += rows->row[i].trend[t] * (float)tenths[t];
	return rows ? rows->shown : 0;
}

static void add_state(struct app *a, struct details *d, const char *label, uint64_t ns, uint64_t all, const float *trend)
{
	char span[UNITS_LEN], rate[UNITS_LEN], share[16], course[64];

	wall_rate(a, rate, sizeof(rate), ns);
	widget_percent(share, sizeof(share), all ? (double)ns / (double)all : 0);
	widget_trend(course, sizeof(course), trend, TREND_NR, a->scene.ascii);
	details_add(d, ROLE_TEXT, label, "%6s%%  %s, %s/s  %s", share, units_span(span, ns), rate, course);
}

static void add_places(struct app *a, struct details *d, const struct filter *filter, unsigned off, uint64_t all)
{
	struct query q = {.event = off, .group = GROUP_FUNCTION, .sort = SORT_SELF, .show_self = true, .filter = filter,
			  .limit = PLACES};
	const struct rows *rows = model_rows(a->model, &q, app_window(a));

	for (size_t i = 0; rows && i < rows->nr && rows->row[i].self; i++) {
		const struct row *r = &rows->row[i];
		char name[300], share[16], span[UNITS_LEN], count[UNITS_LEN];

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share), all ? (double)r->self / (double)all : 0);
		details_add(d, ROLE_OFF, i ? "" : "waits in", "%6s%%  %s  %s, %s%s", share, name,
			    units_span(span, r->self), r->samples ? units_count(count, (double)r->samples) : "since before",
			    r->samples ? " times" : "");
	}
}

/* Of off-cpu:woken the leaf is who woke it. */
static void add_wakers(struct app *a, struct details *d, const struct filter *filter)
{
	struct query q = {.group = GROUP_FUNCTION, .sort = SORT_SELF, .show_self = true, .filter = filter, .limit = PLACES};
	const struct rows *rows;

	if (!wall_event(a, OFF ":woken", &q.event))
		return;
	rows = model_rows(a->model, &q, app_window(a));
	for (size_t i = 0; rows && i < rows->nr && rows->row[i].self; i++) {
		const struct row *r = &rows->row[i];
		char name[300], share[16], span[UNITS_LEN], count[UNITS_LEN];

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share), rows->shown ? (double)r->self / (double)rows->shown : 0);
		details_add(d, ROLE_OFF, i ? "" : "woken by", "%6s%%  %s  %s times, after %s", share, name,
			    units_count(count, (double)r->samples), units_span(span, r->self));
	}
	if (rows && rows->all > rows->nr)
		details_add(d, ROLE_DIM, "", "and %zu more", rows->all - rows->nr);
}

void wall_details(struct app *a, struct details *d, const struct filter *filter)
{
	static const struct {
		const char *label, *event;
	} states[] = {
		{"running", ON},           {"runnable", OFF ":runnable"}, {"sleeping", OFF ":sleeping"},
		{"disk", OFF ":disk"},     {"resting", OFF ":resting"},
	};
	enum { STATES = sizeof(states) / sizeof(states[0]) };
	uint64_t ns[STATES] = {0}, all = 0;
	float trend[STATES][TREND_NR];
	unsigned event, off;
	char span[UNITS_LEN];

	if (!wall_event(a, OFF, &off))
		return;
	for (unsigned i = 0; i < STATES; i++) {
		if (wall_event(a, states[i].event, &event))
			ns[i] = weight_of(a, filter, event, trend[i]);
		all += ns[i];
	}
	details_add(d, ROLE_STRONG, "wall time", "%s in a window of %.1f s; what lasts is told about once a second",
		    units_span(span, all), window_seconds(a));
	for (unsigned i = 0; i < STATES; i++)
		if (ns[i])
			add_state(a, d, states[i].label, ns[i], all, trend[i]);
	add_places(a, d, filter, off, all);
	add_wakers(a, d, filter);
}
