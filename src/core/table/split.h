/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split - the processes whose rows are kept apart by time: in them the meaning of an address or a
 * task has changed within a tick of late, as with plugins that come and go at one place.  All other
 * processes have one row for an address, however often it is sampled in a tick.  Rows of any
 * process are also kept apart if their path goes through kernel code that comes and goes, like BPF
 * programs.
 *
 * A set of hashed bits: a process that only shares a bit with one of these has more rows than it
 * needs, and no other harm.
 *
 * Threads: split_epoch on any, at any time; it costs two loads while nothing is set.  split_set and
 * split_set_kernel on one.  No other data is published by them, so all accesses are relaxed.
 */
#ifndef RINGTOP_CORE_TABLE_SPLIT_H
#define RINGTOP_CORE_TABLE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/atomics.h"

#define SPLIT_BITS  4096u
#define SPLIT_SHIFT 15 /* 2^15 ns, 33 us, share a row; epochs repeat after 2 s, in another
			* generation */

struct split { /* zeroed: no process */
	uint64_t any;                    /* shared: number of processes */
	uint64_t low, high;              /* shared: bounds of changed kernel code; equal: none */
	uint64_t bits[SPLIT_BITS / 64]; /* shared */
};

static inline unsigned split_bit(uint32_t pid)
{
	return pid * 2654435769u >> 20; /* the high 12 bits */
}

/*
 * Return true if one of the addresses is in the kernel code that changes.  A mixture of old and new
 * bounds does no harm.
 */
static inline bool split_in_kernel(const struct split *s, const uint64_t *ips, size_t nr)
{
	uint64_t low = atomic_load_relaxed(&s->low), high = atomic_load_relaxed(&s->high);

	for (size_t i = 0; low != high && i < nr; i++)
		if (ips[i] >= low && ips[i] <= high) /* a return address may be right behind it */
			return true;
	return false;
}

/* Return true if the process is in the set, or shares a bit with one that is. */
static inline bool split_has(const struct split *s, uint32_t pid)
{
	unsigned bit;

	if (!atomic_load_relaxed(&s->any))
		return false;
	bit = split_bit(pid);
	return atomic_load_relaxed(&s->bits[bit / 64]) >> bit % 64 & 1;
}

/*
 * Return the part of a row's key that keeps rows apart by time, for a sample of process pid at
 * `time` (ns) with a path of these addresses.  0: the row need not be kept apart.
 */
static inline uint16_t split_epoch(const struct split *s, uint32_t pid, uint64_t time,
				   const uint64_t *ips, size_t nr)
{
	return split_has(s, pid) || split_in_kernel(s, ips, nr) ? (uint16_t)(time >> SPLIT_SHIFT)
								: 0;
}

/* Replace the set by these processes; readers may take a moment to see it. */
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

/* Set the bounds of the kernel code that changes, both included; low == high: none. */
static inline void split_set_kernel(struct split *s, uint64_t low, uint64_t high)
{
	atomic_store_relaxed(&s->low, low);
	atomic_store_relaxed(&s->high, high);
}

#endif
