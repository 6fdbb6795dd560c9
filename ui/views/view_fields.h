/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_fields - sums of a tracepoint's samples by fields of their records (--by), and times from
 * one tracepoint to another (--between); Enter opens a row's histogram.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_FIELDS_H
#define RINGTOP_UI_VIEWS_VIEW_FIELDS_H

#include <stdbool.h>

#include "ui/views/view.h"

struct app;

/* True if any such sums or times are measured; otherwise the view tells how to. */
bool view_fields_wanted(const struct app *a);

extern const struct view_ops view_fields;

#endif
