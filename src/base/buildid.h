/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildid - the GNU build-id of an ELF file, which tells one build of it from another.
 *
 * Linkers make 8 to 32 bytes; records of perf have room for 20.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_BUILDID_H
#define RINGTOP_BASE_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BUILD_ID_MAX	32
#define BUILD_ID_HEX	(2 * BUILD_ID_MAX + 1)
#define BUILD_ID_RECORD 20 /* in a record of perf */

struct build_id {
	uint8_t len; /* 0: not known */
	uint8_t bytes[BUILD_ID_MAX]; /* zeros behind it: it may be part of a key */
};

/* Copy a build-id; one longer than BUILD_ID_MAX becomes "not known". */
static inline struct build_id build_id_of(const void *bytes, size_t len)
{
	struct build_id id = {.len = len <= BUILD_ID_MAX ? (uint8_t)len : 0};

	if (id.len)
		memcpy(id.bytes, bytes, id.len);
	return id;
}

static inline bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* True if equal, or if either is not known. */
static inline bool build_id_fits(const struct build_id *a, const struct build_id *b)
{
	return !a->len || !b->len || build_id_equal(a, b);
}

#endif
