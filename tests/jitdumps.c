/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/jitdumps.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

size_t jitdumps_put32(const struct jitdumps *d, uint8_t *to, uint32_t v)
{
	v = d->swapped ? bswap_32(v) : v;
	memcpy(to, &v, sizeof(v));
	return sizeof(v);
}

size_t jitdumps_put64(const struct jitdumps *d, uint8_t *to, uint64_t v)
{
	v = d->swapped ? bswap_64(v) : v;
	memcpy(to, &v, sizeof(v));
	return sizeof(v);
}

void jitdumps_begin(struct jitdumps *d, bool swapped, uint32_t pad, uint64_t flags)
{
	const uint32_t head[] = {0x4a695444, 1, 40, 62, pad, 4242};

	d->len = 0;
	d->swapped = swapped;
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		d->len += jitdumps_put32(d, d->data + d->len, head[i]);
	d->len += jitdumps_put64(d, d->data + d->len, 1);
	d->len += jitdumps_put64(d, d->data + d->len, flags);
}

void jitdumps_record(struct jitdumps *d, uint32_t id, uint64_t time, const void *body, size_t len)
{
	if (d->len + 16 + len > sizeof(d->data))
		abort();
	d->len += jitdumps_put32(d, d->data + d->len, id);
	d->len += jitdumps_put32(d, d->data + d->len, (uint32_t)(16 + len));
	d->len += jitdumps_put64(d, d->data + d->len, time);
	memcpy(d->data + d->len, body, len);
	d->len += len;
}

void jitdumps_load(struct jitdumps *d, uint64_t time, uint64_t addr, uint32_t size, uint8_t fill,
		   uint64_t index, const char *name)
{
	uint8_t body[16384];
	size_t n = 0, len = strlen(name) + 1;

	if (40 + len + size > sizeof(body))
		abort();
	n += jitdumps_put32(d, body + n, 4242);
	n += jitdumps_put32(d, body + n, 4242);
	n += jitdumps_put64(d, body + n, addr);
	n += jitdumps_put64(d, body + n, addr);
	n += jitdumps_put64(d, body + n, size);
	n += jitdumps_put64(d, body + n, index);
	memcpy(body + n, name, len);
	memset(body + n + len, fill, size);
	jitdumps_record(d, 0, time, body, n + len + size);
}

void jitdumps_move(struct jitdumps *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		   uint64_t index)
{
	uint8_t body[48];
	size_t n = 0;

	n += jitdumps_put32(d, body + n, 4242);
	n += jitdumps_put32(d, body + n, 4242);
	n += jitdumps_put64(d, body + n, to);
	n += jitdumps_put64(d, body + n, from);
	n += jitdumps_put64(d, body + n, to);
	n += jitdumps_put64(d, body + n, size);
	n += jitdumps_put64(d, body + n, index);
	jitdumps_record(d, 1, time, body, n);
}

void jitdumps_debug(struct jitdumps *d, uint64_t time, uint64_t addr,
		    const struct jitdumps_line *lines, size_t nr)
{
	uint8_t body[16384];
	size_t n = 0;

	n += jitdumps_put64(d, body + n, addr);
	n += jitdumps_put64(d, body + n, nr);
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(lines[i].file) + 1;

		if (n + 16 + len > sizeof(body))
			abort();
		n += jitdumps_put64(d, body + n, lines[i].addr);
		n += jitdumps_put32(d, body + n, lines[i].line);
		n += jitdumps_put32(d, body + n, lines[i].column);
		memcpy(body + n, lines[i].file, len);
		n += len;
	}
	jitdumps_record(d, 2, time, body, n);
}
