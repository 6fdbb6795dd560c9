/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_changes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/parts/details.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"
#include "ui/views/treechanges.h"
#include "ui/views/view_tree.h"

#define STEP	   NSEC_PER_SEC /* a live window is compared again when it has moved by that */
#define WORTH	   10		/* or by so many times the cost of a comparison, to limit it */
#define NEEDS_MOST 86400	/* seconds: a need for another day amounts to never */

struct view_changes_state *view_changes_state(const struct app *a)
{
	return a->state[VIEW_CHANGES];
}

static void changes_state_free(void *state)
{
	struct view_changes_state *s = state;

	compare_clear(&s->comparison);
	profile_clear(&s->was);
	profile_clear(&s->now);
	treechanges_free(&s->calls);
	/* Keep the numbers of profiles: callchanges compares them to detect new ones. */
	*s = (struct view_changes_state){.taken = {s->taken[0], s->taken[1]}};
}

/* --- the two sides ------------------------------------------------------------------------ */

static struct query query_of(const struct app *a)
{
	struct query q = app_query(a, &a->table[VIEW_CHANGES]);

	q.trend = false;
	return q;
}

/* Hash the query that both sides share; if it changes, both are taken again. */
static uint64_t asked_now(const struct app *a)
{
	uint64_t flags = (uint64_t)a->event << 4 | (uint64_t)a->show_idle << 3 |
			 (uint64_t)a->hide_kernel << 2 | (uint64_t)a->hide_user << 1 |
			 (uint64_t)a->show_self;

	return hash_bytes(a->filter_text, strlen(a->filter_text)) * 31 + flags;
}

/* Return the window shown as the history keeps it; the whole run gets its times. */
static struct window window_shown(const struct app *a)
{
	struct window w = app_window(a), kept;

	if (w.to == UINT64_MAX)
		w = (struct window){model_first(a->model), app_now(a)};
	kept = model_kept(a->model, w);
	return kept.from < kept.to ? kept : w;
}

/* Return the part of a window after the baseline, or else before it; empty: it lies within. */
static struct window window_beside(struct window w, struct window baseline)
{
	if (w.to <= baseline.from || w.from >= baseline.to)
		return w;
	if (w.to > baseline.to)
		return (struct window){baseline.to, w.to};
	if (w.from < baseline.from)
		return (struct window){w.from, baseline.from};
	return (struct window){w.to, w.to};
}

/* Find the number of the event shown in the baseline's file.  False: it has none. */
static bool file_event(const struct app *a, unsigned *event)
{
	const struct session_info *file = model_info(a->options.baseline),
				  *now = model_info(a->model);

	return a->event < now->nevents &&
	       session_event_named(file, now->events[a->event].name, NULL, event);
}

unsigned view_changes_host(const struct app *a, int side)
{
	return view_changes_state(a)->hosts ? (unsigned)side + 1 : 0;
}

struct model *view_changes_of(const struct app *a)
{
	struct view_changes_state *s = view_changes_state(a);

	return s->of ? s->of : a->model;
}

struct compare_how view_changes_how(const struct app *a)
{
	return (struct compare_how){.again = true, .growing = !view_changes_state(a)->hosts};
}

bool view_changes_side(const struct app *a, int side, const struct query *q,
		       struct view_changes_side *to)
{
	const struct view_changes_state *s = view_changes_state(a);
	struct window kept;

	*to = (struct view_changes_side){.model = a->model, .window = s->window, .q = *q};
	to->q.both = false;
	to->q.host = view_changes_host(a, side);
	if (side == COMPARE_NOW)
		return true;
	to->model = s->file ? a->options.baseline : view_changes_of(a);
	if (s->file) {
		to->window = WINDOW_ALL;
		return file_event(a, &to->q.event);
	}
	if (s->hosts)
		return true;
	to->window = s->baseline;
	kept = model_kept(to->model, to->window);
	to->forgotten = kept.from != to->window.from || kept.to != to->window.to;
	return true;
}

static void take_side_profile(struct app *a, int side, struct profile *p)
{
	struct view_changes_state *s = view_changes_state(a);
	const struct query q = query_of(a);
	struct view_changes_side of;

	if (!view_changes_side(a, side, &q, &of))
		s->error = -ENOENT;
	else if (of.forgotten)
		s->error = -ESTALE;
	else
		s->error = profile_take(of.model, &of.q, of.window, p);
}

static void take_baseline(struct app *a)
{
	struct view_changes_state *s = view_changes_state(a);

	s->asked = asked_now(a);
	s->taken[COMPARE_WAS]++;
	profile_clear(&s->was);
	take_side_profile(a, COMPARE_WAS, &s->was);
}

/* Return the host that sent no samples in the window; NULL: none, or no hosts are compared. */
static const char *absent_host(const struct app *a)
{
	const struct view_changes_state *s = view_changes_state(a);

	if (!s->hosts || (s->was.weight && s->now.weight))
		return NULL;
	return model_info(a->model)->hosts[s->was.weight ? 1 : 0].name;
}

static void take_now(struct app *a)
{
	const struct compare_how how = view_changes_how(a);
	struct view_changes_state *s = view_changes_state(a);

	s->taken[COMPARE_NOW]++;
	profile_clear(&s->now);
	if (s->error || s->window.from >= s->window.to)
		return;
	take_side_profile(a, COMPARE_NOW, &s->now);
	if (!s->error && !absent_host(a))
		s->error = compare(&s->was, &s->now, &how, &s->comparison);
}

/* True if the compared window has changed.  A live one moves by whole steps. */
static bool has_moved(const struct app *a, struct window w)
{
	const struct view_changes_state *s = view_changes_state(a);
	uint64_t step = s->took * WORTH > STEP ? s->took * WORTH : STEP;

	if (a->held != s->held || a->held || s->window.from >= s->window.to || w.to < s->window.to)
		return w.from != s->window.from || w.to != s->window.to || a->held != s->held;
	return w.to - s->window.to >= step ||
	       w.to - w.from + STEP <= s->window.to - s->window.from ||
	       s->window.to - s->window.from + 2 * step <= w.to - w.from;
}

void view_changes_refresh(struct app *a)
{
	struct view_changes_state *s = view_changes_state(a);
	struct window shown = window_shown(a),
		      w = s->hosts ? shown : window_beside(shown, s->baseline);
	bool other = s->asked != asked_now(a);
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);

	if (!other && !has_moved(a, w))
		return;
	/* The rows point into the profiles. */
	compare_clear(&s->comparison);
	s->window = w;
	if (other || s->hosts || s->error == -ENOMEM)
		take_baseline(a);
	s->held = a->held;
	take_now(a);
	s->took = clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
}

void view_changes_begin(struct app *a)
{
	struct view_changes_state *s = view_changes_state(a);
	bool file = a->options.baseline, hosts = a->options.show.by_host, given = file || hosts;
	struct window w = given ? (struct window){0, 0} : window_shown(a);

	if (!given && (w.from >= w.to || app_forgotten(a))) {
		app_say(a, ROLE_TEXT, "no data yet that could be the baseline");
		return;
	}
	changes_state_free(s);
	s->baseline = w;
	s->of = a->model;
	s->file = file;
	s->hosts = hosts;
	take_baseline(a);
	a->comparing = true;
	a->by_was = false;
	list_first(&a->table[VIEW_CHANGES].list);
	/* The window shown became the baseline: show the present, which is compared with it. */
	if (!given)
		app_live(a);
	app_show(a, VIEW_CHANGES);
	if (!given)
		app_say(a, ROLE_TEXT, "this window is now the baseline; d or Esc ends it");
}

static void compare_from_start(struct app *a)
{
	if (a->options.baseline || a->options.show.by_host)
		view_changes_begin(a);
}

void view_changes_end(struct app *a)
{
	changes_state_free(view_changes_state(a));
	a->comparing = a->by_was = false;
	app_follow(a);
	if (a->view == VIEW_CHANGES)
		app_show(a, VIEW_FUNCTIONS);
}

struct window view_changes_hold(const struct app *a)
{
	return view_changes_state(a)->baseline;
}

bool view_changes_compared(struct app *a, struct query *q, struct window *w,
			   struct ui_compared *was, char buf[VIEW_CHANGES_NAME])
{
	const struct view_changes_state *s = view_changes_state(a);
	struct view_changes_side side;

	if (!a->comparing)
		return false;
	view_changes_refresh(a);
	if (view_changes_nothing(a))
		return false;
	view_changes_side(a, COMPARE_WAS, q, &side);
	if (s->file)
		text_append(buf, VIEW_CHANGES_NAME, 0, "%s", a->options.show.baseline);
	else if (s->hosts)
		text_append(buf, VIEW_CHANGES_NAME, 0, "%s", model_info(a->model)->hosts[0].name);
	else
		text_append(buf, VIEW_CHANGES_NAME, 0, "the time from %.1f s to %.1f s",
			    (double)s->baseline.from / NSEC_PER_SEC,
			    (double)s->baseline.to / NSEC_PER_SEC);
	*was = (struct ui_compared){.model = side.model,
				    .window = side.window,
				    .host = side.q.host,
				    .name = buf,
				    .how = view_changes_how(a)};
	q->host = view_changes_host(a, COMPARE_NOW);
	*w = s->window;
	return true;
}

/* --- cells -------------------------------------------------------------------------------- */

static enum role change_role(const struct difference *d)
{
	return treechanges_sure(d) ? ROLE_TEXT : ROLE_DIM;
}

static enum role text_now(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	widget_percent(buf, size, d->share);
	return change_role(d);
}

static enum role text_was(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	widget_percent(buf, size, d->was_share);
	return change_role(d);
}

static enum role text_change_delta(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	treechanges_delta(d, buf, size);
	return treechanges_sure(d) ? ROLE_STRONG : ROLE_DIM;
}

static enum role text_half(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	snprintf(buf, size, "%.2f", (d->high - d->low) * 50);
	return change_role(d);
}

/* Format a weight per second: as time for an event in ns, else as a count. */
static void put_weight_rate(const struct app *a, double rate, char *buf, size_t size)
{
	char n[UNITS_LEN];

	if (!strcmp(view_changes_state(a)->was.unit, "ns"))
		snprintf(buf, size, fabs(rate) < 0.5e5 ? "0.0 ms" : "%+.1f ms", rate / 1e6);
	else if (fabs(rate) < 1000)
		snprintf(buf, size, "%+.1f", rate);
	else
		snprintf(buf, size, "%c%s", rate < 0 ? '-' : '+', units_count(n, fabs(rate)));
}

static enum role text_change_rate(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	put_weight_rate(cell->ctx, d->rate - d->was_rate, buf, size);
	return change_role(d);
}

/* True if it looks like a change, but cannot become significant with this baseline. */
static bool needs_baseline(const struct difference *d)
{
	return !treechanges_sure(d) && isinf(d->needs) && !(d->flags & DIFFERENCE_UNTESTED) &&
	       (d->low > 0 || d->high < 0);
}

/* Write remarks on a change, and how much more time is needed to be sure. */
static void put_note(const struct difference *d, char *buf, size_t size)
{
	const char *what = difference_word(d);
	bool more = !treechanges_sure(d) && d->needs > 0 && d->needs < NEEDS_MOST;
	uint64_t needs = more ? (uint64_t)ceil(d->needs) : 0;
	char span[UNITS_LEN];
	size_t pos = text_append(buf, size, 0, "%s", what);

	if (needs && needs < 60)
		text_append(buf, size, pos, "%s>= %u s more", pos ? ", " : "needs ",
			    (unsigned)needs);
	else if (needs)
		text_append(buf, size, pos, "%s>= %s more", pos ? ", " : "needs ",
			    units_span(span, needs * NSEC_PER_SEC));
	else if (needs_baseline(d))
		text_append(buf, size, pos, "%sbaseline too short", pos ? ", " : "");
}

static enum role text_change_note(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	put_note(d, buf, size);
	return change_role(d);
}

static enum role text_change_name(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct difference *d = cell->row;
	const struct profile_row *r = difference_row(d);
	size_t pos = text_append(buf, size, 0, "%s", r->flags & ROW_KERNEL ? "[k] " : "");

	rowlist_fit(a, buf + pos, size - pos, r->name, NULL, cell->width - (int)pos);
	if (*a->search &&
	    (rowlist_found(r->name, a->search) || rowlist_found(r->object, a->search)))
		return ROLE_MATCH;
	return !treechanges_sure(d) ? ROLE_DIM : r->flags & ROW_KERNEL ? ROLE_KERNEL : ROLE_STRONG;
}

static enum role text_change_object(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = cell->row;

	text_escape(buf, size, text_base(difference_row(d)->object));
	return change_role(d);
}

static const struct widget_column columns[] = {
	{"SHARE%", 6, 0, 0, 0, true, -1, text_now, "the function's share of window 2"},
	{"WAS%", 6, 0, 0, 3, true, -1, text_was, NULL},
	{"DELTA", 6, 0, 0, 0, true, -1, text_change_delta, NULL},
	{"+-95", 5, 0, 0, 4, true, -1, text_half,
	 "half the width of DELTA's 95 % interval, from the variation between seconds"},
	{"DELTA/s", 10, 0, 0, 2, true, -1, text_change_rate,
	 "the difference in weight per second"},
	{"FUNCTION", 14, 4, 0, 0, false, -1, text_change_name, NULL},
	{"OBJECT", 10, 1, 40, 5, false, -1, text_change_object, NULL},
	{"SURE?", 18, 1, 26, 1, false, -1, text_change_note, "significance of the change"},
};

/* --- drawing ------------------------------------------------------------------------------ */

static uint64_t change_key_at(const void *ctx, size_t i)
{
	const struct profile_row *r = compare_either(ctx, i);

	return r->hash;
}

static bool change_matches(const void *ctx, size_t i, const char *search)
{
	const struct profile_row *r = compare_either(ctx, i);

	return rowlist_found(r->name, search) || rowlist_found(r->object, search);
}

/* Format a span, rounded to the steps of slices. */
static const char *span_text(char buf[UNITS_LEN], uint64_t ns)
{
	const uint64_t step = ns < 10 * NSEC_PER_SEC ? 100 * NSEC_PER_MSEC : NSEC_PER_SEC;

	return units_span(buf, (ns + step / 2) / step * step);
}

static uint64_t ago(const struct app *a, uint64_t when)
{
	return app_now(a) > when ? app_now(a) - when : 0;
}

/* Append ", baseline: FILE, 30 s". */
static size_t put_baseline_file(const struct app *a, char *text, size_t size, size_t pos)
{
	uint64_t ns = (uint64_t)(view_changes_state(a)->was.seconds * (double)NSEC_PER_SEC);
	char name[NAMES_BYTES], span[UNITS_LEN];

	text_escape(name, sizeof(name), text_base(a->options.show.baseline));
	return text_append(text, size, pos, ", baseline: %.60s, %s", name, span_text(span, ns));
}

/* Append " of web02, baseline: of web01". */
static size_t put_compared_hosts(const struct app *a, char *text, size_t size, size_t pos)
{
	const struct session_host *hosts = model_info(a->model)->hosts;
	char was[NAMES_BYTES], now[NAMES_BYTES];

	text_escape(was, sizeof(was), hosts[0].name);
	text_escape(now, sizeof(now), hosts[1].name);
	return text_append(text, size, pos, " of %.60s, baseline: of %.60s", now, was);
}

/* Draw "now: last 10 s, baseline: 10 s, 82 s ago; 3 functions changed". */
static void draw_changes_head(struct app *a, struct rect at)
{
	const struct view_changes_state *s = view_changes_state(a);
	const struct comparison *c = &s->comparison;
	char text[200], span[UNITS_LEN], back[UNITS_LEN];
	uint64_t length = s->window.to > s->window.from ? s->window.to - s->window.from : 0;
	size_t pos =
		text_append(text, sizeof(text), 0, "now: %s%s", a->held || !length ? "" : "last ",
			    length ? span_text(span, length) : "nothing");

	if (a->held && length)
		pos = text_append(text, sizeof(text), pos, ", %s ago",
				  span_text(back, ago(a, s->window.to)));
	pos = s->file	 ? put_baseline_file(a, text, sizeof(text), pos)
	      : s->hosts ? put_compared_hosts(a, text, sizeof(text), pos)
			 : text_append(text, sizeof(text), pos, ", baseline: %s, %s ago",
				       span_text(span, s->baseline.to - s->baseline.from),
				       span_text(back, ago(a, s->baseline.to)));
	if (c->significant)
		pos = text_append(text, sizeof(text), pos, "; %zu function%s changed",
				  c->significant, c->significant == 1 ? "" : "s");
	else if (c->nr)
		pos = text_append(text, sizeof(text), pos, "; no clear change");
	if (c->rough)
		text_append(text, sizeof(text), pos, " (rough: short windows)");
	scene_fit(&a->scene, at.y, 1, at.cols - 1, c->significant ? ROLE_STRONG : ROLE_TEXT, text);
}

const char *view_changes_nothing(const struct app *a)
{
	const struct view_changes_state *s = view_changes_state(a);

	if (s->error == -ESTALE)
		return "the baseline had another event or filter and was dropped: d, d sets a new "
		       "one";
	if (s->error == -ENOENT)
		return "the baseline's file has no event of this name";
	if (s->error)
		return "out of memory: no rows";
	if (s->hosts && s->window.from >= s->window.to)
		return "no data yet";
	if (absent_host(a))
		return "one of the hosts sent no data: comparing needs both (view 6 shows the "
		       "cause)";
	if (s->window.from >= s->window.to)
		return a->held ? "this window is part of the baseline"
			       : "no data since the baseline yet";
	return NULL;
}

static void draw_changes(struct app *a, struct rect at)
{
	struct view_changes_state *s = view_changes_state(a);
	struct widget_table t = {.columns = columns, .nr = sizeof(columns) / sizeof(columns[0])};
	struct list *list = &a->table[VIEW_CHANGES].list;
	const struct comparison *c = &s->comparison;
	int head = at.rows > 3 ? 2 : 0;
	const char *why;

	view_changes_refresh(a);
	why = view_changes_nothing(a);
	widget_table_layout(&t, at.cols > 20 ? 2 : 1, at.cols, 0);
	if (head) {
		draw_changes_head(a, at);
		widget_table_head(&a->scene, at.y + 1, at.cols, &t, NULL, -1, false);
	}
	list_sync(list, &(struct list_rows){c, c->nr, change_key_at, change_matches, a->search},
		  (size_t)(at.rows - head));
	if (!c->nr)
		scene_fit(&a->scene, at.y + head, 2, -1, s->error ? ROLE_BAD : ROLE_DIM,
			  why ? why : rowlist_empty(a));
	for (size_t i = list->top; i < c->nr && (int)(i - list->top) < at.rows - head; i++) {
		int y = at.y + head + (int)(i - list->top);

		widget_table_row(&a->scene, y, at.cols, &t, a, compare_row(c, i), i == list->index);
		app_zone(a, (struct rect){y, 0, 1, at.cols}, ZONE_ROW, i, NULL);
	}
}

/* --- the selected row ----------------------------------------------------------------------- */

static const struct difference *selected_change(const struct app *a)
{
	const struct comparison *c = &view_changes_state(a)->comparison;
	size_t i = a->table[VIEW_CHANGES].list.index;

	return i < c->nr ? compare_row(c, i) : NULL;
}

static void change_details(struct app *a, struct details *d)
{
	const struct difference *at = selected_change(a);
	char text[NAMES_BYTES], was[32], now[32];

	if (!at) {
		details_add(d, ROLE_DIM, "", "no row is selected");
		return;
	}
	text_escape(text, sizeof(text), difference_row(at)->name);
	details_add(d, ROLE_STRONG, "function", "%s", text);
	text_escape(text, sizeof(text), difference_row(at)->object);
	details_add(d, ROLE_TEXT, "object", "%s", text);
	treechanges_points(d, "share", at);
	put_weight_rate(a, at->rate, now, sizeof(now));
	put_weight_rate(a, at->was_rate, was, sizeof(was));
	put_weight_rate(a, at->rate - at->was_rate, text, sizeof(text));
	details_add(d, ROLE_TEXT, "per second", "%s, was %s: %s", now + (*now == '+'),
		    was + (*was == '+'), text);
	details_add(d, ROLE_TEXT, "samples", "%llu, were %llu",
		    at->now ? (unsigned long long)at->now->samples : 0,
		    at->was ? (unsigned long long)at->was->samples : 0);
	details_add(d, ROLE_TEXT, "by chance", "%.2g, for this row only", at->p);
	put_note(at, text, sizeof(text));
	treechanges_changed(d, at, text);
	if (isinf(at->needs))
		details_add(
			d, ROLE_DIM, "",
			"this baseline is too short for any window: d, d sets another, + a longer "
			"one");
	if (at->flags & DIFFERENCE_UNTESTED)
		details_add(
			d, ROLE_DIM, "",
			"not tested: its seconds are no longer in memory, or the row is a sum");
}

/* Find the selected function's row.key by name and object; 0: no samples in the window shown. */
static uint64_t changed_function(struct app *a, char *name, size_t size)
{
	const struct difference *d = selected_change(a);
	struct query q = query_of(a);
	const struct profile_row *r = d ? difference_row(d) : NULL;
	const struct rows *rows = r ? model_rows(a->model, &q, app_window(a)) : NULL;

	for (size_t i = 0; rows && i < rows->nr; i++) {
		if (strcmp(rows->row[i].name, r->name) != 0 ||
		    strcmp(rows->row[i].object, r->object) != 0 ||
		    rows->row[i].flags & (ROW_FOLDED | ROW_LOST))
			continue;
		text_append(name, size, 0, "%s", r->name);
		return rows->row[i].key;
	}
	return 0;
}

static bool step_changes(struct app *a, enum view_step step)
{
	char name[NAMES_BYTES];
	uint64_t key;

	if (step != STEP_OPEN || !callpaths_taken(a))
		return false;
	key = changed_function(a, name, sizeof(name));
	if (!key)
		return false;
	view_tree_callers(a, key, name);
	return true;
}

const struct view_ops view_changes = {
	.state_size = sizeof(struct view_changes_state),
	.state_free = changes_state_free,
	.begin = compare_from_start,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.keys = "compare help search filter open details wider narrower freeze quit",
	.draw = draw_changes,
	.details = change_details,
	.step = step_changes,
	.function = changed_function,
};
