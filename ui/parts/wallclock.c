/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/wallclock.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/app/request.h"
#include "ui/parts/details.h"

#define OFF    "off-cpu"
#define ON     "on-cpu"
#define PLACES 5 /* functions listed in which the row waited most */
#define RUNNABLE_PART 20 /* runnable time below 1/20 of a wait is not mentioned */
#define STRIP_MOST   180 /* most columns of a strip */
#define STINTS_COLS  140 /* least columns of a screen with room to explain stints */
#define STRIP_BESIDE 18  /* columns of the screen that the strip cannot use */

bool wallclock_event(const struct app *a, const char *name, unsigned *event)
{
	return session_event_named(model_info(a->model), name, "ns", event);
}

/* Find a sampled clock of all that ran. */
static bool find_clock(const struct app *a, unsigned *event)
{
	const struct session_info *info = model_info(a->model);

	for (unsigned e = 0; e < info->nevents; e++) {
		const struct session_event *s = &info->events[e];

		if (s->off ||
		    (strcmp(s->name, "cpu-clock") != 0 && strcmp(s->name, "task-clock") != 0))
			continue;
		*event = e;
		return true;
	}
	return false;
}

bool wallclock_shown(const struct app *a)
{
	/* Comparisons are of a single event. */
	if (a->comparing && (a->view == VIEW_TREE || a->view == VIEW_FLAME))
		return false;
	return a->wall && (a->view == VIEW_FUNCTIONS || a->view == VIEW_TASKS ||
			   a->view == VIEW_TREE || a->view == VIEW_FLAME);
}

void wallclock_begin(struct app *a)
{
	if (!model_info(a->own)->live)
		app_say(a, ROLE_WARN,
			"no off-CPU times: --off-cpu has them if switches were recorded");
	else if (app_sure(a, "off-CPU times are not measured: press o again to start"))
		a->wall_coming = !request_change(a, SESSION_EVENT_OFFCPU, OFF, UINT32_MAX);
}

void wallclock_follow(struct app *a)
{
	unsigned event;

	if (!a->wall_coming || !wallclock_event(a, OFF, &event))
		return;
	a->wall = true;
	a->wall_coming = false;
}

void wallclock_query(const struct app *a, struct query *q)
{
	unsigned on, off;

	if (!wallclock_shown(a) || !wallclock_event(a, OFF, &off) || !wallclock_event(a, ON, &on))
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

void wallclock_rate(const struct app *a, char *buf, size_t size, uint64_t ns)
{
	double seconds = window_seconds(a);
	char text[UNITS_LEN];

	snprintf(buf, size, "%s",
		 ns && seconds > 0 ? units_span(text, (uint64_t)((double)ns / seconds)) : "-");
}

static enum role row_text_on_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	wallclock_rate(cell->ctx, buf, size, r->self - r->other);
	return r->self > r->other ? ROLE_TEXT : ROLE_DIM;
}

static enum role row_text_off_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	wallclock_rate(cell->ctx, buf, size, r->other);
	return r->other ? ROLE_OFF : ROLE_DIM;
}

void wallclock_columns(struct widget_column *columns)
{
	columns[0] = (struct widget_column){"ON-CPU/s", 8, 0, 0, 0, true, -1, row_text_on_cpu,
					    NULL};
	columns[1] = (struct widget_column){"OFF-CPU/s", 9, 0, 0, 0, true, -1, row_text_off_cpu,
					    NULL};
}

void wallclock_hint(const struct app *a, uint64_t all, uint64_t off, char *buf, size_t size)
{
	struct query q = {.both = false};
	char whole[UNITS_LEN], on[UNITS_LEN], waited[UNITS_LEN], name[140];

	buf[0] = '\0';
	wallclock_query(a, &q);
	if (!q.both)
		return;
	text_escape(name, sizeof(name), model_info(a->model)->events[q.event].name);
	snprintf(buf, size, "100 %% is %s of threads' wall time: %s on CPU (%s), %s off",
		 units_span(whole, all), units_span(on, all - off), name, units_span(waited, off));
}

/* --- details ------------------------------------------------------------------------------ */

/*
 * Return the row's weight of that event, with its trend by tenths of the window, and its samples.
 */
static uint64_t weight_and_trend(struct app *a, const struct rowfilter *filter, unsigned event,
				 struct window w, float *trend, uint64_t *samples)
{
	double tenths[TREND_NR] = {0}; /* of all rows, of which a trend is a share */
	struct query q = {.event = event,
			  .group = GROUP_HOST,
			  .show_self = true,
			  .filter = filter,
			  .trend = true};
	const struct rows *rows = model_rows(a->model, &q, w);

	*samples = 0;
	memset(trend, 0, TREND_NR * sizeof(*trend));
	model_timeline(a->model, event, model_kept(a->model, w), tenths, TREND_NR);
	for (size_t i = 0; rows && i < rows->nr; i++) {
		*samples += rows->row[i].samples;
		for (int t = 0; t < TREND_NR; t++)
			trend[t] += rows->row[i].trend[t] * (float)tenths[t];
	}
	return rows ? rows->shown : 0;
}

/*
 * Add a state's time.  stints: for time on CPUs, how many times the row ran; the time does not
 * contain the context switches, which the kernel's accounting includes.
 */
static void add_state(struct app *a, struct details *d, const char *label, uint64_t ns,
		      uint64_t all, const float *trend, uint64_t stints)
{
	char span[UNITS_LEN], rate[UNITS_LEN], share[16], course[64], n[UNITS_LEN], times[100] = "";

	if (stints)
		snprintf(
			times, sizeof(times), "  %s times%s", units_count(n, (double)stints),
			a->scene.cols < STINTS_COLS
				? ""
				: ", without switches: 5 to 20 us each, running for schedstat");
	wallclock_rate(a, rate, sizeof(rate), ns);
	widget_percent(share, sizeof(share), all ? (double)ns / (double)all : 0);
	widget_trend(course, sizeof(course), trend, TREND_NR, a->scene.ascii);
	details_add(d, ROLE_TEXT, label, "%6s%%  %s, %s/s  %s%s", share, units_span(span, ns), rate,
		    course, times);
}

/* Return how long threads that waited in this function were runnable, waiting only for a CPU. */
static uint64_t runnable_there(const struct rows *rows, uint64_t key)
{
	for (size_t i = 0; rows && i < rows->nr; i++)
		if (rows->row[i].key == key)
			return rows->row[i].self;
	return 0;
}

/* Append ": until woken 0.3 s, then runnable 4.2 s", unless the runnable time is negligible. */
static void add_runnable(char *text, size_t size, uint64_t all, uint64_t runnable)
{
	char until[UNITS_LEN], then[UNITS_LEN];

	if (runnable < all / RUNNABLE_PART)
		return;
	if (runnable >= all)
		text_append(text, size, strlen(text), ": runnable all the time");
	else
		text_append(text, size, strlen(text), ": until woken %s, then runnable %s",
			    units_span(until, all - runnable), units_span(then, runnable));
}

/*
 * Add the functions of the longest waits; a wait ends on a CPU, so its runnable part is shown
 * apart.
 */
static void add_places(struct app *a, struct details *d, const struct rowfilter *filter,
		       unsigned off, uint64_t all)
{
	struct query q = {.event = off,
			  .group = GROUP_FUNCTION,
			  .sort = SORT_SELF,
			  .show_self = true,
			  .filter = filter,
			  .limit = PLACES};
	const struct rows *rows = model_rows(a->model, &q, app_window(a));
	struct {
		uint64_t key, self;
		char text[500];
	} place[PLACES];
	size_t nr = 0;

	for (; rows && nr < rows->nr && rows->row[nr].self; nr++) {
		const struct row *r = &rows->row[nr];
		char name[300], share[16], span[UNITS_LEN], count[UNITS_LEN];

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share), all ? (double)r->self / (double)all : 0);
		place[nr].key = r->key;
		place[nr].self = r->self;
		snprintf(place[nr].text, sizeof(place[nr].text), "%6s%%  %s  %s, %s%s", share, name,
			 units_span(span, r->self),
			 r->samples ? units_count(count, (double)r->samples) : "from earlier",
			 r->samples ? " times" : "");
	}
	q.limit = 0;
	rows = nr && wallclock_event(a, OFF ":runnable", &q.event)
		       ? model_rows(a->model, &q, app_window(a))
		       : NULL;
	for (size_t i = 0; i < nr; i++) {
		add_runnable(place[i].text, sizeof(place[i].text), place[i].self,
			     runnable_there(rows, place[i].key));
		details_add(d, ROLE_OFF, i ? "" : "waits in", "%s", place[i].text);
	}
}

/*
 * Add the wakers: in paths of off-cpu:woken the leaf is the waker, and the function that waited is
 * its caller.
 */
static void add_wakers(struct app *a, struct details *d, const struct rowfilter *filter,
		       const uint32_t *function)
{
	struct query q = {.group = GROUP_FUNCTION,
			  .sort = SORT_SELF,
			  .show_self = true,
			  .limit = PLACES,
			  .filter = function ? NULL : filter,
			  .waited = function,
			  .waited_in = function ? *function : 0};
	const struct rows *rows;
	uint64_t listed = 0;

	if (!wallclock_event(a, OFF ":woken", &q.event))
		return;
	rows = model_rows(a->model, &q, app_window(a));
	for (size_t i = 0; rows && i < rows->nr && rows->row[i].self; i++) {
		const struct row *r = &rows->row[i];
		char name[300], share[16], span[UNITS_LEN], count[UNITS_LEN];

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share),
			       rows->shown ? (double)r->self / (double)rows->shown : 0);
		details_add(d, ROLE_OFF, i ? "" : "woken by", "%6s%%  %s  %s times, after %s",
			    share, name, units_count(count, (double)r->samples),
			    units_span(span, r->self));
		listed += r->self;
	}
	if (rows && rows->shown > listed) {
		char share[16];

		widget_percent(share, sizeof(share),
			       (double)(rows->shown - listed) / (double)rows->shown);
		details_add(d, ROLE_DIM, "", "%6s%%  by others", share);
	}
}

static const struct {
	const char *label, *event;
	const char *glyph, *ascii; /* in the strip */
	const char *means; /* its explanation, if the state occurs; NULL: the label, always */
} states[] = {
	{"running", ON, "█", "#", NULL},
	{"runnable", OFF ":runnable", "▒", "=", NULL},
	{"sleeping", OFF ":sleeping", "·", ".", NULL},
	{"disk", OFF ":disk", "D", "D", NULL},
	{"resting", OFF ":resting", "-", "-", NULL},
	{"unknown", OFF ":unknown", "?", "?", "sleeping or runnable: no wakeup was seen"},
};
enum { STATE_RUNNING, STATES = sizeof(states) / sizeof(states[0]) };

/* A row's time by state in each part of the window, ns. */
struct strip {
	double ns[STATES][STRIP_MOST];
	double length; /* of a part */
	unsigned nr;
};

/* Fill the strip's parts, at most `most`, for all states that the session has, in one query. */
static void find_parts(struct app *a, const struct rowfilter *filter, unsigned most,
		       struct strip *s)
{
	struct window all = model_kept(a->model, app_window(a));
	unsigned events[STATES], of[STATES], nr = 0;
	double bins[STATES * STRIP_MOST] = {0};

	for (unsigned i = 0; i < STATES; i++)
		if (wallclock_event(a, states[i].event, &events[nr]))
			of[nr++] = i;
	if (all.to <= all.from || !most ||
	    model_course(a->model, events, nr, filter, app_window(a), bins, most))
		return;
	for (unsigned k = 0; k < nr; k++)
		memcpy(s->ns[of[k]], bins + k * most, most * sizeof(*bins));
	s->length = (double)(all.to - all.from) / most;
	s->nr = most;
}

/*
 * Take times that fit into a part (`room`) off `carry`, which remains for earlier parts: a wait is
 * counted where it ends, and may be longer than a part.  Returns the state with the largest time,
 * or STATES.
 */
static unsigned spend_carried(double carry[STATES], double room)
{
	unsigned most = STATES;
	double largest = 0, left = room;
	bool taken[STATES] = {false};

	for (unsigned n = 0; n < STATES; n++) { /* the shortest first: it surely is of this part */
		unsigned i = STATES;
		double part;

		for (unsigned k = 0; k < STATES; k++)
			if (!taken[k] && (i == STATES || carry[k] < carry[i]))
				i = k;
		part = carry[i] < left ? carry[i] : left;
		taken[i] = true;
		carry[i] -= part;
		left -= part;
		if (part > largest) {
			largest = part;
			most = i;
		}
	}
	return most;
}

/* Add the meaning of the strip's glyphs. */
static void add_key(struct app *a, struct details *d, const uint64_t ns[STATES])
{
	char key[240] = "";
	size_t pos = 0;

	for (unsigned i = 0; i < STATES; i++)
		if (!states[i].means || ns[i])
			pos = text_append(key, sizeof(key), pos, "%s%s %s", i ? "  " : "",
					  a->scene.ascii ? states[i].ascii : states[i].glyph,
					  states[i].means ? states[i].means : states[i].label);
	details_add(d, ROLE_DIM, "", "%s", key);
}

/* Add a strip with a column for each part: the state with most of its time. */
static void add_strip(struct app *a, struct details *d, const struct rowfilter *filter,
		      uint64_t all, const uint64_t ns[STATES])
{
	unsigned width = a->scene.cols > STRIP_BESIDE ? (unsigned)a->scene.cols - STRIP_BESIDE : 0;
	struct strip s = {.nr = 0};
	double carry[STATES] = {0}, length, threads;
	const char *glyphs[STRIP_MOST];
	char text[4 * STRIP_MOST + 1] = "";
	size_t pos = 0;

	find_parts(a, filter, width < STRIP_MOST ? width : STRIP_MOST, &s);
	length = s.length * s.nr;
	threads = length > 0 && (double)all > length ? (double)all / length : 1;
	for (unsigned t = s.nr; t-- > 0;) {
		unsigned i;

		for (i = 0; i < STATES; i++)
			carry[i] += s.ns[i][t];
		i = spend_carried(carry, s.length * threads);
		glyphs[t] = i == STATES ? " " : a->scene.ascii ? states[i].ascii : states[i].glyph;
	}
	for (unsigned t = 0; t < s.nr; t++)
		pos = text_append(text, sizeof(text), pos, "%s", glyphs[t]);
	if (!s.nr)
		return;
	details_add(d, ROLE_TEXT, "mostly", "%s", text);
	add_key(a, d, ns);
}

void wallclock_details(struct app *a, struct details *d, const struct rowfilter *filter,
		  const uint32_t *function)
{
	uint64_t ns[STATES] = {0}, samples[STATES] = {0}, all = 0;
	float trend[STATES][TREND_NR];
	unsigned event, off;
	char span[UNITS_LEN];

	if (!wallclock_event(a, OFF, &off))
		return;
	for (unsigned i = 0; i < STATES; i++) {
		if (wallclock_event(a, states[i].event, &event))
			ns[i] = weight_and_trend(a, filter, event, app_window(a), trend[i],
						 &samples[i]);
		all += ns[i];
	}
	details_add(d, ROLE_STRONG, "wall time",
		    "%s in a window of %.1f s; ongoing waits are added each second",
		    units_span(span, all), window_seconds(a));
	for (unsigned i = 0; i < STATES; i++)
		if (ns[i])
			add_state(a, d, states[i].label, ns[i], all, trend[i],
				  i == STATE_RUNNING ? samples[i] : 0);
	add_strip(a, d, filter, all, ns);
	add_places(a, d, filter, off, all);
	add_wakers(a, d, filter, function);
}
