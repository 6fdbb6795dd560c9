/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nameorder - the order of functions by their names, then their objects', kept from one question to the next.
 *
 * Of 100 000 functions most weigh the same, so that their names decide about the order; compared anew for each refresh of
 * the screen they would take most of its time.  Here each new function is put into its place once.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_NAMEORDER_H
#define RINGTOP_MODEL_ROWS_NAMEORDER_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"

/* By function id.  Equal ranks: equal texts.  0: it has none yet. */
struct nameorder_of {
	uint64_t key;  /* model_function.key that it was ranked with: an id may become another's */
	uint32_t rank; /* by name, then object */
	uint32_t name; /* by name alone */
};

struct nameorder {
	uint32_t *sorted; /* functions */
	size_t nr, cap;
	struct nameorder_of *of;
	size_t cap_of;
	uint64_t collections; /* of the dictionary, when it was looked at last */
};

void nameorder_clear(struct nameorder *o);

/* From now on these functions have ranks.  collections: a number that changes when ids are given out anew.  0 or -ENOMEM. */
int nameorder_rank(struct nameorder *o, const struct dict *d, uint64_t collections, const uint32_t *functions, size_t nr);

size_t nameorder_bytes(const struct nameorder *o);

#endif
