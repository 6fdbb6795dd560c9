/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldpack - sums by fields (--by) of a slice as few bytes, for the history: one of 100 000 keys takes some 1.5 MB
 * where slice_field has 50.
 *
 * Rows stand by rising number of their key (fieldkeys.h), each number as a varint: the key less the one before, count,
 * sum, min, max less min, and of the histogram the bins that have any.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDPACK_H
#define RINGTOP_MODEL_FIELDS_FIELDPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/field.h"

/* What samples came to. */
struct fieldsum_row {
	uint32_t key; /* from 1 */
	uint64_t count, sum, min, max;
	uint64_t hist[SLICE_FIELD_BINS];
};

struct fieldpack {
	uint8_t *data;
	size_t len, cap;
	uint32_t nr, last; /* rows, and the key of the last one */
};

void fieldpack_clear(struct fieldpack *p);

/* Behind all others, whose keys are less.  0 or -ENOMEM. */
int fieldpack_put(struct fieldpack *p, const struct fieldsum_row *row);

/* One after the other: zeroed at first. */
struct fieldpack_at {
	size_t at;
	uint32_t key, nr;
};

/* The next one; without `hist` its histogram is not filled in.  False: there is none. */
bool fieldpack_next(const struct fieldpack *p, struct fieldpack_at *at, struct fieldsum_row *row, bool hist);

/* Put all of b's rows to a's.  0, or -ENOMEM with a as it was. */
int fieldpack_add(struct fieldpack *a, const struct fieldpack *b);

/* Room that is not used goes back. */
void fieldpack_trim(struct fieldpack *p);

void fieldsum_add(struct fieldsum_row *to, const struct fieldsum_row *from); /* but for the key */

#endif
