/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split - the processes whose rows are kept apart by time: where they are, what an address or a task
 * means has changed within a tick of late, as with plugins that come and go at one place.  All others
 * have one row for an address, however often it is sampled in a tick.
 *
 * A set of hashed bits: a process that only shares a bit with one of these has more rows than it
 * needs, and no other harm.
 *
 * Threads: split_epoch on any, at any time, for one load where the set is empty; split_set on one.
 * Nothing is published by it, so all is relaxed.
 */
#ifndef RINGTOP_TABLE_SPLIT_H
#define RINGTOP_TABLE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/atomics.h"

#define SPLIT_BITS  4096u
#define SPLIT_SHIFT 15 /* ns: 33 us in which a row is one, again after 2 s, when it is in another generation */

struct split { /* zeroed: nobody */
	uint64_t any;                    /* shared */
	uint64_t bits[SPLIT_BITS / 64]; /* shared */
};

static inline unsigned split_bit(uint32_t pid)
{
	return pid * 2654435769u >> 20; /* the high 12 bits */
}

/* What goes into the key of a row of process pid for a sample of that time. */
static inline uint16_t split_epoch(const struct split *s, uint32_t pid, uint64_t time)
{
	unsigned bit;

	if (!atomic_load_relaxed(&s->any))
		return 0;
	bit = split_bit(pid);
	return atomic_load_relaxed(&s->bits[bit / 64]) >> bit % 64 & 1 ? (uint16_t)(time >> SPLIT_SHIFT) : 0;
}

/* These are it from now on; readers may take a moment to see it. */
static inline void split_set(struct split *s, const pid_t *pids, size_t nr)
{
	uint64_t bits[SPLIT_BITS / 64] = {0};

	for (size_t i = 0; i < nr; i++) {
		unsigned bit = split_bit((uint32_t)pids[i]);

		bits[bit / 64] |= 1ull << bit % 64;
	}
	for (size_t i = 0; i < SPLIT_BITS / 64; i++)
		atomic_store_relaxed(&s->bits[i], bits[i]);
	atomic_store_relaxed(&s->any, nr);
}

#endif
