/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_fields - what the samples of a tracepoint came to by fields of their records (--by), and how long it took from
 * one tracepoint to another (--between); Enter opens a row's histogram.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_FIELDS_H
#define RINGTOP_UI_VIEWS_VIEW_FIELDS_H

#include <stdbool.h>

#include "ui/views/view.h"

struct app;

struct view_fields_state {
	bool open; /* the selected row's histogram is shown */
};

/* Is anything of that measured?  Else the view says how. */
bool view_fields_wanted(const struct app *a);

extern const struct view_ops view_fields;

#endif
