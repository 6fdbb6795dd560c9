/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/field.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

static int compare_field_rows(const void *a, const void *b)
{
	const struct slice_field *x = a, *y = b;

	return COMPARE(x->event, y->event) ?: COMPARE(x->by, y->by) ?: COMPARE(x->rest, y->rest) ?:
	       strcmp(x->key, y->key) ?: COMPARE(x->path, y->path);
}

static void merge_field_row(struct slice_field *to, const struct slice_field *from)
{
	if (from->count && (!to->count || from->min < to->min))
		to->min = from->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->count += from->count;
	to->sum += from->sum;
	for (unsigned i = 0; i < SLICE_FIELD_BINS; i++)
		to->hist[i] = UINT32_MAX - to->hist[i] < from->hist[i]
				      ? UINT32_MAX
				      : to->hist[i] + from->hist[i];
}

/*
 * Sort key of a row, compared by numbers first: a row is 500 bytes, so among 100 000 each look at
 * one is a cache miss.
 */
struct order {
	uint64_t group, begins; /* event, list and rest; the key's first 8 bytes */
	uint32_t path, place;
};

static struct order sort_key_of(const struct slice_field *f, uint32_t place)
{
	struct order o = {(uint64_t)f->event << 32 | (uint32_t)f->by << 16 | f->rest, 0, f->path,
			  place};

	for (unsigned i = 0, end = 0; i < sizeof(o.begins); i++) {
		end |= !f->key[i];
		o.begins = o.begins << 8 | (end ? 0 : (unsigned char)f->key[i]);
	}
	return o;
}

static int compare_sort_keys(const void *a, const void *b, void *fields)
{
	const struct order *x = a, *y = b;
	const struct slice_field *f = fields;
	int order;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins < y->begins ? -1 : 1;
	/* Keys go on beyond these 8 bytes only if the last of them is not 0. */
	order = x->begins & 0xff ? strcmp(f[x->place].key, f[y->place].key) : 0;
	return order ? order : (x->path > y->path) - (x->path < y->path);
}

/* Permute the rows in place into the order given, one cycle of the permutation after the other. */
static void permute_rows(struct slice_field *fields, struct order *order, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct slice_field first = fields[i];
		size_t at = i;

		if (order[i].place == i)
			continue;
		while (order[at].place != i) {
			size_t from = order[at].place;

			fields[at] = fields[from];
			order[at].place = (uint32_t)at;
			at = from;
		}
		fields[at] = first;
		order[at].place = (uint32_t)at;
	}
}

static bool is_sorted(const struct slice_field *fields, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (compare_field_rows(&fields[i - 1], &fields[i]) > 0)
			return false;
	return true;
}

static void sort(struct slice_field *fields, size_t nr)
{
	struct order *order;

	if (is_sorted(fields, nr))
		return;
	order = reallocarray(NULL, nr, sizeof(*order));
	if (!order) {
		qsort(fields, nr, sizeof(*fields), compare_field_rows);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		order[i] = sort_key_of(&fields[i], (uint32_t)i);
	qsort_r(order, nr, sizeof(*order), compare_sort_keys, fields);
	permute_rows(fields, order, nr);
	free(order);
}

size_t slice_fields_fold(struct slice_field *fields, size_t nr)
{
	size_t n = 0;

	sort(fields, nr);
	for (size_t i = 0; i < nr; i++) {
		if (n && !compare_field_rows(&fields[n - 1], &fields[i]))
			merge_field_row(&fields[n - 1], &fields[i]);
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
	/* Keep all keys above that size class, of this class the first `room`, and none below. */
	for (size_t i = 0; i < nr; i++) {
		struct slice_field *f = &fields[i];

		if (bits_of(f->count) > bits || (bits_of(f->count) == bits && room && room--))
			continue;
		f->rest = true;
		f->path = 0;
		*f->key = '\0';
	}
	return slice_fields_fold(fields, nr);
}
