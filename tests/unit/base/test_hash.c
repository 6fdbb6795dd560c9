/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes of keys that somebody made who knows how they are mixed, but not by what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/hash.h"

#define NR 4096

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* How many slots of a table of as many keys are taken. */
static unsigned slots_taken(const uint64_t hash[NR])
{
	static uint64_t slot[NR];
	unsigned nr = 1;

	for (unsigned i = 0; i < NR; i++)
		slot[i] = hash[i] % NR;
	qsort(slot, NR, sizeof(*slot), by_value);
	for (unsigned i = 1; i < NR; i++)
		nr += slot[i] != slot[i - 1];
	return nr;
}

static uint64_t unshift33(uint64_t x)
{
	return x ^ x >> 33;
}

static uint64_t odd_inverse(uint64_t x)
{
	uint64_t inverse = x;

	for (unsigned i = 0; i < 6; i++)
		inverse *= 2 - x * inverse;
	return inverse;
}

/* The number that the finaliser of MurmurHash3 makes `x` of. */
static uint64_t murmur_key(uint64_t x)
{
	x = unshift33(x) * odd_inverse(0xc4ceb9fe1a85ec53ull);
	x = unshift33(x) * odd_inverse(0xff51afd7ed558ccdull);
	return unshift33(x);
}

/* At random 63 of 100 are taken, whatever the secret. */
static void any_secret(void **state)
{
	const struct hash_secret mine = hash_secret;
	static uint64_t hash[NR];

	(void)state;
	for (unsigned n = 0; n < 300; n++) {
		hash_secret = (struct hash_secret){hash_u64(n) | 1, hash_u64(n + 1000) | 1};
		for (uint64_t i = 0; i < NR; i++)
			hash[i] = hash_u64(i << n % 53);
		assert_true(slots_taken(hash) > NR / 2);
	}
	hash_secret = mine;
}

/* At random 63 of 100 are taken; these keys were all in one slot when the mixing was public. */
static void numbers(void **state)
{
	static uint64_t hash[NR];

	(void)state;
	for (uint64_t i = 0; i < NR; i++)
		hash[i] = hash_u64(murmur_key(i << 32));
	assert_true(slots_taken(hash) > NR / 2);
	for (uint64_t i = 0; i < NR; i++)
		hash[i] = hash_u64(i << 52);
	assert_true(slots_taken(hash) > NR / 2);
	for (uint64_t i = 0; i < NR; i++)
		hash[i] = hash_u64(i);
	assert_true(slots_taken(hash) > NR / 2);
}

/* Two words that cancel what they differ in, whatever the chain began with, were it of odd constants. */
static void cancelled(uint64_t key[24], unsigned nr)
{
	for (unsigned k = 0; k < 12; k++) {
		key[2 * k] = nr >> k & 1 ? 1ull << 63 : 0;
		key[2 * k + 1] = nr >> k & 1 ? 1ull << 63 | 1ull << 31 : 0;
	}
}

static void texts(void **state)
{
	static uint64_t hash[NR];
	uint64_t key[24];

	(void)state;
	for (unsigned i = 0; i < NR; i++) {
		cancelled(key, i);
		hash[i] = hash_bytes(key, sizeof(key));
	}
	assert_true(slots_taken(hash) > NR / 2);
}

static void chains(void **state)
{
	static uint64_t hash[NR];
	uint64_t key[24];

	(void)state;
	for (unsigned i = 0; i < NR; i++) {
		cancelled(key, i);
		hash[i] = 1;
		for (unsigned k = 0; k < 24; k++)
			hash[i] = hash_mix(hash[i], key[k]);
	}
	assert_true(slots_taken(hash) > NR / 2);
}

/* A function of its object's name, and one that is called as another's object. */
static void pairs(void **state)
{
	static uint64_t hash[NR];

	(void)state;
	for (unsigned i = 0; i < NR; i++)
		hash[i] = hash_mix(hash_u64(i), hash_u64(i));
	assert_true(slots_taken(hash) > NR / 2);
	assert_true(hash_mix(1, 2) != hash_mix(2, 1));
}

static void secret_decides(void **state)
{
	const struct hash_secret mine = hash_secret;
	uint64_t number = hash_u64(7), text = hash_bytes("seven", 5), pair = hash_mix(7, 8);

	(void)state;
	assert_true(mine.start & mine.factor & 1);
	assert_true(mine.start >> 32 || mine.factor >> 32);
	hash_secret.start ^= 1ull << 40;
	assert_true(number != hash_u64(7) && text != hash_bytes("seven", 5) && pair != hash_mix(7, 8));
	hash_secret = mine;
	hash_secret.factor ^= 1ull << 40;
	assert_true(number != hash_u64(7) && text != hash_bytes("seven", 5) && pair != hash_mix(7, 8));
	hash_secret = mine;
	assert_true(number == hash_u64(7) && text == hash_bytes("seven", 5) && pair == hash_mix(7, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_secret), cmocka_unit_test(numbers), cmocka_unit_test(texts),
		cmocka_unit_test(chains),
		cmocka_unit_test(pairs), cmocka_unit_test(secret_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
