/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_explain - what somebody who knows would say of the window shown (model/judge/explain.h), and the keys that show more.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_EXPLAIN_H
#define RINGTOP_UI_VIEWS_VIEW_EXPLAIN_H

#include "model/judge/explain.h"
#include "ui/views/view.h"

struct view_explain_state {
	struct explain_line line[EXPLAIN_MOST];
	size_t nr; /* 0: to be asked anew */
	struct window window; /* that they are of, and what was asked for */
	uint64_t now;	      /* the newest slice then */
	uint64_t took;	      /* ns of CPU time, to find what is said */
	bool held;	      /* app.held then */
	struct query query;
};

extern const struct view_ops view_explain;

#endif
