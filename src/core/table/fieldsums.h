/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldsums - a writer's own table of samples grouped by some of their fields: (event, key of
 * words) to the number of samples, and the sum, least, most and histogram of their weights.
 *
 * Fixed memory, touched as it is used.  Samples whose key finds no room are summed up by event, as
 * the rest.
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_CORE_TABLE_FIELDSUMS_H
#define RINGTOP_CORE_TABLE_FIELDSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/table/rawpaths.h"

#define FIELDSUMS_BINS 65 /* bin 0: weight 0; bin i: weights 2^(i-1) to 2^i - 1 */

struct fieldsum {
	uint64_t count, sum, min, max;
	uint64_t time; /* time of the sample that was added last */
	uint32_t hist[FIELDSUMS_BINS];
	uint16_t event, words; /* event; number of words in key */
	uint32_t slot;         /* internal */
	uint64_t key[];
};

struct fieldsums;

/*
 * Create a table of `keys` keys of at most `words` words each, for events below `events`.  `of` is
 * the caller's description of the words, borrowed; fieldsums_of() returns it.  NULL: out of memory.
 */
struct fieldsums *fieldsums_create(unsigned events, unsigned words, unsigned keys, const void *of);
const void *fieldsums_of(const struct fieldsums *f);
void fieldsums_free(struct fieldsums *f);

/*
 * Add a store of call paths, whose numbers keys may hold from now on; it is cleared and freed with
 * the table.  False: out of memory.
 */
bool fieldsums_keep_paths(struct fieldsums *f);
struct rawpaths *fieldsums_paths(const struct fieldsums *f); /* NULL: there is no store */

/*
 * Add a sample whose key has at least one word.  The hot path: a hash, a compare, a few additions.
 */
void fieldsums_add(struct fieldsums *f, unsigned event, const uint64_t *key, unsigned words,
		   uint64_t value, uint64_t time);

/* Add a sample to its event's rest: its key, or a part of it, found no room with the caller. */
void fieldsums_add_rest(struct fieldsums *f, unsigned event, uint64_t value, uint64_t time);

/* Return the i-th key's sums, i from 0 in no particular order; NULL: there are no more. */
const struct fieldsum *fieldsums_at(const struct fieldsums *f, unsigned i);

/* Return the sums of an event's samples that found no room; count 0: all found it. */
const struct fieldsum *fieldsums_rest(const struct fieldsums *f, unsigned event);

void fieldsums_clear(struct fieldsums *f); /* cost: its keys, not its room */

/* Return the link to another table, for lists that callers keep; NULL at first, not used here. */
struct fieldsums **fieldsums_next(struct fieldsums *f);

#endif
