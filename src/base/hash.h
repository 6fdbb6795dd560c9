/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash - mixing for hash tables.  What is hashed was chosen by strangers (names, addresses, process ids),
 * and who knows how keys are mixed can make as many as he likes that collide.  So all mixing is by a secret
 * of this process: multiplied by it, two keys differ in ways that nobody outside can foretell.
 *
 * A hash means nothing in another process: never write one to a file, nor sort by it what a person sees.
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

extern struct hash_secret hash_secret; /* to be written by tests only */

/* Both halves of the product: what two keys differ in shows in all bits, in ways that the secret decides. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * One multiplication a word: for the hot path.  Not the same for x and h the other way round, so what is
 * mixed with itself is no special case.  Keys that follow each other may share slots, for some secrets: so
 * what a table takes is mixed twice, by hash_u64 or of what is mixed already.
 */
static inline uint64_t hash_mix(uint64_t h, uint64_t x)
{
	return hash_fold(h ^ hash_secret.start, x ^ hash_secret.factor);
}

static inline uint64_t hash_u64(uint64_t x)
{
	return hash_mix(hash_mix(0, x), 0);
}

static inline uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = len, w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = hash_mix(h, w);
	}
	w = 0;
	if (len) /* of nothing data may be NULL */
		memcpy(&w, p, len);
	return hash_u64(hash_mix(h, w));
}

#endif
