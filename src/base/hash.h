/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash - mixing for hash tables.  Keys (names, addresses, process ids) are chosen by profiled
 * programs, and an attacker who knows how keys are mixed can make any number that collide.  So all
 * mixing uses a secret of this process: multiplied by it, two keys differ in ways that cannot be
 * predicted from outside.
 *
 * A hash means nothing in another process: never write one to a file, nor sort visible rows by it.
 *
 * Threads: any.  The secret is drawn before main and stays.
 */
#ifndef RINGTOP_BASE_HASH_H
#define RINGTOP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hash_secret {
	uint64_t start, factor; /* odd */
};

extern struct hash_secret hash_secret; /* written by tests only */

/* Fold both halves of the product: a difference of keys reaches all bits, as the secret decides. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * Mix a word into a hash with one multiplication: for the hot path.  Exchanging x and h changes the
 * result, so a word mixed with itself is no special case.  Consecutive keys may share slots for
 * some secrets: so hashes for tables are mixed twice, by hash_u64 or because they were mixed
 * before.
 */
static inline uint64_t hash_mix(uint64_t h, uint64_t x)
{
	return hash_fold(h ^ hash_secret.start, x ^ hash_secret.factor);
}

/* Hash a number, mixed twice as tables need it. */
static inline uint64_t hash_u64(uint64_t x)
{
	return hash_mix(hash_mix(0, x), 0);
}

/* Hash len bytes, mixed as tables need it. */
static inline uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = len, w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = hash_mix(h, w);
	}
	w = 0;
	if (len) /* data may be NULL where len is 0 */
		memcpy(&w, p, len);
	return hash_u64(hash_mix(h, w));
}

#endif
