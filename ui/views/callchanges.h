/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callchanges - Tree and Flame while windows are compared (ui/views/view_changes): the tree of one
 * side, with the change of each of its places.
 *
 * Key B switches between the current tree and the baseline's: call paths that are gone stand in the
 * baseline's alone, new ones in the current one.  A place is judged as Changes judges a function
 * (model/compare/treeprofile.h).  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_CALLCHANGES_H
#define RINGTOP_UI_VIEWS_CALLCHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare/compare.h"
#include "model/compare/treeprofile.h"
#include "ui/term/theme.h"

struct app;
struct details;

struct callchanges_state {
	uint64_t asked[2]; /* hash of each side's query and profile of view_changes; 0: not taken */
	struct profile side[2]; /* places, of the baseline and the current window */
	struct comparison comparison;
	uint32_t *row[2]; /* maps a side's row to its index in the comparison + 1; 0: none */
	struct treeprofile
		places[2];	 /* by side, of its tree; the baseline's functions have aliases */
	const struct tree *tree; /* the tree shown, borrowed from its model */
	int error; /* -errno: no changes are known */
};

void callchanges_free(struct callchanges_state *s);

/* Return the tree of the side shown, borrowed, and find its changes.  NULL: out of memory. */
const struct tree *callchanges_tree(struct app *a, const struct tree_query *q);

/*
 * Return the change of a node of that tree, borrowed.  NULL: no comparison, or the change is not
 * known, as for one of several nodes of one place.
 */
const struct difference *callchanges_of(const struct app *a, const struct tree_node *n);

/* Return true if the change is significant.  d may be NULL. */
bool callchanges_sure(const struct difference *d);

/* Append the shares and their difference, and whether that is sure, to the panel. */
void callchanges_points(struct details *details, const char *label, const struct difference *d);
void callchanges_changed(struct details *details, const struct difference *d, const char *remarks);

/* Return '+' or '-' if the change is significant, else 0.  d may be NULL. */
char callchanges_sign(const struct difference *d);

/* Format the change in percent points: "+5.39"; "-" where d is NULL. */
void callchanges_delta(const struct difference *d, char *buf, size_t size);

/* Return the role of text about the change, and of a box of the flame graph.  d may be NULL. */
enum role callchanges_role(const struct difference *d);
enum role callchanges_box(const struct difference *d);

/* Format which side is shown, or why no changes are known; "" where nothing is compared. */
void callchanges_hint(const struct app *a, char *buf, size_t size);

/* Append the node's change to the panel, if windows are compared. */
void callchanges_details(const struct app *a, struct details *d, const struct tree_node *n);

#endif
