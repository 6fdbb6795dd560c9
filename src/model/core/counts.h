/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts - counts by event and one of the dictionary's small ids; a tally without a hash.
 *
 * Entries lie in one array in order of arrival and are found by an array index per event; pointers
 * to them are valid until the next counts_get().  The dictionary entry of an id must stay alive as
 * long as its count (dict.h: collection).  Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_COUNTS_H
#define RINGTOP_MODEL_CORE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/tally.h"

struct counts_index {
	uint32_t *slot; /* by id: index of its entry + 1 */
	size_t cap;
};

struct counts {
	struct tally_entry *entries; /* key: tally_key(event, id) */
	struct counts_index *index;  /* by event */
	size_t nr, cap, nevents;
};

/* Return the entry, or NULL. */
static inline struct tally_entry *counts_find(const struct counts *c, uint32_t event, uint32_t id)
{
	const struct counts_index *x = event < c->nevents ? &c->index[event] : NULL;

	return x && id < x->cap && x->slot[id] ? &c->entries[x->slot[id] - 1] : NULL;
}

/* Make a new entry with zero counts.  NULL: out of memory. */
struct tally_entry *counts_make(struct counts *c, uint32_t event, uint32_t id);

/* Return the entry, made with zero counts if new.  NULL: out of memory. */
static inline struct tally_entry *counts_get(struct counts *c, uint32_t event, uint32_t id)
{
	struct tally_entry *e = counts_find(c, event, id);

	return e ? e : counts_make(c, event, id);
}

/* Remove the entries for which drop(arg, entry) is true. */
void counts_remove(struct counts *c, bool (*drop)(void *arg, const struct tally_entry *e),
		   void *arg);

void counts_reset(struct counts *c); /* no entries; keeps its memory */
void counts_clear(struct counts *c); /* frees everything */
size_t counts_bytes(const struct counts *c);

#endif
