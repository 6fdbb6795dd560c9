/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_tree - the call tree, from the top down or from the bottom up.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_TREE_H
#define RINGTOP_UI_VIEWS_VIEW_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/app/view.h"

#define VIEW_TREE_NAME 128

struct app;
struct tree;

struct view_tree_state {
	bool bottom_up;
	uint64_t function; /* row.key of the function at the root, 0: all functions */
	char name[VIEW_TREE_NAME]; /* name of `function`, escaped */
	enum view_id origin;       /* view where it was chosen */
	uint64_t *open; /* sorted ids of unfolded nodes, and the root's while it is folded */
	size_t nopen, cap_open;
	uint32_t *row;  /* indices of nodes not folded away, in the order of the screen */
	size_t nrows, cap_rows;
	const struct tree *drawn;  /* tree whose rows are being drawn, else NULL */
	size_t height;
};

extern const struct view_ops view_tree;

/* Return the view's state in this app. */
struct view_tree_state *view_tree_state(const struct app *a);

/* Show the callers of the function with this row.key and name, which is escaped and copied. */
void view_tree_callers(struct app *a, uint64_t function, const char *name);

#endif
