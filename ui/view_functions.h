/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_functions - where the time goes: rows by function, or what g groups by.  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEW_FUNCTIONS_H
#define RINGTOP_UI_VIEW_FUNCTIONS_H

#include <stdbool.h>

#include "model/model.h"
#include "ui/list.h"
#include "ui/prompt.h"
#include "ui/view.h"

/* Where a row was opened into its hosts. */
struct view_functions_state {
	bool opened;
	enum group_by group;
	struct list list;
	char filter[PROMPT_MAX];
};

extern const struct view_ops view_functions;

#endif
