/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_explain - findings about the window shown (model/judge/explain.h), and the keys that show
 * more.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_EXPLAIN_H
#define RINGTOP_UI_VIEWS_VIEW_EXPLAIN_H

#include "ui/app/view.h"

extern const struct view_ops view_explain;

#endif
