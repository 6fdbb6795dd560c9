/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldpaths - call paths in the keys of sums by fields: which keys are shown as one, and what a path consists of.
 *
 * A key's path is one of addresses, whose names may come later.  What is shown are functions, so keys whose paths are
 * the same functions, and the rest of them the same, are one row: the first of them by number stands for all.
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
	uint64_t changes, era, dropped; /* the dictionary's, the keys': what is known holds for these */
	uint64_t *hash;			/* by path: of its functions, 0: not looked at */
	size_t npaths, cap_paths;
	uint32_t *climb; /* paths on the way to one that was looked at */
	size_t cap_climb;
	struct tally groups; /* by hash of path, list and text: `self` is the first key */
	uint32_t *same;	     /* by key: the first that is shown as it is, 0: not looked at */
	size_t nr, cap;	     /* nr 0: no key has a path */
};

/* As keys and names are now.  False: out of memory. */
bool fieldpaths_update(struct fieldpaths *p, const struct dict *d, const struct fieldkeys *k);

/* The key that stands for this one. */
static inline uint32_t fieldpaths_key(const struct fieldpaths *p, uint32_t key)
{
	return key < p->nr && p->same[key] ? p->same[key] : key;
}

void fieldpaths_free(struct fieldpaths *p);
size_t fieldpaths_bytes(const struct fieldpaths *p);

/* Along a path, the leaf first; what is inlined stands before what it is in. */
struct fieldpaths_at {
	uint32_t path;	 /* where to begin; 0: of no frames */
	size_t nr, left; /* zeroed at first */
	uint32_t chain[FRAME_LEVELS_MAX + 1];
};

/* The next function, as it is shown; 0: there is none. */
uint32_t fieldpaths_next(struct fieldpaths_at *at, const struct dict *d);

#endif
