/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fields/fieldpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define VARINT_MOST 10u
#define ROW_MOST    (6 * VARINT_MOST + SLICE_FIELD_BINS * (1 + VARINT_MOST)) /* bytes of a row */

void fieldpack_clear(struct fieldpack *p)
{
	free(p->data);
	*p = (struct fieldpack){.nr = 0};
}

static uint8_t *write_varint(uint8_t *to, uint64_t n)
{
	for (; n >= 128; n >>= 7)
		*to++ = (uint8_t)(n | 128);
	*to++ = (uint8_t)n;
	return to;
}

/* Unchecked: the bytes were written by write_varint(). */
static inline const uint8_t *read_varint(const uint8_t *from, uint64_t *n)
{
	*n = *from & 127;
	for (unsigned shift = 7; *from++ & 128; shift += 7)
		*n |= (uint64_t)(*from & 127) << shift;
	return from;
}

int fieldpack_put(struct fieldpack *p, const struct fieldsum_row *row)
{
	uint8_t *to, *nbins;

	if (!vec_reserve(&p->data, &p->cap, p->len + ROW_MOST, 1))
		return -ENOMEM;
	to = write_varint(p->data + p->len, row->key - p->last);
	to = write_varint(to, row->count);
	to = write_varint(to, row->sum);
	to = write_varint(to, row->min);
	to = write_varint(to, row->max - row->min);
	nbins = to++;
	*nbins = 0;
	for (unsigned i = 0; i < SLICE_FIELD_BINS; i++)
		if (row->hist[i]) {
			++*nbins;
			*to++ = (uint8_t)i;
			to = write_varint(to, row->hist[i]);
		}
	p->len = (size_t)(to - p->data);
	p->last = row->key;
	p->nr++;
	return 0;
}

bool fieldpack_next(const struct fieldpack *p, struct fieldpack_at *at, struct fieldsum_row *row,
		    bool hist)
{
	const uint8_t *from = p->data + at->at;
	uint64_t n, more;
	unsigned nbins;

	if (at->nr == p->nr)
		return false;
	from = read_varint(from, &n);
	row->key = at->key += (uint32_t)n;
	from = read_varint(from, &row->count);
	from = read_varint(from, &row->sum);
	from = read_varint(from, &row->min);
	from = read_varint(from, &more);
	row->max = row->min + more;
	if (hist)
		memset(row->hist, 0, sizeof(row->hist));
	for (nbins = *from++; nbins; nbins--) {
		unsigned bin = *from++;

		from = read_varint(from, &n);
		if (hist)
			row->hist[bin] = n;
	}
	at->at = (size_t)(from - p->data);
	at->nr++;
	return true;
}

void fieldsum_add(struct fieldsum_row *to, const struct fieldsum_row *from)
{
	if (from->count && (!to->count || from->min < to->min))
		to->min = from->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->count += from->count;
	to->sum += from->sum;
	for (unsigned i = 0; i < SLICE_FIELD_BINS; i++)
		to->hist[i] += from->hist[i];
}

int fieldpack_add(struct fieldpack *a, const struct fieldpack *b)
{
	struct fieldpack_at ia = {.nr = 0}, ib = {.nr = 0};
	struct fieldsum_row x, y;
	struct fieldpack out = {.nr = 0};
	bool hasx, hasy;
	int ret = 0;

	if (!b->nr)
		return 0;
	hasx = fieldpack_next(a, &ia, &x, true);
	hasy = fieldpack_next(b, &ib, &y, true);
	while ((hasx || hasy) && !ret) {
		bool takex = hasx && (!hasy || x.key <= y.key),
		     takey = hasy && (!hasx || y.key <= x.key);

		if (takex && takey)
			fieldsum_add(&x, &y);
		ret = fieldpack_put(&out, takex ? &x : &y);
		if (takex)
			hasx = fieldpack_next(a, &ia, &x, true);
		if (takey)
			hasy = fieldpack_next(b, &ib, &y, true);
	}
	if (ret) {
		fieldpack_clear(&out);
		return ret;
	}
	fieldpack_clear(a);
	*a = out;
	return 0;
}

void fieldpack_trim(struct fieldpack *p)
{
	uint8_t *data = p->len ? realloc(p->data, p->len) : NULL;

	if (!data)
		return;
	p->data = data;
	p->cap = p->len;
}
