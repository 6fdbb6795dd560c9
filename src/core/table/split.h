/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split - the processes whose rows are kept apart by time: where they are, what an address or a task
 * means has changed within a tick of late, as with plugins that come and go at one place.  All others
 * have one row for an address, however often it is sampled in a tick.  Rows of any process are kept apart
 * so where they go through the kernel's code that comes and goes, as BPF programs do.
 *
 * A set of hashed bits: a process that only shares a bit with one of these has more rows than it
 * needs, and no other harm.
 *
 * Threads: split_epoch on any, at any time, for one load where the set is empty; split_set on one.
 * Nothing is published by it, so all is relaxed.
 */
#ifndef RINGTOP_CORE_TABLE_SPLIT_H
#define RINGTOP_CORE_TABLE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/atomics.h"

#define SPLIT_BITS  4096u
#define SPLIT_SHIFT 15 /* ns: 33 us in which a row is one, again after 2 s, when it is in another generation */

struct split { /* zeroed: nobody */
	uint64_t any;                    /* shared: processes */
	uint64_t low, high;              /* shared: where the kernel's code has changed; low == high: nowhere */
	uint64_t bits[SPLIT_BITS / 64]; /* shared */
};

static inline unsigned split_bit(uint32_t pid)
{
	return pid * 2654435769u >> 20; /* the high 12 bits */
}

/* One of the addresses is in the kernel's code that changes.  A mixture of old and new bounds does no harm. */
static inline bool split_in_kernel(const struct split *s, const uint64_t *ips, size_t nr)
{
	uint64_t low = atomic_load_relaxed(&s->low), high = atomic_load_relaxed(&s->high);

	for (size_t i = 0; low != high && i < nr; i++)
		if (ips[i] >= low && ips[i] <= high) /* a caller's may be the first behind it */
			return true;
	return false;
}

static inline bool split_has(const struct split *s, uint32_t pid)
{
	unsigned bit;

	if (!atomic_load_relaxed(&s->any))
		return false;
	bit = split_bit(pid);
	return atomic_load_relaxed(&s->bits[bit / 64]) >> bit % 64 & 1;
}

/*
 * Return the part of a row's key that keeps rows apart by time: for a row of process pid, of a path of these addresses,
 * and for a sample of that time.
 */
static inline uint16_t split_epoch(const struct split *s, uint32_t pid, uint64_t time, const uint64_t *ips, size_t nr)
{
	return split_has(s, pid) || split_in_kernel(s, ips, nr) ? (uint16_t)(time >> SPLIT_SHIFT) : 0;
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

static inline void split_set_kernel(struct split *s, uint64_t low, uint64_t high)
{
	atomic_store_relaxed(&s->low, low);
	atomic_store_relaxed(&s->high, high);
}

#endif
