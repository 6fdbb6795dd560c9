/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire - encode numbers and texts as bytes for another process, and decode them.  Little endian,
 * unaligned.
 *
 * The sender may be hostile: a reader goes on to the end and then checks `failed`; missing or
 * invalid values read as 0 and "".
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_WIRE_H
#define RINGTOP_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Output buffer.  Zeroed: empty.  failed: out of memory, data is incomplete. */
struct wire_out {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

void wire_put(struct wire_out *o, uint64_t n, unsigned bytes); /* the low bytes, up to 8 */

/* Append len bytes without their length, which both sides must know. */
void wire_put_bytes(struct wire_out *o, const void *bytes, size_t len);

void wire_put_text(struct wire_out *o, const char *text); /* NULL: as "" */
void wire_put_err(struct wire_out *o, const struct err *err);
void wire_clear(struct wire_out *o); /* frees data, zeroes o */

struct wire_in {
	const uint8_t *at, *end;
	bool failed;
};

uint64_t wire_get(struct wire_in *in, unsigned bytes); /* up to 8 */

/* Return the next len bytes, borrowed from the input; NULL and failed: fewer are left. */
const void *wire_get_bytes(struct wire_in *in, size_t len);

/* Return the next text, below max bytes, borrowed from the input; "" and failed: it is none. */
const char *wire_get_text(struct wire_in *in, size_t max);

/* Read an error that wire_put_err wrote into *err (or NULL); code 0 if it is invalid. */
void wire_get_err(struct wire_in *in, struct err *err);

/* Read a number of items of `least` bytes or more that follow.  0 and failed: no room for them. */
size_t wire_get_count(struct wire_in *in, size_t least);

#endif
