/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * treework - a tree while it is made: for tree.c, which lays paths into nodes, and treeout.c, which
 * writes them out.
 *
 * A node is an entry of `nodes`, keyed by its parent's index and what it is; a parent's index is
 * smaller than its children's, and the root is 0.  Memory is kept from one tree to the next.
 */
#ifndef RINGTOP_MODEL_TREE_TREEWORK_H
#define RINGTOP_MODEL_TREE_TREEWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/depends.h"
#include "model/core/dict.h"
#include "model/core/tally.h"
#include "model/tree/tree.h"

/* What a node is: an id and one of these in the lowest bits. */
enum node_kind { NODE_FUNCTION, NODE_INLINED, NODE_PROCESS, NODE_THREAD, NODE_HOST,
		 NODE_KINDS };

/* A path that is being climbed, bottom-up. */
struct tree_cursor {
	uint32_t path, level; /* the next caller: the path's place, and how deep it is inlined there */
	uint32_t node;        /* what has been reached */
	uint64_t weight, samples, other;
};

/* A node while the tree is finished. */
struct tree_place {
	uint32_t head, link; /* its first kept child, its parent's next one */
	bool keep;
	uint64_t samples;
	uint64_t others, other_total, other_samples;
	uint64_t of_other; /* of the total: query.other's */
	uint64_t other_of_other; /* the same of other_total */
};

/* Where the code of a node is. */
struct tree_spot {
	uint32_t file, line;
	uint32_t calls; /* of itself, most of them on one path */
	bool met;
};

struct tree_work {
	struct tree tree;
	struct tree_query query; /* query that it answers, its filter known by its serial */
	struct depends of;
	bool holds;
	struct tally leaves; /* (top, path); an entry's total is what of its self is query.other's */
	struct tally nodes;  /* (parent's index, what it is); an entry's index is the node's */
	uint32_t *at, *stamp; /* by path: its node, valid where the stamp is ours */
	uint32_t *run;        /* by path: how often its function has called itself there */
	uint32_t *climb;      /* the paths between one and the nearest that is placed */
	struct tree_cursor *cursors;
	struct tree_place *places;
	struct tree_spot *spots; /* by node */
	uint64_t *other;         /* by node: of its self; some at the end may be missing: 0 */
	struct tree_node *out;
	char (*names)[32]; /* of functions without one: addresses */
	size_t cap_at, cap_stamp, cap_run, cap_climb, cap_cursors, cap_places, cap_spots, cap_other, cap_out, cap_names;
	size_t nnames;
	uint32_t stamped;
};

struct tree_build {
	struct model *m;
	struct tree_work *t;
	const struct dict *d;
	const struct tree_query *q;
	uint32_t hosts; /* that have nodes of their own, 1 at least */
	uint32_t top;  /* task or process, or 0, and host whose leaves are placed: task * hosts + host */
	uint32_t base; /* its node */
	uint32_t run;  /* of the frame placed last: how often its function has called itself */
	int ret;
};

#endif
