/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * radix - many keys put in order, faster than by comparing them: each is looked at once for every 11 bits in which any
 * two differ.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_RADIX_H
#define RINGTOP_BASE_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t value;
};

/* Lowest key first; of equal ones those that came first.  spare: room for as many.  The result is in either: its address. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *spare, size_t nr);

/* A number's place among others, lowest first; NaN has none. */
static inline uint32_t radix_float(float x)
{
	union {
		float number;
		uint32_t bits;
	} u = {.number = x + 0.0f}; /* -0 is 0 */

	return u.bits & 0x80000000u ? ~u.bits : u.bits | 0x80000000u;
}

#endif
