/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_tree - the call tree, from the top down or from the bottom up.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_TREE_H
#define RINGTOP_UI_VIEWS_VIEW_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/views/view.h"

#define VIEW_TREE_NAME 128

struct tree;

struct view_tree_state {
	bool bottom_up;
	uint64_t function; /* row.key of the one at the root, 0: everything */
	char name[VIEW_TREE_NAME]; /* its, escaped */
	enum view_id origin;       /* where it was chosen */
	uint64_t *open; /* ids of unfolded nodes, sorted; the root's is there when it is folded */
	size_t nopen, cap_open;
	uint32_t *row;  /* nodes as they stand on the screen, after the last draw */
	size_t nrows, cap_rows;
	const struct tree *drawn;  /* while the rows are drawn */
	size_t height;
};

extern const struct view_ops view_tree;

void view_tree_free(struct view_tree_state *s);

/* Show the callers of the function that has this row.key. */
void view_tree_callers(struct app *a, uint64_t function, const char *name);

#endif
