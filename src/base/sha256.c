/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sha256.h"

#include <endian.h>
#include <string.h>

#include "base/text.h"

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t ror(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const uint8_t block[64])
{
	for (unsigned i = 0; i < 16; i++) {
		memcpy(&w[i], block + 4 * i, 4);
		w[i] = be32toh(w[i]);
	}
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[i - 7] +
		       (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
	}
}

static void compress_block(uint32_t h[8], const uint8_t block[64])
{
	uint32_t w[64], v[8];

	schedule(w, block);
	memcpy(v, h, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t t1 = v[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
		uint32_t t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
	*s = (struct sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *s, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len) {
		size_t have = s->len % 64, take = 64 - have < len ? 64 - have : len;

		memcpy(s->block + have, at, take);
		s->len += take;
		at += take;
		len -= take;
		if (have + take == 64)
			compress_block(s->h, s->block);
	}
}

void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES])
{
	static const uint8_t pad[64] = {0x80};
	uint64_t bits = htobe64(s->len * 8);

	sha256_add(s, pad, 1 + (119 - s->len % 64) % 64);
	sha256_add(s, &bits, sizeof(bits));
	for (unsigned i = 0; i < 8; i++) {
		uint32_t word = htobe32(s->h[i]);

		memcpy(out + 4 * i, &word, 4);
	}
}

char *sha256_text(char text[SHA256_TEXT], const void *bytes, size_t len)
{
	uint8_t out[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, bytes, len);
	sha256_end(&s, out);
	return text_hex(text, out, sizeof(out));
}
