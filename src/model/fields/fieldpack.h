/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldpack - compact form of a slice's sums by fields (--by), for the history: 100 000 keys take
 * some 1.5 MB instead of 50 MB as slice_field.
 *
 * Rows are sorted by the number of their key (fieldkeys.h).  Each is a series of varints: the key
 * less the previous one, count, sum, min, max less min, and the histogram's bins that are not 0.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDPACK_H
#define RINGTOP_MODEL_FIELDS_FIELDPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/field.h"

/* Sums over a key's samples. */
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

/* Append a row, whose key must be above all others'.  0 or -ENOMEM. */
int fieldpack_put(struct fieldpack *p, const struct fieldsum_row *row);

/* Position of fieldpack_next(); zeroed to begin with the first row. */
struct fieldpack_at {
	size_t at;
	uint32_t key, nr;
};

/* Read the next row; its histogram only if `hist`.  False: there is none. */
bool fieldpack_next(const struct fieldpack *p, struct fieldpack_at *at, struct fieldsum_row *row,
		    bool hist);

/* Add all of b's rows to a's.  0, or -ENOMEM with a unchanged. */
int fieldpack_add(struct fieldpack *a, const struct fieldpack *b);

/* Give unused memory back. */
void fieldpack_trim(struct fieldpack *p);

/* Add the sums of `from` to those of `to`; the keys are ignored. */
void fieldsum_add(struct fieldsum_row *to, const struct fieldsum_row *from);

#endif
