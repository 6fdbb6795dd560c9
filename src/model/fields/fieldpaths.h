/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldpaths - call paths in the keys of sums by fields: which keys share a row, and the functions
 * of a path.
 *
 * A key's path consists of addresses, whose names may come later.  Functions are shown, so keys
 * that differ only in addresses of the same functions share a row: the key met first represents
 * them.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDPATHS_H
#define RINGTOP_MODEL_FIELDS_FIELDPATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"
#include "model/fields/fieldkeys.h"
#include "model/core/tally.h"

struct fieldpaths {
	uint64_t changes, era, dropped; /* states of dictionary and keys that the rest is of */
	uint64_t *hash;			/* by path: hash of its functions; 0: not computed */
	size_t npaths, cap_paths;
	uint32_t *climb; /* scratch: paths from one up to its first known ancestor */
	size_t cap_climb;
	struct tally groups; /* by hash of path, list and text; `self`: the first such key */
	uint32_t *same;	     /* by key: the key that represents it; 0: not computed */
	size_t nr, cap;	     /* nr 0: no key has a path */
};

/* Update p to the present keys and names.  False: out of memory. */
bool fieldpaths_update(struct fieldpaths *p, const struct dict *d, const struct fieldkeys *k);

/* Return the key that represents this one. */
static inline uint32_t fieldpaths_key(const struct fieldpaths *p, uint32_t key)
{
	return key < p->nr && p->same[key] ? p->same[key] : key;
}

void fieldpaths_free(struct fieldpaths *p);
size_t fieldpaths_bytes(const struct fieldpaths *p);

/* Position on a path, leaf first, inlined functions before the one they are in. */
struct fieldpaths_at {
	uint32_t path;	 /* the path to follow; 0: without frames */
	size_t nr, left; /* to be zeroed by the caller */
	uint32_t chain[FRAME_LEVELS_MAX + 1];
};

/* Return the id of the next function, as it is shown; 0: there is none. */
uint32_t fieldpaths_next(struct fieldpaths_at *at, const struct dict *d);

#endif
