/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire - numbers and texts as bytes for another process, and back.  Little endian, nothing aligned.
 *
 * The other side may be hostile: whoever reads goes on to the end and then looks at `failed`; what is not
 * there, or is not what it should be, reads as 0 and "".
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_WIRE_H
#define RINGTOP_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"

/* Zeroed: empty.  failed: there was no memory, and what is there is not all. */
struct wire_out {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

void wire_put(struct wire_out *o, uint64_t n, unsigned bytes); /* the low ones, up to 8 */
void wire_put_bytes(struct wire_out *o, const void *bytes, size_t len); /* as they are: both sides know len */
void wire_put_text(struct wire_out *o, const char *text); /* NULL: as "" */
void wire_put_err(struct wire_out *o, const struct err *err);
void wire_clear(struct wire_out *o); /* frees */

struct wire_in {
	const uint8_t *at, *end;
	bool failed;
};

uint64_t wire_get(struct wire_in *in, unsigned bytes);

/* The next len bytes, where they are; NULL: there are not so many. */
const void *wire_get_bytes(struct wire_in *in, size_t len);

/* The same as a block of b's (or NULL), of one byte at least.  NULL: there are not so many, or no memory. */
void *wire_get_block(struct wire_in *in, struct budget *b, enum budget_class c, size_t len);

/* A text of less than max bytes, where it is; "" and failed: it is none. */
const char *wire_get_text(struct wire_in *in, size_t max);

/* What wire_put_err put, in *err (or NULL): no code where it is none. */
void wire_get_err(struct wire_in *in, struct err *err);

/* A number of things of at least `least` bytes each that follow: as many can be there, or 0 and failed. */
size_t wire_get_count(struct wire_in *in, size_t least);

#endif
