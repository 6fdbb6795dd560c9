/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldblocks - cached sums by fields of consecutive slices, kept between refreshes of the screen:
 * of a window of 5 s that moves on by one, four seconds need not be summed again.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDBLOCKS_H
#define RINGTOP_MODEL_FIELDS_FIELDBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"

#define FIELD_BLOCKS	   8  /* blocks at most: what does not fit is summed each time */
#define FIELD_BLOCK_SLICES 10 /* slices of a block */

struct fieldblock_row {
	uint64_t count, sum, min, max;
	uint32_t key;
};

struct fieldblock {
	uint64_t start, end; /* start of its first slice, end of its last; equal: block is free */
	struct fieldblock_row *row;
	size_t nr, cap;
};

struct fieldblocks {
	struct fieldblock block[FIELD_BLOCKS];
	uint64_t changed; /* merged slices + folded keys so far; on a change all blocks are stale */
};

/* Mark all blocks free, and keep their memory. */
void fieldblocks_forget(struct fieldblocks *b);
void fieldblocks_free(struct fieldblocks *b);

/* Return the block that begins at `start` and ends no later than `end`; NULL: none. */
const struct fieldblock *fieldblocks_find(const struct fieldblocks *b, uint64_t start,
					  uint64_t end);

/* Free a block that the window does not use, and return it to be filled; NULL: it uses all. */
struct fieldblock *fieldblocks_free_one(struct fieldblocks *b, struct window w);

/* Return the memory in use. */
size_t fieldblocks_bytes(const struct fieldblocks *b);

#endif
