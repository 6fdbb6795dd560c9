/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf - the encoding of Protocol Buffers, over base/wire.h's bytes.
 *
 * A message is a sequence of fields; a field is a varint of number << 3 | type, and then a value of
 * that type.  Only a message's reader knows what its fields mean; it skips fields that it does not
 * know.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_PROTOBUF_H
#define RINGTOP_BASE_PROTOBUF_H

#include "base/wire.h"

enum protobuf_type { PROTOBUF_VARINT, PROTOBUF_FIXED64, PROTOBUF_BYTES, PROTOBUF_FIXED32 = 5 };

/* --- writing ------------------------------------------------------------------------------ */

void protobuf_put_varint(struct wire_out *o, uint64_t n); /* for a packed field: no number */
void protobuf_put_uint(struct wire_out *o, unsigned field, uint64_t n); /* 0 is left out */
void protobuf_put_fixed32(struct wire_out *o, unsigned field, uint32_t n); /* 0 is left out */
void protobuf_put_bytes(struct wire_out *o, unsigned field, const void *data, size_t len);

/*
 * Enclose all that is put between the two calls in a field, as a message or packed numbers.  May be
 * nested; opened: the result of protobuf_open.
 */
size_t protobuf_open(struct wire_out *o, unsigned field);
void protobuf_close(struct wire_out *o, size_t opened);

/* Map small positive and negative numbers to small unsigned ones, of few bytes: sint32, sint64. */
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
	uint64_t n;           /* value, of the types with a number */
	struct wire_in bytes; /* value of PROTOBUF_BYTES, borrowed from the input */
};

/* Read the next field of a message.  False: no more fields, or no valid one (in->failed). */
bool protobuf_next(struct wire_in *in, struct protobuf_field *f);

uint64_t protobuf_get_varint(struct wire_in *in);

/* Count the varints of a packed field by their last bytes; a truncated one is not counted. */
size_t protobuf_count(const struct wire_in *in);

#endif
