/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slice/field.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct slice_field *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (x->rest != y->rest)
		return x->rest ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void add(struct slice_field *to, const struct slice_field *from)
{
	if (from->count && (!to->count || from->min < to->min))
		to->min = from->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->count += from->count;
	to->sum += from->sum;
	for (unsigned i = 0; i < SLICE_FIELD_BINS; i++)
		to->hist[i] = UINT32_MAX - to->hist[i] < from->hist[i] ? UINT32_MAX : to->hist[i] + from->hist[i];
}

size_t slice_fields_fold(struct slice_field *fields, size_t nr)
{
	size_t n = 0;

	if (nr)
		qsort(fields, nr, sizeof(*fields), compare);
	for (size_t i = 0; i < nr; i++) {
		if (n && !compare(&fields[n - 1], &fields[i]))
			add(&fields[n - 1], &fields[i]);
		else if (n++ != i)
			fields[n - 1] = fields[i];
	}
	return n;
}

static unsigned bits_of(uint64_t n)
{
	return 64 - (unsigned)__builtin_clzll(n | 1);
}

size_t slice_fields_limit(struct slice_field *fields, size_t nr, size_t most)
{
	size_t by_bits[65] = {0}, room = most;
	unsigned bits = 64;

	nr = slice_fields_fold(fields, nr);
	if (nr <= most)
		return nr;
	for (size_t i = 0; i < nr; i++)
		by_bits[bits_of(fields[i].count)]++;
	while (bits && by_bits[bits] <= room)
		room -= by_bits[bits--];
	/* Of those with so many samples the first ones have room, and none below. */
	for (size_t i = 0; i < nr; i++) {
		struct slice_field *f = &fields[i];

		if (bits_of(f->count) > bits || (bits_of(f->count) == bits && room && room--))
			continue;
		f->rest = true;
		*f->key = '\0';
	}
	return slice_fields_fold(fields, nr);
}
