/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile - weights of functions in a window, in total and per block of time: one side of a
 * comparison.
 *
 * A profile is a copy: the model may change or be freed.  Its sums are the window's, like those of
 * model_rows(); its blocks cover what the history still holds, and show how much seconds differ.
 * Functions with equal names and object base names share a row; so do an object's addresses without
 * a name, which mean nothing in another build.
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

/* Weight of a row in one block; a row may have several entries for a block. */
struct profile_count {
	uint32_t row, block;
	uint64_t weight;
};

struct profile_object {
	const char *path;  /* raw; "": none */
	uint32_t base;	   /* id of its base name in `bases` */
	uint64_t hash;	   /* of the base name */
	struct build_id build_id;
};

struct profile_row {
	const char *name, *object; /* raw; object: one of its paths, "" if it has none */
	uint64_t hash; /* of name and base name: the same in all profiles of this process */
	uint64_t weight, samples;
	uint32_t text;	    /* the name's id in the profile's era; 0: it has none */
	uint32_t next;	    /* 1 + an older row with the same text; 0: none */
	uint32_t in;	    /* index in `objects` */
	uint32_t flags;	    /* enum row_flag */
	uint32_t first, nr; /* range in `counts`; before profile_finish() first is 1 + the newest */
};

struct profile_slot {
	uint32_t row; /* 1 + the row; 0: empty */
	uint32_t mark; /* part of the row's hash, compared first */
};

/* Hash table of rows.  A profile taken from a model gets one only by profile_index(). */
struct profile_index {
	struct profile_slot *slot;
	size_t nr, rows; /* nr: slots, a power of two; rows: the first so many rows are in it */
};

struct profile_block {
	double seconds;
	uint64_t weight; /* of all rows */
	struct window window; /* of its slices; empty in a profile made by hand */
};

struct profile {
	char event[128], unit[16]; /* copied from session_event */
	double seconds;
	uint64_t weight, samples; /* attributed: all rows, also those the query hides */
	uint64_t lost;            /* weight that was lost */
	struct profile_row *rows;
	struct profile_block *blocks;
	struct profile_count *counts; /* sorted by row, then by time, once finished */
	struct profile_object *objects;
	struct profile_index *index;
	struct profile_text *texts; /* memory of the rows' and objects' texts */
	struct intern *bases;	    /* base names of objects */
	uint64_t era;		    /* dict.era in which `text` ids are valid; 0: made by hand */
	uint32_t *by_text;	    /* by text id: 1 + its newest row */
	uint32_t *nameless;	    /* by base name id: 1 + the row of all its unnamed addresses */
	size_t nrows, nblocks, ncounts, nobjects, ntexts, nbases, cap_rows, cap_blocks, cap_counts,
		cap_objects;
};

/*
 * Fill *p with the window's profile.  The query's event, host, filter and hidden parts are heeded,
 * the rest is not.  0 or -ENOMEM; call profile_clear in either case.
 */
int profile_take(struct model *m, const struct query *q, struct window w, struct profile *p);
void profile_clear(struct profile *p);

/* --- by hand: init, then add and end blocks, then finish.  All 0 or -ENOMEM ------------------ */

/* Make an empty profile. */
int profile_init(struct profile *p);

/* Return the index of the row with this name and object path, added if it is new; -ENOMEM. */
int64_t profile_row(struct profile *p, const char *name, const char *object);

/* Set the build-id of the row's object. */
int profile_build(struct profile *p, size_t row, struct build_id build_id);

/* Add weight to a row in the current block. */
int profile_add(struct profile *p, size_t row, uint64_t weight);

/* End the current block; weight: of all rows. */
int profile_end_block(struct profile *p, double seconds, uint64_t weight);

/* Sort the counts by row.  To be called once, after the last block. */
int profile_finish(struct profile *p);

/* ------------------------------------------------------------------------------------------------
 */

/*
 * Index all rows: needed before profile_find() on a profile that was taken from a model.  0 or
 * -ENOMEM.
 */
int profile_index(const struct profile *p);

/* Return the index of the row with this name and object path, or -1. */
int64_t profile_find(const struct profile *p, const char *name, const char *object);

/*
 * Return the index of p's row that matches `row` of another profile, or -1.  base: the id in
 * p->bases of that row's object base name, 0 if p lacks it.  If both are of one era p needs no
 * index.
 */
int64_t profile_find_of(const struct profile *p, const struct profile *other, size_t row,
			uint32_t base);

/* Return the build-id of a row's object; len 0: unknown. */
static inline const struct build_id *profile_build_id(const struct profile *p,
						      const struct profile_row *r)
{
	return &p->objects[r->in].build_id;
}

#endif
