/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_flame - the window's call paths as boxes, each as wide as its share.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_FLAME_H
#define RINGTOP_UI_VIEWS_VIEW_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/app/view.h"

#define VIEW_FLAME_ZOOMS 32

struct view_flame_box {
	uint64_t id;
	uint32_t node;   /* index in the tree; valid where `small` is 0 */
	uint32_t small;  /* number of siblings too narrow for boxes of their own; 0: one node */
	int x, cols, line;
	double from;     /* left edge before rounding */
};

/* The inputs of the last layout; boxes stay valid while these are unchanged. */
struct view_flame_laid {
	uint64_t made; /* tree.made, 0: no layout */
	uint64_t zoom; /* a node's id, 0: the root */
	int cols;
};

struct view_flame_state {
	struct view_flame_laid laid;
	uint64_t layouts;  /* number of layouts made */
	bool upwards;      /* the root is at the bottom */
	uint64_t selected; /* a node's id, 0: the root */
	uint64_t zoom[VIEW_FLAME_ZOOMS];
	unsigned nzoom;
	struct view_flame_box *box; /* by line, then x */
	size_t nr, cap;
	uint32_t *order; /* children of one node while they are laid out */
	size_t cap_order;
	struct rect area; /* area of the last draw */
	int cols, top, lines;
	bool gone;       /* the zoomed node has no sample in this window */
};

extern const struct view_ops view_flame;

/* Return the view's state in this app. */
struct view_flame_state *view_flame_state(const struct app *a);

#endif
