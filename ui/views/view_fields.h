/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_fields - sums of a tracepoint's samples by fields of their records (--by), and times from
 * one tracepoint to another (--between); Enter opens a row's histogram.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_FIELDS_H
#define RINGTOP_UI_VIEWS_VIEW_FIELDS_H

#include "ui/app/view.h"

extern const struct view_ops view_fields;

#endif
