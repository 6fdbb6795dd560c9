/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places - what the places of a call tree had in a window, block of time by block: one side of a comparison of trees.
 *
 * A place is a node by the names of what is on the way to it from the root, so that another model's tree, of another
 * build, has the same ones; tasks are called by their names alone.  Siblings of one place (several processes of one
 * name, addresses without a name in one object) are one row.  A comparison of two such profiles judges every place as
 * one of profiles of functions judges a function, TOTAL in place of SELF.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_COMPARE_PLACES_H
#define RINGTOP_MODEL_COMPARE_PLACES_H

#include "model/compare/compare.h"
#include "model/compare/profile.h"
#include "model/tree/tree.h"

/* A function that the other side has under another name: hashes of both. */
struct places_alias {
	uint64_t was, now;
};

struct places {
	uint64_t *of; /* by node */
	size_t cap;
	struct places_alias *alias; /* sorted by was */
	size_t naliases, cap_aliases;
};

void places_clear(struct places *p);

/* Take functions of the baseline for what the comparison found them to be now.  0 or -ENOMEM. */
int places_alias(struct places *p, const struct comparison *functions);

/* Fill p->of for the nodes of t.  0 or -ENOMEM. */
int places_find(struct places *p, const struct tree *t);

/*
 * The places of the window's tree, in blocks of time as `functions` has, the profile of the same window and question.
 * Nothing folds but by q's limit.  Trees of m are made anew: what was asked for before is gone.  0 or -ENOMEM; call
 * profile_clear in either case.
 */
int places_take(struct places *p, struct model *m, const struct tree_query *q, struct window w,
		const struct profile *functions, struct profile *out);

/* The place's row, or -1. */
int64_t places_row(const struct profile *p, uint64_t place);

#endif
