/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_functions.h"

#include "ui/app/app.h"
#include "ui/app/zoom.h"
#include "ui/parts/linerows.h"
#include "ui/parts/rowdetails.h"
#include "ui/parts/rows.h"
#include "ui/parts/throttled.h"
#include "ui/parts/trust.h"

#define NARROW 60 /* columns */

enum {
	COL_SELF,
	COL_HALF,
	COL_CHANGE,
	COL_PEAK,
	COL_THROTTLED,
	COL_TOTAL,
	COL_TREND,
	COL_SAMPLES,
	COL_NAME,
	COL_FUNCTION,
	COL_OBJECT,
	COL_HOST,
	COL_TASK,
	COL_NR
};

static const struct widget_column columns[COL_NR] = {
	[COL_SELF] = {"SELF%", 6, 0, 0, 0, true, SORT_SELF, rows_text_self},
	[COL_HALF] = {"±", 5, 0, 0, 7, true, -1, rows_text_half},
	[COL_CHANGE] = {"CHANGE", 7, 0, 0, 0, true, SORT_CHANGE, rows_text_change},
	[COL_PEAK] = {"PEAK%", 6, 0, 0, 0, true, SORT_PEAK, rows_text_peak},
	[COL_THROTTLED] = {"THROTTLED%", 10, 0, 0, 5, true, SORT_THROTTLED, throttled_text},
	[COL_TOTAL] = {"TOTAL%", 6, 0, 0, 4, true, SORT_TOTAL, rows_text_total},
	[COL_TREND] = {"TREND", TREND_NR, 0, 0, 3, false, -1, rows_text_trend},
	[COL_SAMPLES] = {"SAMPLES", 8, 0, 0, 6, true, SORT_SAMPLES, rows_text_samples},
	[COL_NAME] = {"FUNCTION", 12, 4, 0, 0, false, SORT_NAME, rows_text_name},
	[COL_FUNCTION] = {"LINE", 12, 2, 0, 1, false, -1, linerows_text_function},
	[COL_OBJECT] = {"OBJECT", 12, 1, 40, 2, false, SORT_OBJECT, rows_text_object},
	[COL_HOST] = {"HOST", 8, 1, 24, 2, false, -1, rows_text_host},
	[COL_TASK] = {"TASK", 10, 1, 24, 1, false, SORT_TASK, rows_text_task},
};

static void draw_function_rows(struct app *a, struct rect area)
{
	static const char *const name_titles[GROUP_NR] = {
		"FUNCTION", "OBJECT",  "TASK", "THREAD", "CPU",	   "HOST",
		"COMMAND",  "THREADS", "USER", "CGROUP", "PARENT", "LINE"};
	enum group_by group = a->table[VIEW_FUNCTIONS].group;
	const char *titles[COL_NR] = {[COL_NAME] = name_titles[group],
				      [COL_FUNCTION] = "FUNCTION",
				      [COL_HALF] = trust_sign(a->scene.ascii)};
	enum sort_by sort = a->table[VIEW_FUNCTIONS].sort;
	uint32_t hidden = (sort == SORT_CHANGE ? 0 : 1u << COL_CHANGE) |
			  (sort == SORT_PEAK ? 0 : 1u << COL_PEAK);

	if (group != GROUP_CGROUP)
		hidden |= 1u << COL_THROTTLED;
	if (group != GROUP_LINE)
		hidden |= 1u << COL_FUNCTION;
	if (group != GROUP_FUNCTION && group != GROUP_LINE)
		hidden |= 1u << COL_OBJECT;
	if (group == GROUP_LINE && area.cols < NARROW) /* "[no line]" needs the room */
		hidden |= 1u << COL_TASK;
	if (group == GROUP_HOST || model_info(a->model)->nhosts < 2)
		hidden |= 1u << COL_HOST;
	if (group == GROUP_TASK || group == GROUP_THREAD)
		hidden |= 1u << COL_TASK;
	if (group >= GROUP_COMMAND && group <= GROUP_PARENT)
		titles[COL_TASK] = "PROCESSES";
	/* Optional columns need a wide terminal. */
	if (area.cols < 130)
		hidden |= 1u << COL_SAMPLES | 1u << COL_HALF;
	rows_draw(a, area, columns, COL_NR, hidden, titles);
}

static bool open_line_code(struct app *a)
{
	if (a->table[VIEW_FUNCTIONS].group != GROUP_LINE)
		return false;
	app_choose(a, VIEW_CODE);
	return true;
}

static bool step_functions(struct app *a, enum view_step step)
{
	/* A row of several hosts opens into them, a host into functions, a line into its code. */
	return step == STEP_OPEN && (zoom_hosts(a) || rows_callers(a) || open_line_code(a));
}

const struct view_ops view_functions = {
	.columns = columns,
	.ncolumns = COL_NR,
	.keys = "help search filter group sort open only freeze quit reverse "
		"call-graph compare write hide-kernel hide-user zero pause",
	.draw = draw_function_rows,
	.details = rowdetails,
	.step = step_functions,
	.function = rows_function,
	.source = rows_source,
	.groups = (1u << GROUP_NR) - 1,
	.sorts = 1u << SORT_SELF | 1u << SORT_TOTAL | 1u << SORT_NAME | 1u << SORT_OBJECT |
		 1u << SORT_TASK | 1u << SORT_SAMPLES | 1u << SORT_PEAK | 1u << SORT_CHANGE |
		 1u << SORT_THROTTLED,
};
