/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nameorder - the order of functions by their names, then their objects', kept from one query to
 * the next.
 *
 * Most of 100 000 functions have equal weights, so that their names decide their order; comparing
 * them anew for each refresh of the screen would take most of its time.  Here each new function is
 * put into its place once.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_NAMEORDER_H
#define RINGTOP_MODEL_ROWS_NAMEORDER_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"

/* By function id.  Equal ranks mean equal texts; 0: no rank yet. */
struct nameorder_of {
	uint64_t key;  /* model_function.key that was ranked: ids are reused */
	uint32_t rank; /* by name, then object */
	uint32_t name; /* by name alone */
};

struct nameorder {
	uint32_t *sorted; /* functions */
	size_t nr, cap;
	struct nameorder_of *of;
	size_t cap_of;
	uint64_t collections; /* of the dictionary, at the last ranking */
};

void nameorder_clear(struct nameorder *o);

/*
 * Rank these functions. collections: a number that changes when ids may be reused.  Return 0 or
 * -ENOMEM.
 */
int nameorder_rank(struct nameorder *o, const struct dict *d, uint64_t collections,
		   const uint32_t *functions, size_t nr);

size_t nameorder_bytes(const struct nameorder *o);

#endif
