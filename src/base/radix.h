/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * radix - sort many keys faster than by comparisons: one pass over them for each 11 bits in which
 * any two differ.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_RADIX_H
#define RINGTOP_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t value;
};

/*
 * Sort by key, lowest first; the order of equal keys is kept.  spare: room for nr items.  Returns
 * the sorted array: items or spare.
 */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *spare, size_t nr);

/* Map a float to a key with the same order, for any number but NaN. */
static inline uint32_t radix_float(float x)
{
	union {
		float number;
		uint32_t bits;
	} u = {.number = x + 0.0f}; /* -0 is 0 */

	return u.bits & 0x80000000u ? ~u.bits : u.bits | 0x80000000u;
}

#endif
