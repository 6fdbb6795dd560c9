/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A field's length stands before it but is known after it: protobuf_close moves the contents. */
#include "base/protobuf.h"

#include <string.h>

#define VARINT_MAX 10u /* bytes */
#define FIELD_MAX  ((1u << 29) - 1)

/* --- writing ------------------------------------------------------------------------------ */

static size_t make_varint(uint8_t buf[VARINT_MAX], uint64_t n)
{
	size_t len = 0;

	for (; n >= 0x80; n >>= 7)
		buf[len++] = (uint8_t)(n | 0x80);
	buf[len++] = (uint8_t)n;
	return len;
}

void protobuf_put_varint(struct wire_out *o, uint64_t n)
{
	uint8_t buf[VARINT_MAX];

	wire_put_bytes(o, buf, make_varint(buf, n));
}

static void put_tag(struct wire_out *o, unsigned field, enum protobuf_type type)
{
	protobuf_put_varint(o, (uint64_t)field << 3 | type);
}

void protobuf_put_uint(struct wire_out *o, unsigned field, uint64_t n)
{
	if (!n)
		return;
	put_tag(o, field, PROTOBUF_VARINT);
	protobuf_put_varint(o, n);
}

void protobuf_put_fixed32(struct wire_out *o, unsigned field, uint32_t n)
{
	if (!n)
		return;
	put_tag(o, field, PROTOBUF_FIXED32);
	wire_put(o, n, 4);
}

void protobuf_put_bytes(struct wire_out *o, unsigned field, const void *data, size_t len)
{
	put_tag(o, field, PROTOBUF_BYTES);
	protobuf_put_varint(o, len);
	wire_put_bytes(o, data, len);
}

size_t protobuf_open(struct wire_out *o, unsigned field)
{
	put_tag(o, field, PROTOBUF_BYTES);
	return o->len;
}

void protobuf_close(struct wire_out *o, size_t opened)
{
	uint8_t buf[VARINT_MAX];
	size_t len = o->len - opened, head = make_varint(buf, len);

	wire_put_bytes(o, buf, head); /* only makes room */
	if (o->failed)
		return;
	memmove(o->data + opened + head, o->data + opened, len);
	memcpy(o->data + opened, buf, head);
}

/* --- reading ------------------------------------------------------------------------------ */

uint64_t protobuf_get_varint(struct wire_in *in)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < VARINT_MAX && !in->failed && in->at < in->end; i++) {
		uint8_t byte = *in->at++;

		n |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80 && (i < VARINT_MAX - 1 || byte < 2))
			return n;
	}
	in->failed = true;
	return 0;
}

static bool get_value(struct wire_in *in, struct protobuf_field *f)
{
	uint64_t len = 0;

	if (f->type == PROTOBUF_VARINT)
		f->n = protobuf_get_varint(in);
	else if (f->type == PROTOBUF_FIXED64 || f->type == PROTOBUF_FIXED32)
		f->n = wire_get(in, f->type == PROTOBUF_FIXED64 ? 8 : 4);
	else if (f->type != PROTOBUF_BYTES)
		in->failed = true;
	else
		len = protobuf_get_varint(in);
	f->bytes.at = wire_get_bytes(in, len);
	if (f->bytes.at)
		f->bytes.end = f->bytes.at + len;
	return f->bytes.at;
}

bool protobuf_next(struct wire_in *in, struct protobuf_field *f)
{
	uint64_t tag;

	*f = (struct protobuf_field){.nr = 0};
	if (in->failed || in->at == in->end)
		return false;
	tag = protobuf_get_varint(in);
	f->nr = (unsigned)(tag >> 3);
	f->type = tag & 7;
	in->failed |= tag >> 3 > FIELD_MAX || !f->nr;
	return get_value(in, f);
}

size_t protobuf_count(const struct wire_in *in)
{
	size_t nr = 0;

	for (const uint8_t *at = in->at; at < in->end; at++)
		nr += *at < 0x80;
	return nr;
}
