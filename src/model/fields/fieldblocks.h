/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldblocks - sums by fields of some slices in a row, kept from one refresh of the screen to the next: of 5 s that move
 * on by one, four need not be added up again.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDBLOCKS_H
#define RINGTOP_MODEL_FIELDS_FIELDBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"

#define FIELD_BLOCKS	   8  /* kept at most: a longer window is added up each time */
#define FIELD_BLOCK_SLICES 10 /* in one */

struct fieldblock_row {
	uint64_t count, sum, min, max;
	uint32_t key;
};

struct fieldblock {
	uint64_t start, end; /* of its first slice, of its last one; the same: it is free */
	struct fieldblock_row *row;
	size_t nr, cap;
};

struct fieldblocks {
	struct fieldblock block[FIELD_BLOCKS];
	uint64_t changed; /* what the past has given up until then: keys may stand for others since */
};

void fieldblocks_forget(struct fieldblocks *b); /* keeps its memory */
void fieldblocks_free(struct fieldblocks *b);

/* That begins there and ends by then; NULL: there is none. */
const struct fieldblock *fieldblocks_find(const struct fieldblocks *b, uint64_t start, uint64_t end);

/* One to fill, of what the window does not need; NULL: it needs all. */
struct fieldblock *fieldblocks_free_one(struct fieldblocks *b, struct window w);

size_t fieldblocks_bytes(const struct fieldblocks *b);

#endif
