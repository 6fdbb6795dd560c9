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
#ifndef RINGTOP_MODEL_PROFILE_H
#define RINGTOP_MODEL_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"
#include "model/model.h"

#define PROFILE_NAMELESS "[nameless]"

struct intern;

/* A row in a block in which it was met; there may be several of one block. */
struct profile_count {
	uint32_t row, block;
	uint64_t weight;
};

struct profile_row {
	const char *name, *object; /* raw; object: its path in one of the places where it was, "" where there is none */
	struct build_id build_id;
	uint32_t path;  /* the id of object in names */
	uint32_t flags; /* enum row_flag */
	uint64_t weight, samples;
	size_t first, nr; /* of counts, once it is finished; before: first is the newest one's number, from 1 */
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
	struct intern *keys, *names;  /* ids of keys: the row's index + 1; names: of objects */
	size_t nrows, nblocks, ncounts, cap_rows, cap_blocks, cap_counts;
};

/*
 * Take a window's.  Of the query, event, filter and what is hidden count.  0 or -ENOMEM; call profile_clear in either
 * case.
 */
int profile_take(struct model *m, const struct query *q, struct window w, struct profile *p);
void profile_clear(struct profile *p);

/* --- by hand: init, then add and end blocks, then finish.  All 0 or -ENOMEM ------------------ */

int profile_init(struct profile *p);

/* The row's index, made if it is new.  -ENOMEM. */
int64_t profile_row(struct profile *p, const char *name, const char *object);

/* To the block under way. */
int profile_add(struct profile *p, size_t row, uint64_t weight);
int profile_end_block(struct profile *p, double seconds, uint64_t weight);
int profile_finish(struct profile *p);

/* ------------------------------------------------------------------------------------------------ */

/* The row's index, or -1. */
int64_t profile_find(const struct profile *p, const char *name, const char *object);

#endif
