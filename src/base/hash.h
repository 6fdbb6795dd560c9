/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash - mixing for hash tables.  Only hash_keyed is for keys that strangers choose: those of the others
 * can be made to collide by who knows how they mix.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_BASE_HASH_H
#define RINGTOP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The finaliser of MurmurHash3 (public domain, Austin Appleby). */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	x ^= x >> 33;
	return x;
}

/* One multiply per word: for the hot path, finished by hash_u64 or by a table that uses high bits. */
static inline uint64_t hash_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 32);
}

static inline uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0x9ae16a3b2f90404full ^ len, w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = hash_mix(h, w);
	}
	w = 0;
	memcpy(&w, p, len);
	return hash_u64(hash_mix(h, w));
}

struct hash_secret {
	uint64_t start, factor;
};

/* Both halves of the product: what two keys differ in shows in all bits, in ways that the secret decides. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_keyed(const struct hash_secret *k, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = k->start ^ len, w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = hash_fold(h ^ w, k->factor) + k->start;
	}
	w = 0;
	memcpy(&w, p, len);
	return hash_u64(hash_fold(h ^ w, k->factor));
}

#endif
