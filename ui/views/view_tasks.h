/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_tasks - rows by process, thread or groups of them.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_TASKS_H
#define RINGTOP_UI_VIEWS_VIEW_TASKS_H

#include "ui/app/view.h"

extern const struct view_ops view_tasks;

#endif
