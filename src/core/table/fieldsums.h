/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldsums - a writer's own table of what samples say by some of their fields: (event, key of words) to their number,
 * and sum, least, most and histogram of what they weigh.
 *
 * Fixed memory, touched as it is used.  What finds no room is summed up all the same, by event, as the rest.
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_CORE_TABLE_FIELDSUMS_H
#define RINGTOP_CORE_TABLE_FIELDSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/table/rawpaths.h"

#define FIELDSUMS_BINS 65 /* 0: of 0; i: of 2^(i-1) to 2^i - 1 */

struct fieldsum {
	uint64_t count, sum, min, max;
	uint64_t time; /* of the one that was added last */
	uint32_t hist[FIELDSUMS_BINS];
	uint16_t event, words; /* of the key */
	uint32_t slot;         /* its own affair */
	uint64_t key[];
};

struct fieldsums;

/*
 * `keys` of at most `words` words each, events below `events`; `of` is what knows what the words mean, borrowed.  NULL:
 * out of memory.
 */
struct fieldsums *fieldsums_create(unsigned events, unsigned words, unsigned keys, const void *of);
const void *fieldsums_of(const struct fieldsums *f);
void fieldsums_free(struct fieldsums *f);

/* Keys may hold numbers of call paths from now on, of a store that is cleared and freed with it.  False: out of memory. */
bool fieldsums_keep_paths(struct fieldsums *f);
struct rawpaths *fieldsums_paths(const struct fieldsums *f); /* NULL: they hold none */

/* The hot path, with a key of one word at least: a hash, a compare, a few additions. */
void fieldsums_add(struct fieldsums *f, unsigned event, const uint64_t *key, unsigned words, uint64_t value,
		   uint64_t time);

/* One whose key has no room, in part or whole. */
void fieldsums_add_rest(struct fieldsums *f, unsigned event, uint64_t value, uint64_t time);

/* All keys in it, in no order: NULL from the first number on that there is none of. */
const struct fieldsum *fieldsums_at(const struct fieldsums *f, unsigned i);

/* What found no room of an event; its count is 0 where all did. */
const struct fieldsum *fieldsums_rest(const struct fieldsums *f, unsigned event);

void fieldsums_clear(struct fieldsums *f); /* cost: its keys, not its room */

/* The one behind it in a row of tables; all of it the callers' affair. */
struct fieldsums **fieldsums_next(struct fieldsums *f);

#endif
