/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally - a hash map from a 64-bit key to counts, for totals and for grouping.
 *
 * Entries lie in one array in order of arrival; pointers to them are valid until the next
 * tally_get().  Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_TALLY_H
#define RINGTOP_MODEL_CORE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	uint64_t key;
	uint64_t self, total, samples;
};

struct tally {
	struct tally_entry *entries;
	uint32_t *slots; /* entry index + 1 */
	size_t nr, cap, nslots;
};

/* Return a key of two 32-bit ids. */
static inline uint64_t tally_key(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/* Return the entry of a key, made with zero counts if new.  NULL: out of memory. */
struct tally_entry *tally_get(struct tally *t, uint64_t key);

/* Return the entry of a key, or NULL. */
struct tally_entry *tally_find(const struct tally *t, uint64_t key);

/* Remove the entries for which drop(arg, entry) is true. */
void tally_remove(struct tally *t, bool (*drop)(void *arg, const struct tally_entry *e), void *arg);

void tally_reset(struct tally *t); /* no entries; keeps its memory */
void tally_clear(struct tally *t); /* frees everything */
size_t tally_bytes(const struct tally *t);

#endif
