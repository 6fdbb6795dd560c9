/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_tasks.h"

#include <stdio.h>

#include "ui/app/app.h"
#include "ui/app/zoom.h"
#include "ui/parts/rowdetails.h"
#include "ui/parts/rows.h"
#include "ui/parts/throttled.h"
#include "ui/parts/trust.h"

enum {
	COL_SHARE,
	COL_HALF,
	COL_CHANGE,
	COL_PEAK,
	COL_THROTTLED,
	COL_TREND,
	COL_PID,
	COL_TID,
	COL_COUNT,
	COL_SAMPLES,
	COL_HOST,
	COL_NAME,
	COL_NR
};

static enum role text_pid(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	snprintf(buf, size, r->pid >= 0 ? "%d" : "-", r->pid);
	return ROLE_TEXT;
}

static enum role text_task_tid(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct row *r = cell->row;

	snprintf(buf, size, r->tid >= 0 ? "%d" : "-", r->tid);
	return ROLE_TEXT;
}

static const struct widget_column columns[COL_NR] = {
	[COL_SHARE] = {"SHARE%", 6, 0, 0, 0, true, SORT_SELF, rows_text_self},
	[COL_HALF] = {"±", 5, 0, 0, 4, true, -1, rows_text_half},
	[COL_CHANGE] = {"CHANGE", 7, 0, 0, 0, true, SORT_CHANGE, rows_text_change},
	[COL_PEAK] = {"PEAK%", 6, 0, 0, 0, true, SORT_PEAK, rows_text_peak},
	[COL_THROTTLED] = {"THROTTLED%", 10, 0, 0, 0, true, SORT_THROTTLED, throttled_text},
	[COL_TREND] = {"TREND", TREND_NR, 0, 0, 3, false, -1, rows_text_trend},
	[COL_PID] = {"PID", 8, 0, 0, 1, true, SORT_PID, text_pid},
	[COL_TID] = {"TID", 8, 0, 0, 1, true, -1, text_task_tid},
	[COL_COUNT] = {"PROCESSES", 9, 0, 0, 1, true, -1, rows_text_task},
	[COL_SAMPLES] = {"SAMPLES", 8, 0, 0, 2, true, SORT_SAMPLES, rows_text_samples},
	[COL_HOST] = {"HOST", 8, 1, 24, 0, false, -1, rows_text_host},
	[COL_NAME] = {"COMMAND", 12, 1, 0, 0, false, SORT_NAME, rows_text_name},
};

static void draw_tasks(struct app *a, struct rect area)
{
	static const char *const names[GROUP_NR] = {
		[GROUP_TASK] = "TASK",	     [GROUP_THREAD] = "THREAD", [GROUP_COMMAND] = "COMMAND",
		[GROUP_PATTERN] = "THREADS", [GROUP_USER] = "USER",	[GROUP_CGROUP] = "CGROUP",
		[GROUP_PARENT] = "PARENT"};
	const struct table_state *t = &a->table[VIEW_TASKS];
	bool named = t->group >= GROUP_COMMAND;
	const char *titles[COL_NR] = {
		[COL_NAME] = names[t->group], [COL_HALF] = trust_sign(a->scene.ascii)};
	uint32_t hidden = (t->group == GROUP_THREAD ? 0 : 1u << COL_TID) |
			  (named ? 1u << COL_PID : 1u << COL_COUNT) |
			  (t->sort == SORT_CHANGE ? 0 : 1u << COL_CHANGE) |
			  (t->sort == SORT_PEAK ? 0 : 1u << COL_PEAK);

	if (t->group != GROUP_CGROUP)
		hidden |= 1u << COL_THROTTLED;
	if (area.cols < 130)
		hidden |= 1u << COL_HALF;
	if (model_info(a->model)->nhosts < 2)
		hidden |= 1u << COL_HOST;
	rows_draw(a, area, columns, COL_NR, hidden, titles);
}

static bool step_tasks(struct app *a, enum view_step step)
{
	if (step == STEP_OPEN)
		zoom_in(a);
	return step == STEP_OPEN;
}

const struct view_ops view_tasks = {
	.columns = columns,
	.ncolumns = COL_NR,
	.group = GROUP_TASK,
	.keys = "help search filter group sort open freeze quit reverse zero pause",
	.draw = draw_tasks,
	.details = rowdetails,
	.step = step_tasks,
	.groups = 1u << GROUP_TASK | 1u << GROUP_THREAD | 1u << GROUP_COMMAND |
		  1u << GROUP_PATTERN | 1u << GROUP_USER | 1u << GROUP_CGROUP | 1u << GROUP_PARENT,
	.sorts = 1u << SORT_SELF | 1u << SORT_NAME | 1u << SORT_SAMPLES | 1u << SORT_PID |
		 1u << SORT_PEAK | 1u << SORT_CHANGE | 1u << SORT_THROTTLED,
};
