/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * treechanges - Tree and Flame while windows are compared (ui/views/view_changes): the tree of one
 * side, with the change of each of its places.
 *
 * Key B switches between the current tree and the baseline's: call paths that are gone stand in the
 * baseline's alone, new ones in the current one.  A place is judged as Changes judges a function
 * (model/compare/treeprofile.h).  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_TREECHANGES_H
#define RINGTOP_UI_VIEWS_TREECHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare/compare.h"
#include "model/compare/treeprofile.h"
#include "ui/term/theme.h"

struct app;
struct details;

struct treechanges_state {
	uint64_t asked[2]; /* hash of each side's query and profile of view_changes; 0: not taken */
	struct profile side[2]; /* places, of the baseline and the current window */
	struct comparison comparison;
	uint32_t *row[2]; /* maps a side's row to its index in the comparison + 1; 0: none */
	struct treeprofile
		places[2];	 /* by side, of its tree; the baseline's functions have aliases */
	const struct tree *tree; /* the tree shown, borrowed from its model */
	int error; /* -errno: no changes are known */
};

void treechanges_free(struct treechanges_state *s);

/* Return the tree of the side shown, borrowed, and find its changes.  NULL: out of memory. */
const struct tree *treechanges_tree(struct app *a, const struct tree_query *q);

/*
 * Return the change of a node of that tree, borrowed.  NULL: no comparison, or the change is not
 * known, as for one of several nodes of one place.
 */
const struct difference *treechanges_of(const struct app *a, const struct tree_node *n);

/* Return true if the change is significant.  d may be NULL. */
bool treechanges_sure(const struct difference *d);

/* Append the shares and their difference, and whether that is sure, to the panel. */
void treechanges_points(struct details *details, const char *label, const struct difference *d);
void treechanges_changed(struct details *details, const struct difference *d, const char *remarks);

/* Return '+' or '-' if the change is significant, else 0.  d may be NULL. */
char treechanges_sign(const struct difference *d);

/* Format the change in percent points: "+5.39"; "-" where d is NULL. */
void treechanges_delta(const struct difference *d, char *buf, size_t size);

/* Return the role of text about the change, and of a box of the flame graph.  d may be NULL. */
enum role treechanges_role(const struct difference *d);
enum role treechanges_box(const struct difference *d);

/* Format which side is shown, or why no changes are known; "" where nothing is compared. */
void treechanges_hint(const struct app *a, char *buf, size_t size);

/* Append the node's change to the panel, if windows are compared. */
void treechanges_details(const struct app *a, struct details *d, const struct tree_node *n);

#endif
