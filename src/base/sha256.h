/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256 - FIPS 180-4, to check that a file was transferred unchanged: no library in use has it.
 *
 * Threads: one owner of a state.  Allocates: never.
 */
#ifndef RINGTOP_BASE_SHA256_H
#define RINGTOP_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_TEXT  (2 * SHA256_BYTES + 1)

struct sha256 {
	uint32_t h[8];
	uint64_t len; /* bytes added */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t len);

/* Write the sum to out; s needs sha256_init before it is used again. */
void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES]);

/* Return the sum of `bytes` in text, as the hex digits that sha256sum prints. */
char *sha256_text(char text[SHA256_TEXT], const void *bytes, size_t len);

#endif
