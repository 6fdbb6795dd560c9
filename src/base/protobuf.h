/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf - the encoding of Protocol Buffers, over base/wire.h's bytes.
 *
 * A message is a sequence of fields; a field is a varint of number << 3 | type, and then what the type says.
 * What a field means only its reader knows; one that it does not know it passes over.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_PROTOBUF_H
#define RINGTOP_BASE_PROTOBUF_H

#include "base/wire.h"

enum protobuf_type { PROTOBUF_VARINT, PROTOBUF_FIXED64, PROTOBUF_BYTES, PROTOBUF_FIXED32 = 5 };

/* --- writing ------------------------------------------------------------------------------ */

void protobuf_put_varint(struct wire_out *o, uint64_t n); /* bare: in a packed field */
void protobuf_put_uint(struct wire_out *o, unsigned field, uint64_t n); /* 0 is the default: nothing */
void protobuf_put_fixed32(struct wire_out *o, unsigned field, uint32_t n); /* 0: nothing */
void protobuf_put_bytes(struct wire_out *o, unsigned field, const void *data, size_t len);

/* A message or packed numbers as a field: all that is put between the two calls.  May be nested. */
size_t protobuf_open(struct wire_out *o, unsigned field);
void protobuf_close(struct wire_out *o, size_t opened);

/* Signed numbers that are small either way take few bytes: sint32, sint64. */
static inline uint64_t protobuf_zigzag(int64_t n)
{
	return (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0);
}

static inline int64_t protobuf_unzigzag(uint64_t n)
{
	return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

/* --- reading ------------------------------------------------------------------------------ */

struct protobuf_field {
	unsigned nr;
	enum protobuf_type type;
	uint64_t n;           /* of the types with a number */
	struct wire_in bytes; /* PROTOBUF_BYTES: where they are */
};

/* The next field of a message.  False: there are no more, or what follows is none (in->failed). */
bool protobuf_next(struct wire_in *in, struct protobuf_field *f);

uint64_t protobuf_get_varint(struct wire_in *in);

/* How many numbers are packed here, if they are whole. */
size_t protobuf_count(const struct wire_in *in);

#endif
