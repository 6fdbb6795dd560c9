/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_functions - where time is spent: rows by function, or grouped by g.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_FUNCTIONS_H
#define RINGTOP_UI_VIEWS_VIEW_FUNCTIONS_H

#include "ui/app/view.h"

extern const struct view_ops view_functions;

#endif
