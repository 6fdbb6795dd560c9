/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_explain - findings about the window shown (model/judge/explain.h), and the keys that show
 * more.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_EXPLAIN_H
#define RINGTOP_UI_VIEWS_VIEW_EXPLAIN_H

#include "model/judge/explain.h"
#include "ui/views/view.h"

struct view_explain_state {
	struct explain_line line[EXPLAIN_MOST];
	size_t nr; /* 0: not made yet */
	struct window window; /* window that the lines are about */
	uint64_t now;	      /* newest slice at that time */
	uint64_t took;	      /* ns of CPU time to make the lines */
	bool held;	      /* app.held at that time */
	struct query query;
};

extern const struct view_ops view_explain;

#endif
