/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wire.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* --- writing ------------------------------------------------------------------------------ */

void wire_put_bytes(struct wire_out *o, const void *bytes, size_t len)
{
	if (!len || o->failed)
		return;
	if (!vec_reserve(&o->data, &o->cap, o->len + len, 1)) {
		o->failed = true;
		return;
	}
	memcpy(o->data + o->len, bytes, len);
	o->len += len;
}

void wire_put(struct wire_out *o, uint64_t n, unsigned bytes)
{
	n = htole64(n);
	wire_put_bytes(o, &n, bytes);
}

void wire_put_text(struct wire_out *o, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	wire_put(o, len, 4);
	wire_put_bytes(o, text ? text : "", len);
	wire_put(o, 0, 1);
}

void wire_put_err(struct wire_out *o, const struct err *err)
{
	wire_put(o, (uint32_t)err->code, 4);
	wire_put_text(o, err->text);
	wire_put_text(o, err->advice);
}

void wire_clear(struct wire_out *o)
{
	free(o->data);
	*o = (struct wire_out){.len = 0};
}

/* --- reading ------------------------------------------------------------------------------ */

const void *wire_get_bytes(struct wire_in *in, size_t len)
{
	const uint8_t *at = in->at;

	if (in->failed || len > (size_t)(in->end - in->at)) {
		in->failed = true;
		return NULL;
	}
	in->at += len;
	return at;
}

uint64_t wire_get(struct wire_in *in, unsigned bytes)
{
	const void *at = wire_get_bytes(in, bytes);
	uint64_t n = 0;

	if (at)
		memcpy(&n, at, bytes);
	return le64toh(n);
}

const char *wire_get_text(struct wire_in *in, size_t max)
{
	size_t len = wire_get(in, 4);
	const char *text = wire_get_bytes(in, len < SIZE_MAX ? len + 1 : len);

	if (text && len < max && !text[len] && strlen(text) == len)
		return text;
	in->failed = true;
	return "";
}

void wire_get_err(struct wire_in *in, struct err *err)
{
	uint32_t code = (uint32_t)wire_get(in, 4);
	const char *text = wire_get_text(in, sizeof(err->text));
	const char *advice = wire_get_text(in, sizeof(err->advice));

	in->failed |= code >= 4096;
	err_set(err, in->failed ? 0 : (int)code, "%s", text);
	err_advise(err, "%s", advice);
}

size_t wire_get_count(struct wire_in *in, size_t least)
{
	uint64_t nr = wire_get(in, 8);

	if (!in->failed && nr <= (size_t)(in->end - in->at) / least)
		return nr;
	in->failed = true;
	return 0;
}
