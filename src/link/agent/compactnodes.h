/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compactnodes - the nodes as which compact.c holds the session's dictionary, and the ids on the
 * wire.
 *
 * There are the session's nodes, one for each of its ids, and added ones, which stand for them on
 * the wire.  A node lives while one of the session's ids or another node refers to it; one that was
 * sent is released on the wire when it goes.  Without memory, a call sets t->failed, and its result
 * is NULL or unchanged.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_COMPACTNODES_H
#define RINGTOP_LINK_AGENT_COMPACTNODES_H

#include "link/agent/compact.h"
#include "link/agent/recentcode.h"
#include "core/slice/idmap.h"

/*
 * Indexes of a node's references, in the order of dict_shapes; the session's paths have one more.
 */
enum {
	REF_PARENT = 0, REF_FRAME = 1, /* of a path */
	REF_LEAF = 2, /* of the session's paths: the added path whose leaf keeps its address */
	REF_OBJECT = 0, REF_SYMBOL = 1, REF_FILE = 2, REF_INNER = 3, /* of a frame */
	REFS = 5 /* of a node, at most */
};

union entry {
	uint32_t id;
	struct dict_string string; /* the node owns the text */
	struct dict_object object;
	struct dict_symbol symbol;
	struct dict_frame frame;
	struct dict_path path;
	struct dict_task task;
};

/*
 * As long as its kind needs, with the entry behind the references.  A path has no entry, only
 * references: its node is one cache line.  There may be ten thousand new paths a second, and
 * visiting them is the main cost of saving.
 */
struct node {
	uint32_t refs;
	uint32_t wire; /* id on the wire; see node_said_as */
	uint32_t round; /* in which it was sent */
	uint32_t seen; /* the slice (its beat), of a symbol the watch, that `count` is of */
	uint32_t count;
	/*
	 * Added nodes: scratch, 1 + index in a list of paths; the session's: the slice of
	 * count_path_samples().
	 */
	uint32_t place;
	uint8_t kind;
	bool changed; /* since it was sent: it is among the changed */
	bool ours;    /* added: it is in the table */
	union {
		struct node *next; /* added: in its slot of the table */
		/* the session's frames and paths: the added node that stands for it */
		struct node *as;
	};
	struct node *ref[];
};

#define PATH_BYTES 64 /* size and alignment of a path's node */

/* Return the node's entry; paths have none. */
static inline union entry *node_entry(const struct node *n)
{
	return (union entry *)(void *)((char *)n + sizeof(*n) +
				       dict_shapes[n->kind].nrefs * sizeof(*n->ref));
}

struct nodes {
	struct node **node; /* each with a reference */
	size_t nr, cap;
};

/* Ids on the wire. */
struct pool {
	uint32_t *id; /* free ones */
	size_t nr, cap;
	uint32_t *freed; /* released by this slice: free from the next one on */
	size_t nfreed, cap_freed;
	uint32_t used; /* the highest that was ever used */
};

struct compact {
	struct idmap ids[DICT_NR]; /* struct node * by the session's ids */
	struct pool pool[DICT_NR];
	struct node **table; /* added nodes, by their kind, references and traits */
	size_t nslots, nours;
	struct node *free_paths; /* list by `next` */
	void **chunks;		 /* memory of paths */
	size_t nchunks, cap_chunks;
	struct nodes changed, folds; /* folds: added nodes, kept since they may occur again */
	struct recentcode watched;
	uint32_t watch, beat, round, apart; /* serials */
	struct node *folded;   /* the frame "[folded]" */
	struct node *nameless; /* the string "[nameless]" */
	struct slice *out;    /* the slice under work */
	bool lines, lines_begin; /* frames stand for lines; from the next slice on */
	bool failed;
};

/* Return the node's id on the wire; 0: it was not sent since compact_restart. */
static inline uint32_t node_said_as(const struct compact *t, const struct node *n)
{
	return n->round == t->round ? n->wire : 0;
}

/* Add a reference; n may be NULL. */
static inline struct node *node_hold(struct node *n)
{
	if (n)
		n->refs++;
	return n;
}

/* Create a node without references, held for the caller. */
struct node *node_create(struct compact *t, enum dict_kind kind);

/* Identity of an added frame beside its references; zeros for other kinds. */
struct traits {
	uint32_t flags, level, line;
};

/* Return the added node with this identity, a new one if there is none; held for the caller. */
struct node *node_ours(struct compact *t, enum dict_kind kind, struct node *const ref[REFS],
		       struct traits traits);

/* Free the memory of paths, after all nodes were dropped. */
void nodes_free_paths(struct compact *t);

/* Drop a reference; n may be NULL. */
void node_drop(struct compact *t, struct node *n);

/* Make *to refer to n, and drop its old reference. */
void node_set(struct compact *t, struct node **to, struct node *n);

/* Note that a node has to be sent again, if it was sent. */
void node_change(struct compact *t, struct node *n);

/* Append n to the list, with a reference.  False: out of memory. */
bool nodes_keep(struct nodes *list, struct node *n);

/* Take the smallest free id on the wire. */
uint32_t pool_take(struct pool *p);

/* Make the ids that this slice released free. */
void pool_settle(struct compact *t);

#endif
