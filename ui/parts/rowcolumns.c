/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/rowcolumns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/parts/details.h"
#include "ui/parts/linerows.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/rowwords.h"
#include "ui/parts/confidence.h"

#define NAME_MAX_BYTES 600
#define LINE_LEAST     60   /* columns of a screen below which lines have no TASK */
#define MUCH	       0.05 /* throttled share of periods from which on it is highlighted */

/* --- cells ------------------------------------------------------------------------------ */

static enum role row_role(const struct row *r)
{
	return r->flags & ROW_LOST                 ? ROLE_WARN
	       : r->flags & ROW_EXITED             ? ROLE_DIM
	       : r->flags & ROW_LOADING            ? ROLE_LOADING
	       : r->flags & (ROW_KERNEL)           ? ROLE_KERNEL
						   : ROLE_TEXT;
}

/* Estimate the samples of a row's total, which are not counted, by its share of all samples. */
static double total_samples(const struct app *a, const struct row *r)
{
	return r->total == r->self ? (double)r->samples
				   : fmax((double)r->samples, r->total_share * a->all_samples);
}

static enum role cell_self(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	confidence_percent(buf, size, r->self_share, (double)r->samples);
	return confidence_role(r->self_share, (double)r->samples);
}

static enum role cell_total(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;
	double samples = total_samples(cell->ctx, r);

	confidence_percent(buf, size, r->total_share, samples);
	return confidence_role(r->total_share, samples);
}

static enum role cell_half(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;
	double half = confidence_half(r->self_share, (double)r->samples);

	if (!isnan(half))
		snprintf(buf, size, "%.2f", half * 100);
	return ROLE_DIM;
}

static enum role cell_change(const struct widget_cell *cell, char *buf, size_t size)
{
	double change = ((const struct row *)cell->row)->change;

	if (isnan(change))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%+.2f", change * 100);
	return ROLE_TEXT;
}

static enum role cell_peak(const struct widget_cell *cell, char *buf, size_t size)
{
	widget_percent(buf, size, ((const struct row *)cell->row)->peak);
	return ROLE_TEXT;
}

static enum role cell_trend(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct row *r = cell->row;

	confidence_trend(buf, size, r->trend, TREND_NR, (double)r->samples, a->scene.ascii);
	return ROLE_TREND;
}

WIDGET_CELL(cell_samples, count, struct row, samples)

/* Functions' names are folded; of other names the beginning tells most. */
static void fit_name(const struct app *a, const struct row *r, char *buf, size_t size, int width)
{
	const char *other = NULL;

	if (r->line) {
		rowlist_line(a, buf, size, r, width);
		return;
	}
	if (a->table[a->view].group != GROUP_FUNCTION) {
		text_escape(buf, size, r->name);
		return;
	}
	for (unsigned i = 0; i < a->apart.nr && !other; i++)
		if (a->apart.alike[i].row == r)
			other = a->apart.alike[i].other;
	rowlist_fit(a, buf, size, r->name, other, width);
}

enum role rowcolumns_name(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct row *r = cell->row;
	size_t pos = 0;

	if (r->flags & ROW_KERNEL && a->table[a->view].group == GROUP_FUNCTION)
		pos = text_append(buf, size, 0, r->flags & ROW_IRQS_OFF ? "[k!] " : "[k] ");
	fit_name(a, r, buf + pos, size - pos, cell->width - (int)pos);
	pos += strlen(buf + pos);
	if (r->flags & ROW_EXITED)
		text_append(buf, size, pos, " (exited)");
	if (rowlist_matches(r, a->search))
		return ROLE_MATCH;
	return row_role(r) == ROLE_TEXT && confidence_few(total_samples(a, r)) ? ROLE_FEW
									       : row_role(r);
}

static enum role cell_object(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct row *r = cell->row;
	char name[NAME_MAX_BYTES];

	/* "[module]" and paths that end in a slash stay whole. */
	text_escape(name, sizeof(name), rowwords_object(a, r));
	if (!(r->flags & ROW_LOADING)) {
		snprintf(buf, size, "%s%s", r->flags & ROW_DOUBT ? DETAILS_DOUBT : "", name);
		return ROLE_TEXT;
	}
	/* The mark must be visible: before the name if there is no room behind it. */
	snprintf(buf, size,
		 scene_width(&a->scene, name) + 10 > cell->width ? "⧗ %s" : "%s ⧗ loading", name);
	return ROLE_LOADING;
}

static enum role cell_task(const struct widget_cell *cell, char *buf, size_t size)
{
	char raw[64];

	model_row_task(cell->row, raw, sizeof(raw));
	text_escape(buf, size, raw);
	return ROLE_TEXT;
}

static enum role cell_host(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	if (r->host[0])
		text_escape(buf, size, r->host);
	else if (r->nhosts)
		snprintf(buf, size, "(%u)", r->nhosts);
	return ROLE_TEXT;
}

WIDGET_CELL(cell_pid, id, struct row, pid)
WIDGET_CELL(cell_tid, id, struct row, tid)

static enum role cell_throttled(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	if (!r->periods || isnan(r->throttled_share))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.1f", r->throttled_share * 100);
	return !r->throttled					  ? ROLE_DIM
	       : (double)r->throttled > MUCH * (double)r->periods ? ROLE_WARN
								  : ROLE_TEXT;
}

/* --- the table ----------------------------------------------------------------------------- */

/* Without call paths a row's total equals its self, inlining aside. */
static bool totals_differ(const struct app *a, int cols)
{
	(void)cols;
	return callpaths_taken(a) || a->table[a->view].sort == SORT_TOTAL;
}

static bool several_hosts(const struct app *a, int cols)
{
	(void)cols;
	return model_info(a->model)->nhosts > 1;
}

static bool task_has_room(const struct app *a, int cols)
{
	/* "[no line]" needs the room */
	return a->table[a->view].group != GROUP_LINE || cols >= LINE_LEAST;
}

#define IN_FUNCTIONS (1u << VIEW_FUNCTIONS)
#define IN_TASKS     (1u << VIEW_TASKS)
#define IN_BOTH	     (IN_FUNCTIONS | IN_TASKS)

/* The columns from left to right. */
static const struct rowcolumn {
	struct widget_column column;
	unsigned views;		  /* bits of the views that have it */
	bool kept_in_tasks;	  /* not dropped there for lack of room */
	unsigned groups;	  /* bits of the groups that have it; 0: all */
	bool strict;		  /* rows of other groups cannot be sorted by it */
	bool on_sort;		  /* shown only while rows are sorted by it */
	int least;		  /* columns of the screen that it needs */
	bool (*shown)(const struct app *a, int cols); /* NULL: whenever it has room */
} table[] = {
	{{"SELF%", 6, 0, 0, 0, true, SORT_SELF, cell_self, NULL}, .views = IN_FUNCTIONS},
	{{"SHARE%", 6, 0, 0, 0, true, SORT_SELF, cell_self,
	  "the row's share of 100 %, all samples of the event except idle ones, including "
	  "ringtop's own"},
	 .views = IN_TASKS},
	{{"±", 5, 0, 0, 7, true, -1, cell_half,
	  "half the width of the 95 % interval of SELF, in percent points, if samples are random"},
	 .views = IN_BOTH,
	 .least = 130},
	{{"CHANGE", 7, 0, 0, 0, true, SORT_CHANGE, cell_change,
	  "SELF% minus SELF% of the previous window of equal length; in percent points"},
	 .views = IN_BOTH,
	 .on_sort = true},
	{{"PEAK%", 6, 0, 0, 0, true, SORT_PEAK, cell_peak,
	  "the largest SELF% in a tenth of the window"},
	 .views = IN_BOTH,
	 .on_sort = true},
	{{"THROTTLED%", 10, 0, 0, 5, true, SORT_THROTTLED, cell_throttled,
	  "time that the CPU quota stopped the cgroup, on all CPUs, of one CPU's time; -: no quota "
	  "known"},
	 .views = IN_BOTH,
	 .kept_in_tasks = true,
	 .groups = 1u << GROUP_CGROUP,
	 .strict = true},
	{{"TOTAL%", 6, 0, 0, 4, true, SORT_TOTAL, cell_total, NULL},
	 .views = IN_FUNCTIONS,
	 .shown = totals_differ},
	{{"TREND", TREND_NR, 0, 0, 3, false, -1, cell_trend, NULL}, .views = IN_BOTH},
	{{"PID", 8, 0, 0, 1, true, SORT_PID, cell_pid, "process ID"},
	 .views = IN_TASKS,
	 .groups = (1u << GROUP_COMMAND) - 1},
	{{"TID", 8, 0, 0, 1, true, -1, cell_tid, NULL},
	 .views = IN_TASKS,
	 .groups = 1u << GROUP_THREAD},
	{{"PROCESSES", 9, 0, 0, 1, true, -1, cell_task, "processes of the name"},
	 .views = IN_TASKS,
	 .groups = ~0u << GROUP_COMMAND},
	{{"SAMPLES", 8, 0, 0, 6, true, SORT_SAMPLES, cell_samples, NULL},
	 .views = IN_FUNCTIONS,
	 .least = 130},
	{{"SAMPLES", 8, 0, 0, 2, true, SORT_SAMPLES, cell_samples, NULL}, .views = IN_TASKS},
	{{"HOST", 8, 1, 24, 0, false, -1, cell_host, NULL},
	 .views = IN_TASKS,
	 .shown = several_hosts},
	{{"COMMAND", 12, 1, 0, 0, false, SORT_NAME, rowcolumns_name, NULL}, .views = IN_TASKS},
	{{"FUNCTION", 12, 4, 0, 0, false, SORT_NAME, rowcolumns_name, NULL}, .views = IN_FUNCTIONS},
	{{"LINE", 12, 2, 0, 1, false, -1, linerows_text_function,
	  "rows by source line (g): file and line of the code, for inlined code its own; FUNCTION: "
	  "the function that has it"},
	 .views = IN_FUNCTIONS,
	 .groups = 1u << GROUP_LINE},
	{{"OBJECT", 12, 1, 40, 2, false, SORT_OBJECT, cell_object, NULL},
	 .views = IN_FUNCTIONS,
	 .groups = 1u << GROUP_FUNCTION | 1u << GROUP_LINE},
	{{"HOST", 8, 1, 24, 2, false, -1, cell_host, NULL},
	 .views = IN_FUNCTIONS,
	 .groups = ~(1u << GROUP_HOST),
	 .shown = several_hosts},
	{{"TASK", 10, 1, 24, 1, false, SORT_TASK, cell_task, NULL},
	 .views = IN_FUNCTIONS,
	 .groups = ~(1u << GROUP_TASK | 1u << GROUP_THREAD),
	 .shown = task_has_room},
};

#define COLUMNS (sizeof(table) / sizeof(table[0]))

static bool has_group(const struct rowcolumn *c, enum group_by group)
{
	return !c->groups || c->groups & 1u << group;
}

static bool is_shown(const struct app *a, const struct rowcolumn *c, int cols)
{
	const struct table_state *t = &a->table[a->view];

	return has_group(c, t->group) && cols >= c->least &&
	       (!c->on_sort || (int)t->sort == c->column.sort) && (!c->shown || c->shown(a, cols));
}

/* Return the title for the rows shown. */
static const char *title_now(const struct app *a, const struct widget_column *c)
{
	static const char *const names[GROUP_NR] = {
		"FUNCTION", "OBJECT",  "TASK", "THREAD", "CPU",	   "HOST",
		"COMMAND",  "THREADS", "USER", "CGROUP", "PARENT", "LINE"};
	enum group_by group = a->table[a->view].group;

	if (c->text == rowcolumns_name)
		return names[group];
	if (c->text == linerows_text_function) /* beside names that are lines */
		return "FUNCTION";
	if (c->text == cell_half)
		return confidence_sign(a->scene.ascii);
	return c->text == cell_task && group >= GROUP_COMMAND && group <= GROUP_PARENT ? "PROCESSES"
										       : c->title;
}

unsigned rowcolumns_list(enum view_id view, struct widget_column *to)
{
	unsigned nr = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (!(table[i].views & 1u << view))
			continue;
		to[nr] = table[i].column;
		to[nr++].drop *= !(view == VIEW_TASKS && table[i].kept_in_tasks);
	}
	return nr;
}

void rowcolumns_make(const struct app *a, int cols, struct rowcolumns *to)
{
	to->nr = rowcolumns_list(a->view, to->column);
	to->hidden = 0;
	for (size_t i = 0, k = 0; i < COLUMNS; i++) {
		if (!(table[i].views & 1u << a->view))
			continue;
		to->column[k].title = title_now(a, &to->column[k]);
		to->hidden |= is_shown(a, &table[i], cols) ? 0 : 1u << k;
		k++;
	}
}

unsigned rowcolumns_sorts(enum view_id view, enum group_by group)
{
	unsigned bits = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		if (table[i].views & 1u << view && table[i].column.sort >= 0 &&
		    (!table[i].strict || has_group(&table[i], group)))
			bits |= 1u << table[i].column.sort;
	return bits;
}

int rowcolumns_name_width(const struct widget_table *t)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->columns[i].text == rowcolumns_name)
			return t->width[i];
	return 0;
}
