/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * treework - a tree while it is made: for tree.c, which places paths in nodes, and treeout.c, which
 * writes them out.
 *
 * A node is an entry of `nodes`, keyed by its parent's index and its kind and id; a parent's index
 * is smaller than its children's, and the root is 0.  Memory is kept from one tree to the next.
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

/* Kind of a node: a node's key has its id, and one of these in the lowest bits. */
enum node_kind { NODE_FUNCTION, NODE_INLINED, NODE_PROCESS, NODE_THREAD, NODE_HOST,
		 NODE_KINDS };

/* A path that is being climbed, bottom-up. */
struct tree_cursor {
	uint32_t path, level; /* the next caller: the path's place, and depth of inlining there */
	uint32_t node;        /* node reached so far */
	uint64_t weight, samples, other;
};

/* A node while the tree is finished. */
struct tree_place {
	uint32_t head, link; /* its first kept child, its parent's next one */
	bool keep;
	uint64_t samples;
	uint64_t others, other_total, other_samples;
	uint64_t of_other; /* part of the total that is of query.other */
	uint64_t other_of_other; /* part of other_total that is of query.other */
};

/* Source place of a node's code. */
struct tree_spot {
	uint32_t file, line;
	uint32_t calls; /* most calls of the function by itself on one path */
	bool met;
};

struct tree_work {
	struct tree tree;
	struct tree_query query; /* its query; the filter is compared by its serial */
	struct depends of;
	bool holds;
	struct tally leaves; /* (top, path); total: the part of self that is of query.other */
	struct tally nodes;  /* (parent's index, kind and id); an entry's index is the node's */
	uint32_t *at, *stamp; /* by path: its node, valid if stamp equals `stamped` */
	uint32_t *run;        /* by path: number of its function's calls of itself there */
	uint32_t *climb;      /* paths between one and its nearest ancestor that is placed */
	struct tree_cursor *cursors;
	struct tree_place *places;
	struct tree_spot *spots; /* by node */
	uint64_t *other;         /* by node: part of self of query.other; 0 beyond the end */
	struct tree_node *out;
	char (*names)[32]; /* names of functions without one: addresses */
	size_t cap_at, cap_stamp, cap_run, cap_climb, cap_cursors, cap_places, cap_spots, cap_other,
		cap_out, cap_names;
	size_t nnames;
	uint32_t stamped;
};

struct tree_build {
	struct model *m;
	struct tree_work *t;
	const struct dict *d;
	const struct tree_query *q;
	uint32_t hosts; /* number with nodes of their own, at least 1 */
	/* Leaves being placed: (task or process, or 0) * hosts + host. */
	uint32_t top;
	uint32_t base; /* node of `top` */
	uint32_t run;  /* of the frame placed last: number of its function's calls of itself */
	int ret;
};

#endif
