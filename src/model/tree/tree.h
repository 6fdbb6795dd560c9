/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree - the call tree of a window: top-down from callers to callees, or bottom-up from callees to
 * callers.
 *
 * A node is a function where it was called from, not an address: calls from several places in one
 * function are one node, an inlined call is another.  Inlined functions are nodes below the
 * function that they are in.  Recursion makes nested nodes, each with the weight below it, unless
 * query.recursion; a tree rooted at a function takes every path once, from the outermost of that
 * function's frames, so its root's total is the function's TOTAL in the rows.
 *
 * Memory follows the paths in the window: nodes with less than `fold` of the tree, and the smallest
 * beyond `limit` of them, become one "[other]" node per parent, with the number that it stands for.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_TREE_TREE_H
#define RINGTOP_MODEL_TREE_TREE_H

#include "model/core/model.h"

enum tree_order { TREE_TOP_DOWN, TREE_BOTTOM_UP };

/* Nodes between the root and the functions. */
enum tree_tasks { TREE_NO_TASKS, TREE_PROCESSES, TREE_THREADS };

#define TREE_FOLD  0.0001 /* for screens: smaller nodes cannot be seen */
#define TREE_LIMIT 65536

struct tree_query {
	struct query q; /* event, hiding, filter and show_self as in rows; the rest is not used */
	enum tree_order order;
	enum tree_tasks tasks;
	bool recursion;    /* top-down: recursion is one node, with its depth in `calls` */
	bool hosts;        /* nodes of several hosts between the root and tasks */
	uint64_t function; /* row.key of the function at the root, 0: all functions */
	double fold;       /* 0: nothing folds */
	size_t limit;      /* nodes, roughly; 0: no limit */
};

enum tree_flag {
	TREE_KERNEL = 1,
	TREE_INLINED = 2,
	TREE_TRUNCATED = 4,  /* "[truncated]": the callers above it are not known */
	TREE_UNRESOLVED = 8, /* the name is an address */
	TREE_LOADING = 16,   /* its object's symbols are being loaded */
	TREE_SELF = 32,      /* ringtop's own node */
	TREE_LOST = 64,      /* a pseudo node for dropped samples */
	TREE_OTHER = 128,    /* stands for `folded` small nodes */
	TREE_TASK = 256,     /* a process or thread, with pid and tid */
	TREE_DOUBT = 512,    /* its name may be wrong: `why` */
	TREE_HOST = 1024,    /* a host */
};

#define TREE_INLINED_MARK " (inlined)" /* shown after the name of an inlined function */

struct tree_node {
	uint64_t id;  /* of this place in the tree, the same in every later tree */
	uint64_t key; /* of the function: row.key */
	const char *name;
	const char *object; /* of a function, else "" */
	const char *why;    /* of the object, as in rows; else "" */
	const char *also;   /* of a function, as in rows */
	const char *file;   /* source file of all code in the node; "": several, or not known */
	uint32_t line;      /* its line, in a caller that of the call; 0: several, or not known */
	uint32_t flags;
	uint32_t depth;           /* of the root: 0 */
	uint32_t calls;           /* most calls of the function by itself on one path of the node
				   * (query.recursion) */
	uint32_t parent;          /* of the root: 0 */
	uint32_t child;           /* first child, 0: none; all lie side by side, largest first */
	uint32_t next;            /* the next sibling, 0: none */
	uint32_t nchildren;
	int32_t pid, tid;         /* of a task, else -1 */
	uint64_t folded;          /* of "[other]": nodes it stands for, without their children */
	uint64_t other;           /* part of total that is of query.other */
	uint64_t self, total;     /* total = self + the children's.  Self is, top-down, weight
				   * sampled here; bottom-up, weight without a caller above this */
	uint64_t samples, self_samples;
	double self_share, total_share; /* 0..1 of the window's attributed weight, as in rows */
};

struct tree {
	const struct tree_node *node; /* [0] is the root: "all" or the function */
	size_t nr;
	uint32_t depth;      /* the deepest node's */
	uint64_t attributed; /* 100 % of the shares */
	uint64_t other;      /* part of attributed that is of query.other */
	uint64_t dropped;    /* attributed + dropped: 100 % of dropped nodes, and of the root */
	uint64_t folded;     /* nodes left out, not counting their children */
	bool exact;          /* false: only what history still holds, see `missing` */
	uint64_t missing;    /* WINDOW_ALL: weight measured, its paths forgotten since */
	uint64_t made;       /* number of this tree, never 0, unique over all models */
};

/*
 * Return the call tree of a window.  For WINDOW_ALL this is all that history holds: paths, unlike
 * rows, are not kept for ever.  The result belongs to the model and is valid until the next call; a
 * repeated call returns the same tree while nothing of it has changed.  NULL: out of memory.
 */
const struct tree *model_tree(struct model *m, const struct tree_query *q, struct window w);

/*
 * Weight of a tree's paths that begin in programs, and of those among them that have only one
 * function, or lead nowhere.
 */
struct tree_shallow {
	uint64_t programs, shallow;
};

/*
 * Return the weights of a tree of all paths.  Where most paths are shallow, the code keeps no frame
 * pointers, or other values were taken for frame pointers.
 */
struct tree_shallow tree_shallow(const struct tree *t, bool bottom_up);

/*
 * Forget all trees: the model's slices have changed, and trees made of them are not valid any more.
 */
void tree_forget(struct model *m);

struct tree_work;

void tree_work_free(struct tree_work *t);

#endif
