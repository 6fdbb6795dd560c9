/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_functions.h"

#include "ui/app/app.h"
#include "ui/app/zoom.h"
#include "ui/parts/rowdetails.h"
#include "ui/parts/rowlist.h"

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
	return step == STEP_OPEN && (zoom_hosts(a) || rowlist_callers(a) || open_line_code(a));
}

const struct view_ops view_functions = {
	.keys = "help search filter group sort open only freeze quit reverse "
		"call-graph compare write hide-kernel hide-user zero pause",
	.draw = rowlist_draw,
	.details = rowdetails,
	.step = step_functions,
	.function = rowlist_function,
	.source = rowlist_source,
	.groups = (1u << GROUP_NR) - 1,
};
