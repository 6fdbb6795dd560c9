/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile - what the functions had in a window, block of time by block: one side of a comparison.
 *
 * It stands alone: the model may go on, or go.  Sums are the window's, as model_rows tells them; the blocks are of
 * what the history still holds, and tell how much a second differs from another.  Functions of one name and one
 * object's base name are one row; so are an object's addresses without a name, which mean nothing in another build.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_COMPARE_PROFILE_H
#define RINGTOP_MODEL_COMPARE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"
#include "model/core/model.h"

#define PROFILE_NAMELESS "[nameless]"

struct intern;

/* A row in a block in which it was met; there may be several of one block. */
struct profile_count {
	uint32_t row, block;
	uint64_t weight;
};

struct profile_object {
	const char *path;  /* raw; "": none */
	uint32_t base;	   /* the id of its base name in bases */
	uint64_t hash;	   /* of that */
	struct build_id build_id;
};

struct profile_row {
	const char *name, *object; /* raw; object: its path in one of the places where it was, "" where there is none */
	uint64_t hash;		   /* of name and base name: what equal ones have in common, in every profile of this process */
	uint64_t weight, samples;
	uint32_t text;	    /* the name's id in the profile's era; 0: it has none */
	uint32_t next;	    /* an older row of that text, + 1 */
	uint32_t in;	    /* of objects */
	uint32_t flags;	    /* enum row_flag */
	uint32_t first, nr; /* of counts, once it is finished; before: first is the newest one's number, from 1 */
};

struct profile_slot {
	uint32_t row; /* + 1; 0: empty */
	uint32_t mark; /* a part of the row's hash */
};

/* Rows by their hash.  One of a model's is made when it is asked for. */
struct profile_index {
	struct profile_slot *slot;
	size_t nr, rows; /* nr: a power of two; rows: that are in it, the first ones */
};

struct profile_block {
	double seconds;
	uint64_t weight; /* of all rows */
	struct window window; /* of the slices that it is made of; empty by hand */
};

struct profile {
	char event[128], unit[16]; /* as session_event's */
	double seconds;
	uint64_t weight, samples; /* attributed: of all rows, hidden ones too */
	uint64_t lost;            /* weight */
	struct profile_row *rows;
	struct profile_block *blocks;
	struct profile_count *counts; /* by row, then by time */
	struct profile_object *objects;
	struct profile_index *index;
	struct profile_text *texts; /* that rows and objects point to */
	struct intern *bases;	    /* of objects */
	uint64_t era;		    /* dict.era, while its ids were those of `text`; 0: of no model */
	uint32_t *by_text;	    /* the newest row of that text, + 1 */
	uint32_t *nameless;	    /* the row of all addresses of that base name, + 1 */
	size_t nrows, nblocks, ncounts, nobjects, ntexts, nbases, cap_rows, cap_blocks, cap_counts, cap_objects;
};

/*
 * Take a window's.  Of the query, event, host, filter and what is hidden count.  0 or -ENOMEM; call profile_clear in either
 * case.
 */
int profile_take(struct model *m, const struct query *q, struct window w, struct profile *p);
void profile_clear(struct profile *p);

/* --- by hand: init, then add and end blocks, then finish.  All 0 or -ENOMEM ------------------ */

int profile_init(struct profile *p);

/* The row's index, made if it is new.  -ENOMEM. */
int64_t profile_row(struct profile *p, const char *name, const char *object);

/* The build that the row is of. */
int profile_build(struct profile *p, size_t row, struct build_id build_id);

/* To the block under way. */
int profile_add(struct profile *p, size_t row, uint64_t weight);
int profile_end_block(struct profile *p, double seconds, uint64_t weight);
int profile_finish(struct profile *p);

/* ------------------------------------------------------------------------------------------------ */

/* Before a profile of a model is asked for rows.  0 or -ENOMEM. */
int profile_index(const struct profile *p);

/* The row's index, or -1. */
int64_t profile_find(const struct profile *p, const char *name, const char *object);

/*
 * p's row that is row of another profile, or -1.  base: p's id of its object's base name, 0: p has none.  Of two of one
 * era p needs no index.
 */
int64_t profile_find_of(const struct profile *p, const struct profile *other, size_t row, uint32_t base);

static inline const struct build_id *profile_build_id(const struct profile *p, const struct profile_row *r)
{
	return &p->objects[r->in].build_id;
}

#endif
