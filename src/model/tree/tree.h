/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree - the call tree of a window: who called what (top-down), or who called it (bottom-up).
 *
 * A node is a function where it was called from, not an address: calls from several places in one
 * function are one node, a call that was inlined is another.  Inlined functions are nodes
 * below what they are in. Recursion makes nested nodes, each
 * with the weight below it, unless query.recursion; a tree rooted at a function takes every path once, from the outermost
 * of that function's frames, so its root's total is the function's TOTAL in the rows.
 *
 * Memory follows the paths in the window: nodes with less than `fold` of the tree, and the smallest
 * beyond `limit` of them, become one "[other]" node per parent, which tells how many it stands for.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_TREE_TREE_H
#define RINGTOP_MODEL_TREE_TREE_H

#include "model/core/model.h"

enum tree_order { TREE_TOP_DOWN, TREE_BOTTOM_UP };

/* What stands between the root and the functions. */
enum tree_tasks { TREE_NO_TASKS, TREE_PROCESSES, TREE_THREADS };

#define TREE_FOLD  0.0001 /* for screens: what is smaller than that nobody can see */
#define TREE_LIMIT 65536

struct tree_query {
	struct query q; /* event, hiding, filter and show_self as in rows; the rest is not used */
	enum tree_order order;
	enum tree_tasks tasks;
	bool recursion;    /* top-down: a function that calls itself is one node, which tells how deep it went */
	bool hosts;        /* where there are several, they stand between the root and these */
	uint64_t function; /* row.key of the function at the root, 0: everything */
	double fold;       /* 0: nothing folds */
	size_t limit;      /* nodes, roughly; 0: no limit */
};

enum tree_flag {
	TREE_KERNEL = 1,
	TREE_INLINED = 2,
	TREE_TRUNCATED = 4,  /* "[truncated]": the callers above it are not known */
	TREE_UNRESOLVED = 8, /* the name is an address */
	TREE_LOADING = 16,   /* its object's symbols are being loaded */
	TREE_SELF = 32,      /* ringtop's own */
	TREE_LOST = 64,      /* a pseudo node for what was dropped */
	TREE_OTHER = 128,    /* stands for `folded` small ones */
	TREE_TASK = 256,     /* a process or thread: pid and tid say which */
	TREE_DOUBT = 512,    /* its name may be wrong: `why` */
	TREE_HOST = 1024,    /* a host */
};

#define TREE_INLINED_MARK " (inlined)" /* behind a name, wherever one is shown */

struct tree_node {
	uint64_t id;  /* of this place in the tree, the same in every later tree: what is unfolded */
	uint64_t key; /* of the function: row.key */
	const char *name;
	const char *object; /* of a function, else "" */
	const char *why;    /* of the object, as in rows; else "" */
	const char *also;   /* of a function, as in rows */
	const char *file;   /* source file of what is here, where it is one; else "" */
	uint32_t line;      /* its line, where it is one, the place of the call in a caller; else 0 */
	uint32_t flags;
	uint32_t depth;           /* of the root: 0 */
	uint32_t calls;           /* of itself, that stand in it too: the most of one path (query.recursion) */
	uint32_t parent;          /* of the root: 0 */
	uint32_t child;           /* the first, 0: none; all lie side by side, largest first */
	uint32_t next;            /* the next sibling, 0: none */
	uint32_t nchildren;
	int32_t pid, tid;         /* of a task, else -1 */
	uint64_t folded;          /* of "[other]": nodes it stands for, not counting theirs */
	uint64_t other;           /* of total: what is query.other's */
	uint64_t self, total;     /* total = self + the children's.  Top-down, self is what was taken
	                           * here; bottom-up, what has no caller above this */
	uint64_t samples, self_samples;
	double self_share, total_share; /* 0..1 of the window's attributed weight, as in rows */
};

struct tree {
	const struct tree_node *node; /* [0] is the root: "all" or the function */
	size_t nr;
	uint32_t depth;      /* the deepest node's */
	uint64_t attributed; /* 100 % of the shares */
	uint64_t other;      /* of that, what is query.other's */
	uint64_t dropped;    /* with it, 100 % of those of what was dropped, and of the root */
	uint64_t folded;     /* nodes left out, not counting theirs */
	bool exact;          /* false: only what history still holds, see `missing` */
	uint64_t missing;    /* WINDOW_ALL: weight measured, its paths forgotten since */
	uint64_t made;       /* another number, never 0, for each that was made, of whatever model */
};

/*
 * For WINDOW_ALL this is all that history holds: paths, unlike rows, are not kept for ever.  The
 * result belongs to the model and is valid until the next call.  NULL: out of memory.  Asked again while nothing of it has
 * changed, it is the tree that was made before.
 */
const struct tree *model_tree(struct model *m, const struct tree_query *q, struct window w);

/*
 * The weight of a tree's paths that begin in programs, and of those among them that are one function, or lead nowhere.
 */
struct tree_shallow {
	uint64_t programs, shallow;
};

/*
 * Return the weights of a tree of all paths.  Where most paths are shallow, the code keeps no frame pointers, or other
 * values were taken for frame pointers.
 */
struct tree_shallow tree_shallow(const struct tree *t, bool bottom_up);

/* Forget all trees: the model's slices have changed, and what was made of them holds no more. */
void tree_forget(struct model *m);

struct tree_work;

void tree_work_free(struct tree_work *t);

#endif
