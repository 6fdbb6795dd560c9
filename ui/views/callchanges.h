/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callchanges - Tree and Flame while windows are compared (ui/views/view_changes): which side's tree is shown, and what each
 * of its places changed.
 *
 * The tree is now's or the baseline's, by key B: what is gone stands in the baseline's alone, what is new in now's.  A
 * place is judged as Changes judges a function (model/compare/places.h).  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_CALLCHANGES_H
#define RINGTOP_UI_VIEWS_CALLCHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare/compare.h"
#include "model/compare/places.h"
#include "ui/term/theme.h"

struct app;
struct details;

struct callchanges_state {
	bool by_was; /* the tree shown is the baseline's */
	uint64_t asked[2]; /* of which tree and which of view_changes' profiles each side is: a hash; 0: none is taken */
	struct profile side[2]; /* places: was, now */
	struct comparison comparison;
	uint32_t *row[2]; /* of a side's row: comparison.row's index + 1 */
	struct places places[2]; /* of the side's tree; the baseline's functions have aliases */
	const struct tree *tree; /* the one shown */
	int error; /* -ENOMEM: nothing is known of changes */
};

void callchanges_free(struct callchanges_state *s);

/* The tree of the side shown, with its changes known.  NULL: out of memory. */
const struct tree *callchanges_tree(struct app *a, const struct tree_query *q);

/* Of a node of that tree; NULL: nothing is compared, or nothing is known, as of one of several of one place. */
const struct difference *callchanges_of(const struct app *a, const struct tree_node *n);

/* '+' or '-' where the change is sure, else 0. */
char callchanges_sign(const struct difference *d);

/* In points: "+5.39"; "-" where it is not known. */
void callchanges_delta(const struct difference *d, char *buf, size_t size);

enum role callchanges_role(const struct difference *d);
enum role callchanges_box(const struct difference *d);

/* Which side is shown, and why there may be nothing; "" where nothing is compared. */
void callchanges_hint(const struct app *a, char *buf, size_t size);

void callchanges_details(const struct app *a, struct details *d, const struct tree_node *n);

#endif
