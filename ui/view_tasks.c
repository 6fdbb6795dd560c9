/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view_tasks.h"

#include <stdio.h>

#include "ui/app.h"
#include "ui/rows.h"

enum { COL_SHARE, COL_TREND, COL_PID, COL_TID, COL_SAMPLES, COL_HOST, COL_NAME, COL_NR };

static enum role text_pid(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)ctx;
	(void)width;
	snprintf(buf, size, r->pid >= 0 ? "%d" : "-", r->pid);
	return ROLE_TEXT;
}

static enum role text_tid(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)ctx;
	(void)width;
	snprintf(buf, size, r->tid >= 0 ? "%d" : "-", r->tid);
	return ROLE_TEXT;
}

static const struct widget_column columns[COL_NR] = {
	[COL_SHARE] = {"SHARE%", 6, 0, 0, 0, true, SORT_SELF, rows_text_self},
	[COL_TREND] = {"TREND", TREND_NR, 0, 0, 3, false, -1, rows_text_trend},
	[COL_PID] = {"PID", 8, 0, 0, 1, true, SORT_PID, text_pid},
	[COL_TID] = {"TID", 8, 0, 0, 1, true, -1, text_tid},
	[COL_SAMPLES] = {"SAMPLES", 8, 0, 0, 2, true, SORT_SAMPLES, rows_text_samples},
	[COL_HOST] = {"HOST", 8, 1, 24, 0, false, -1, rows_text_host},
	[COL_NAME] = {"COMMAND", 12, 1, 0, 0, false, SORT_NAME, rows_text_name},
};

static void draw(struct app *a, struct rect area)
{
	bool threads = a->table[VIEW_TASKS].group == GROUP_THREAD;
	const char *titles[COL_NR] = {[COL_NAME] = threads ? "THREAD" : "TASK"};

	uint32_t hidden = threads ? 0 : 1u << COL_TID;

	if (model_info(a->model)->nhosts < 2)
		hidden |= 1u << COL_HOST;
	rows_draw(a, area, columns, COL_NR, hidden, titles);
}

static bool step(struct app *a, enum view_step step)
{
	if (step == STEP_OPEN)
		zoom_in(a);
	return step == STEP_OPEN;
}

const struct view_ops view_tasks = {
	.name = "Tasks",
	.digit = '2',
	.keys = "help search filter group sort open freeze quit reverse zero pause",
	.draw = draw,
	.details = rows_details,
	.step = step,
	.groups = 1u << GROUP_TASK | 1u << GROUP_THREAD,
	.sorts = 1u << SORT_SELF | 1u << SORT_NAME | 1u << SORT_SAMPLES | 1u << SORT_PID,
};
