/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thinnodes - what thin.c holds the session's dictionary as: nodes that point at each other, and ids on the wire.
 *
 * A node lives while an id of the session's, or another node, needs it; one that was said is released on the wire when it
 * goes.  Where memory is missing t->failed says so, and what was asked for is NULL or as it was.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_THINNODES_H
#define RINGTOP_LINK_AGENT_THINNODES_H

#include "link/agent/thin.h"
#include "link/agent/watched.h"

/* What a node refers to, in the order of dict_shapes; of the session's paths one more. */
enum {
	REF_PARENT = 0, REF_FRAME = 1, /* of a path */
	REF_LEAF = 2, /* of the session's paths: what stands for it where the leaf keeps its address */
	REF_OBJECT = 0, REF_SYMBOL = 1, REF_FILE = 2, REF_INNER = 3, /* of a frame */
	REFS = 5 /* the most */
};

union entry {
	uint32_t id;
	struct dict_string string; /* the text is the node's */
	struct dict_object object;
	struct dict_symbol symbol;
	struct dict_frame frame;
	struct dict_path path;
	struct dict_task task;
};

/*
 * As long as its kind needs, with the entry behind the references.  A path is nothing but these: its node is a line of the
 * cache.  With call paths there are ten thousand new ones in a second, and looking at them is what saving costs.
 */
struct node {
	uint32_t refs;
	uint32_t wire; /* what it was said as; see node_said_as */
	uint32_t round; /* of being said */
	uint32_t seen; /* the slice, or of a symbol the watch, that `count` is of */
	uint32_t count;
	uint32_t place; /* ours: scratch, one more than where it stands in a list of paths; the session's: count_path */
	uint8_t kind;
	bool changed; /* since it was said: it is in thin.changed */
	bool ours;    /* it is in thin.table */
	union {
		struct node *next; /* ours: in its slot of the table */
		struct node *as; /* of the session's frames and paths: our own that stands for it */
	};
	struct node *ref[];
};

#define PATH_BYTES 64 /* of a path's node, and where it is aligned */

/* Not of a path, which has none. */
static inline union entry *node_entry(const struct node *n)
{
	return (union entry *)(void *)((char *)n + sizeof(*n) + dict_shapes[n->kind].nrefs * sizeof(*n->ref));
}

/* The session's ids. */
struct ids {
	struct node **node;
	size_t nr, cap;
};

struct nodes {
	struct node **node; /* each held */
	size_t nr, cap;
};

/* Ids on the wire. */
struct pool {
	uint32_t *id; /* free */
	size_t nr, cap;
	uint32_t *freed; /* by this slice: free from the next one on */
	size_t nfreed, cap_freed;
	uint32_t used; /* the highest that was ever given out */
};

struct thin {
	struct ids ids[DICT_NR], temps[DICT_NR];
	struct pool pool[DICT_NR];
	struct node **table; /* our own, by what they are made of */
	size_t nslots, nours;
	struct node *free_paths; /* by `next` */
	void **chunks;		 /* that paths are made of */
	size_t nchunks, cap_chunks;
	struct nodes changed, folds; /* folds: what stands for others, and comes again */
	struct watched watched;
	uint32_t watch, beat, round, apart; /* serials */
	struct node *folded;   /* the frame "[folded]" */
	struct node *nameless; /* the string "[nameless]" */
	struct slice *out;    /* the slice under work */
	bool lines, lines_begin; /* frames stand for lines; from the next slice on */
	bool failed;
};

/* Its id on the wire, 0: it was not said, or before thin_restart. */
static inline uint32_t node_said_as(const struct thin *t, const struct node *n)
{
	return n->round == t->round ? n->wire : 0;
}

static inline struct node *node_hold(struct node *n)
{
	if (n)
		n->refs++;
	return n;
}

/* One that refers to nothing, held for the caller. */
struct node *node_create(struct thin *t, enum dict_kind kind);

/* What tells two frames of ours apart beside what they refer to; of other kinds zeros. */
struct traits {
	uint32_t flags, level, line;
};

/* The one that is made of this, a new one where there is none: held for the caller. */
struct node *node_ours(struct thin *t, enum dict_kind kind, struct node *const ref[REFS], struct traits traits);

/* After all nodes. */
void nodes_free_paths(struct thin *t);

/* Held once less; n may be NULL. */
void node_drop(struct thin *t, struct node *n);

/* *to is n from now on, and holds it. */
void node_set(struct thin *t, struct node **to, struct node *n);

/* The other side has to hear of it again. */
void node_change(struct thin *t, struct node *n);

/* The list holds it.  False: out of memory. */
bool nodes_keep(struct nodes *list, struct node *n);

/* Ids on the wire: the smallest that is free; what this slice has freed is free now. */
uint32_t pool_take(struct pool *p);
void pool_settle(struct thin *t);

#endif
