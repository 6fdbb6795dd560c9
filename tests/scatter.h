/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that look like chance and are the same in every run: the finaliser of MurmurHash3 (public domain,
 * Austin Appleby). */
#ifndef RINGTOP_TESTS_SCATTER_H
#define RINGTOP_TESTS_SCATTER_H

#include <stdint.h>

static inline uint64_t scatter(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	x ^= x >> 33;
	return x;
}

#endif
