/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_tasks.h"

#include "ui/app/app.h"
#include "ui/app/zoom.h"
#include "ui/parts/rowdetails.h"
#include "ui/parts/rowlist.h"

static bool step_tasks(struct app *a, enum view_step step)
{
	if (step == STEP_OPEN)
		zoom_in(a);
	return step == STEP_OPEN;
}

const struct view_ops view_tasks = {
	.group = GROUP_TASK,
	.keys = "help search filter group sort open freeze quit reverse zero pause",
	.draw = rowlist_draw,
	.details = rowdetails,
	.step = step_tasks,
	.groups = 1u << GROUP_TASK | 1u << GROUP_THREAD | 1u << GROUP_COMMAND |
		  1u << GROUP_PATTERN | 1u << GROUP_USER | 1u << GROUP_CGROUP | 1u << GROUP_PARENT,
};
