/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkmutate - mutations that know what a frame of a link is: the bytes in one change, and its length and checksum are
 * made right again.
 */
#ifndef RINGTOP_TESTS_FUZZ_LINKMUTATE_H
#define RINGTOP_TESTS_FUZZ_LINKMUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/fuzz/must.h"
#include "link/wire/link.h"

#define LINKMUTATE_FRAMES 256

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static inline uint32_t linkmutate_number(const uint8_t *at)
{
	uint32_t n;

	memcpy(&n, at, 4);
	return n;
}

static inline void linkmutate_put(uint8_t *at, uint32_t n)
{
	memcpy(at, &n, 4);
}

/* Where the nth frame from `first` on begins, counted round; size: there is none. */
static inline size_t linkmutate_frame(const uint8_t *data, size_t size, size_t first, unsigned nth)
{
	size_t starts[LINKMUTATE_FRAMES], at = first;
	unsigned nr = 0;

	while (nr < LINKMUTATE_FRAMES && at + LINK_HEAD <= size && linkmutate_number(data + at) <= size - at - LINK_HEAD) {
		starts[nr++] = at;
		at += LINK_HEAD + linkmutate_number(data + at);
	}
	return nr ? starts[nth % nr] : size;
}

/* For LLVMFuzzerCustomMutator; what stands before `first` is no frame. */
static inline size_t linkmutate(uint8_t *data, size_t size, size_t max, unsigned seed, size_t first)
{
	size_t at = seed % 16 ? linkmutate_frame(data, size, first, seed / 16) : size, len, was, rest;
	uint8_t *payload = data + at + LINK_HEAD, *copy;

	if (at == size)
		return LLVMFuzzerMutate(data, size, max);
	was = linkmutate_number(data + at);
	rest = size - at - LINK_HEAD - was;
	copy = malloc(was + 64);
	must(copy != NULL);
	memcpy(copy, payload, was);
	len = LLVMFuzzerMutate(copy, was, was + 64);
	if (size - was + len <= max) {
		memmove(payload + len, payload + was, rest);
		memcpy(payload, copy, len);
		size = size - was + len;
		linkmutate_put(data + at, (uint32_t)len);
		linkmutate_put(data + at + 8, (uint32_t)crc32(crc32(0, data + at + 4, 4), payload, (uInt)len));
	}
	free(copy);
	return size;
}

#endif
