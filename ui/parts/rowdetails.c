/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/rowdetails.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/rows/rowfilter.h"
#include "ui/app/app.h"
#include "ui/parts/eventcolumns.h"
#include "ui/parts/details.h"
#include "ui/parts/linerows.h"
#include "ui/parts/treenodes.h"
#include "ui/parts/rowdetails.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/rowwords.h"
#include "ui/parts/confidence.h"
#include "ui/parts/wallclock.h"

#define NAME_MAX_BYTES 600
#define PARTS          6 /* rows of another grouping in the details */

/*
 * Compile the filter of the row's parts, unless it is the present one.  False: it cannot be
 * compiled.
 */
static bool parts_filter(struct app *a, const char *text)
{
	if (a->parts.filter && !strcmp(a->parts.text, text))
		return true;
	rowfilter_free(a->parts.filter);
	a->parts.filter = NULL;
	text_append(a->parts.text, sizeof(a->parts.text), 0, "%s", text);
	return !rowfilter_compile(text, &a->parts.filter, NULL);
}

/* Add the row's parts by another grouping: a function's tasks, a task's functions. */
static void parts(struct app *a, struct details *d, const char *filter, enum group_by group,
		  const char *label)
{
	struct table_state by = {.group = group, .sort = SORT_SELF};
	struct query q = app_query(a, &by);
	const struct rows *rows;

	/* The screen's filter is not used: the panel shows all of the row. */
	if (!parts_filter(a, filter))
		return;
	q.filter = a->parts.filter;
	q.trend = false;
	q.limit = PARTS;
	rows = model_rows(a->model, &q, app_window(a));
	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		char name[NAME_MAX_BYTES], share[16], id[24] = "", host[NAME_MAX_BYTES] = "";

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share), r->self_share);
		if (r->pid >= 0)
			snprintf(id, sizeof(id), " %d", group == GROUP_THREAD ? r->tid : r->pid);
		if (group != GROUP_HOST)
			text_escape(host, sizeof(host), r->host);
		details_add(d, ROLE_TEXT, i ? "" : label, "%6s%%  %s%s%s%s", share, name, id,
			    host[0] ? " on " : "", host);
	}
	if (rows && rows->all > rows->nr)
		details_add(d, ROLE_DIM, "", "and %zu more", rows->all - rows->nr);
}

/* Add the kind of row, if its name does not tell. */
static void add_kind(struct details *d, const struct row *r)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} kinds[] = {
		{ROW_LOST, "stands for dropped samples: view 6 has the cause"},
		{ROW_FOLDED, "stands for all rows that are too small to be kept"},
		{ROW_SELF, "ringtop itself: its samples count in 100 %"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (r->flags & kinds[i].flag) {
			details_add(d, ROLE_DIM, "", "%s", kinds[i].text);
			return;
		}
}

/* Add the row's user and other owners, as far as known. */
static void add_owner(struct details *d, const struct row *r)
{
	char text[NAME_MAX_BYTES];

	if (*r->user) {
		text_escape(text, sizeof(text), r->user);
		details_add(d, ROLE_TEXT, "user", "%s", text);
	}
	if (*r->cgroup) {
		text_escape(text, sizeof(text), r->cgroup);
		details_add(d, ROLE_TEXT, "cgroup", "%s", text);
	}
	if (*r->parent) {
		text_escape(text, sizeof(text), r->parent);
		details_add(d, ROLE_TEXT, "parent", r->ppid > 0 ? "%s %d" : "%s", text, r->ppid);
	}
}

static void add_names(struct details *d, const struct row *r, enum group_by group)
{
	char text[NAME_MAX_BYTES], name[NAME_MAX_BYTES];

	model_row_name(r, name, sizeof(name));
	text_escape(text, sizeof(text), name);
	details_add(d, ROLE_STRONG, group_words[group].name, "%s", text);
	details_several(d, r->also);
	add_kind(d, r);
	if (r->flags & ROW_IRQS_OFF) {
		details_add(d, ROLE_WARN, "timer",
			    "its own time passed before it, with interrupts off");
		details_add(d, ROLE_DIM, "", "no timer can look there; callers tell what it was");
		details_add(d, ROLE_DIM, "", "known by its name; hardware events look everywhere");
	}
	if (group == GROUP_LINE)
		linerows_details(d, r);
	if (r->flags & ROW_UNRESOLVED)
		details_add(d, ROLE_DIM, "", "%s", r->flags & ROW_LOADING
				? "an address: its object's symbols are being loaded"
				: treenodes_unresolved(name, r->object));
	if (r->object[0]) {
		text_escape(text, sizeof(text), r->object);
		details_add(d, ROLE_TEXT, "object", "%s", text);
	}
	details_why(d, r->why, r->flags & ROW_DOUBT);
	if (r->file && r->file[0] && group != GROUP_LINE) {
		text_escape(text, sizeof(text), r->file);
		details_add(d, ROLE_TEXT, "source", "%s", text);
	}
	if (r->host[0] && group != GROUP_HOST) {
		text_escape(text, sizeof(text), r->host);
		details_add(d, ROLE_TEXT, "host", "%s", text);
	}
	if (r->pid >= 0)
		details_add(d, ROLE_TEXT, "pid", "%d%s", r->pid,
			    r->flags & ROW_EXITED ? " (exited)" : "");
	if (r->tid >= 0)
		details_add(d, ROLE_TEXT, "tid", "%d", r->tid);
	add_owner(d, r);
}

/* Add the meaning of 100 %, and for a clock the shares of one CPU's time. */
static void add_row_of_whole(const struct app *a, struct details *d, const struct row *r)
{
	const struct session_event *e = app_event(a);
	struct head h;

	if (wallclock_shown(a)) /* then it is shown below the rows */
		return;
	model_head(a->model, a->event, app_window(a), &h);
	if (h.seconds > 0 && e &&
	    (!strncmp(e->name, "cpu-clock", 9) || !strncmp(e->name, "task-clock", 10)))
		details_add(d, ROLE_TEXT, "CPU", "self %.1f%%  total %.1f%% of one CPU's time",
			    (double)r->self / h.seconds / 1e7, (double)r->total / h.seconds / 1e7);
	if (!h.account.busy.idle || !h.account.attributed)
		return;
	details_add(d, ROLE_DIM, "100 %", "is all samples%s; idle: %.1f%% of all%s",
		    a->show_idle ? "" : " except idle",
		    (double)h.account.busy.idle / (double)h.account.attributed * 100,
		    a->show_idle ? ", included (I: apart)" : " (I shows it)");
}

/* Add the precision of the shares. */
static void add_trust(const struct app *a, struct details *d, const struct row *r)
{
	double half = confidence_half(r->self_share, (double)r->samples);
	char n[UNITS_LEN], interval[64] = "";

	if (!isnan(half))
		snprintf(interval, sizeof(interval), "  self %s%.2f%% (95 %%, if drawn by lot)",
			 confidence_sign(a->scene.ascii), half * 100);
	details_add(d, ROLE_TEXT, "samples", "%s%s%s", units_count(n, (double)r->samples), interval,
		    confidence_few((double)r->samples) ? ": too few to trust" : "");
}

static void add_figures(const struct app *a, struct details *d, const struct row *r)
{
	const struct session_event *e = app_event(a);
	bool time = e && !strcmp(e->unit, "ns");
	char self[16], total[16], w[UNITS_LEN], trend[64];

	widget_percent(self, sizeof(self), r->self_share);
	widget_percent(total, sizeof(total), r->total_share);
	confidence_trend(trend, sizeof(trend), r->trend, TREND_NR, (double)r->samples,
			 a->scene.ascii);
	details_add(d, ROLE_TEXT, "share", "self %s%%  total %s%%  %s", self, total, trend);
	add_row_of_whole(a, d, r);
	add_trust(a, d, r);
	details_add(d, ROLE_TEXT, details_amount(e), "self %s%s%s",
		    time ? units_span(w, r->self) : units_count(w, (double)r->self),
		    e && !time && e->unit[0] ? " " : "", e && !time ? e->unit : "");
	eventcolumns_details(a, d);
	if (e && *e->weight) {
		char text[2 * sizeof(e->weight)];

		text_escape(text, sizeof(text), e->weight);
		details_add(d, ROLE_TEXT, "weighs", "%s of each sample's record", text);
	}
	if (r->ntasks > 1)
		details_add(d, ROLE_TEXT, "processes", "%u", r->ntasks);
	if (e && *e->filter) {
		char text[2 * sizeof(e->filter)];

		text_escape(text, sizeof(text), e->filter);
		details_add(d, ROLE_TEXT, "filter", "%s", text);
	}
}

static void add_throttled(struct details *d, const struct row *r)
{
	char waited[UNITS_LEN], throttled[UNITS_LEN], periods[UNITS_LEN], part[48] = "";

	if (!r->periods) {
		details_add(d, ROLE_DIM, "throttled",
			    "not known: no CPU quota here, or no cpu.stat has it");
		return;
	}
	if (!isnan(r->throttled_share))
		snprintf(part, sizeof(part), ", %.1f%% of one CPU's time,",
			 r->throttled_share * 100);
	details_add(d, r->throttled ? ROLE_WARN : ROLE_TEXT, "throttled",
		    "%s%s in %s of %s periods of its CPU quota",
		    units_span(waited, r->throttled_ns), part,
		    units_count(throttled, (double)r->throttled),
		    units_count(periods, (double)r->periods));
}

void rowdetails(struct app *a, struct details *d)
{
	enum group_by group = a->table[a->view].group;
	const struct row *selected = rowlist_selected(a, true);
	char filter[APP_FILTER] = "";
	struct rowfilter *only = NULL;
	struct row r;

	if (!selected) {
		details_add(d, ROLE_DIM, "", "no row is selected");
		return;
	}
	r = *selected;
	add_names(d, &r, group);
	if (group == GROUP_CGROUP)
		add_throttled(d, &r);
	add_figures(a, d, &r);
	/* The next query frees r's strings: make the filter first. */
	rowwords_filter(group, &r, filter, sizeof(filter), 0);
	if (wallclock_shown(a) && !rowfilter_compile(filter, &only, NULL))
		wallclock_details(a, d, only, group == GROUP_FUNCTION ? &r.id : NULL);
	rowfilter_free(only);
	if (r.nhosts > 1)
		parts(a, d, filter, GROUP_HOST, "hosts");
	if (group == GROUP_FUNCTION)
		parts(a, d, filter, r.ntasks == 1 ? GROUP_THREAD : GROUP_TASK,
		      r.ntasks == 1 ? "threads" : "tasks");
	else
		parts(a, d, filter, GROUP_FUNCTION, "functions");
}
