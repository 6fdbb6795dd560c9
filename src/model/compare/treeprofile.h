/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * treeprofile - profile of a call tree's places in a window, per block of time: one side when two
 * trees are compared.
 *
 * A place identifies a node by the names on the path from the root to it, so that it is the same in
 * another model's tree, of another build; tasks count by their names alone.  Siblings with one
 * place (processes of one name, unnamed addresses of one object) are one row.  Comparing two such
 * profiles judges places as functions are judged, with TOTAL in place of SELF.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_COMPARE_TREEPROFILE_H
#define RINGTOP_MODEL_COMPARE_TREEPROFILE_H

#include "model/compare/compare.h"
#include "model/compare/profile.h"
#include "model/tree/tree.h"

/* A function that has different names on the two sides: hash_mix() hashes as profile_row.hash. */
struct treeprofile_alias {
	uint64_t was, now;
};

struct treeprofile {
	uint64_t *of; /* place of each node */
	size_t cap;
	struct treeprofile_alias *alias; /* sorted by was */
	size_t naliases, cap_aliases;
};

void treeprofile_clear(struct treeprofile *p);

/*
 * Remember which functions of the baseline the comparison matched with differently named ones, so
 * that treeprofile_find() gives both the same place.  0 or -ENOMEM.
 */
int treeprofile_alias(struct treeprofile *p, const struct comparison *functions);

/* Compute p->of[i], the place of each node i of t.  0 or -ENOMEM. */
int treeprofile_find(struct treeprofile *p, const struct tree *t);

/*
 * Fill `out` with the places of the window's tree, in the blocks of time of `functions`, the
 * profile of the same window and query.  Small nodes are folded only by q's limit.  Replaces the
 * model's tree: pointers from earlier model_tree() calls become invalid.  0 or -ENOMEM; call
 * profile_clear in either case.
 */
int treeprofile_take(struct treeprofile *p, struct model *m, const struct tree_query *q,
		     struct window w, const struct profile *functions, struct profile *out);

/* Return the index of a place's row, or -1. */
int64_t treeprofile_row(const struct profile *p, uint64_t place);

#endif
