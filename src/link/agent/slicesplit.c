/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/slicesplit.h"

#include <errno.h>
#include <string.h>

#include "core/slice/sliceparts.h"

#define ITEM_BYTES 32 /* of a text that count as one item */

static size_t weight(const struct slice *s, enum dict_kind kind, size_t i)
{
	return kind == DICT_STRING ? 1 + s->dict.strings[i].len / ITEM_BYTES : 1;
}

static size_t weight_all(const struct slice *s)
{
	size_t all = s->nrows;

	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < s->dict.nr[k]; i++)
			all += weight(s, k, i);
	return all;
}

/* Move the first entries of a kind, as many as fit. */
static int move_entries(struct slice *to, struct slice *s, enum dict_kind kind, size_t *left)
{
	size_t size = dict_shapes[kind].size, nr = 0;
	char *entries = dict_entries(&s->dict, kind);
	struct dict_delta *d = &s->dict;

	while (nr < d->nr[kind] && *left >= weight(s, kind, nr))
		*left -= weight(s, kind, nr++);
	if (nr < d->nr[kind])
		*left = 0; /* later kinds may refer to the remaining entries */
	for (size_t i = 0; i < nr; i++)
		if (slice_upsert(to, kind, entries + i * size))
			return -ENOMEM;
	for (size_t i = 0; kind == DICT_STRING && i < nr; i++)
		free((char *)d->strings[i].text);
	d->nr[kind] -= nr;
	if (nr)
		memmove(entries, entries + nr * size, d->nr[kind] * size);
	return 0;
}

static int move_first_rows(struct slice *to, struct slice *s, size_t left)
{
	size_t nr = left < s->nrows ? left : s->nrows;

	if (part_add_all(to, PART_ROWS, s->rows, nr))
		return -ENOMEM;
	s->nrows -= nr;
	if (nr)
		memmove(s->rows, s->rows + nr, s->nrows * sizeof(*s->rows));
	return 0;
}

static int move_definitions(struct slice *to, struct slice *s)
{
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		if (!(p->flags & PART_DEFINES))
			continue;
		if (!part_reserve(to, s, p))
			return -ENOMEM;
		part_append(to, s, p);
	}
	return 0;
}

static int fill_part_of_slice(struct slice *to, struct slice *s)
{
	size_t left = SLICESPLIT_ITEMS;
	int ret = move_definitions(to, s);

	for (int k = 0; k < DICT_NR && left && !ret; k++)
		ret = move_entries(to, s, k, &left);
	if (!ret)
		ret = move_first_rows(to, s, left);
	if (!ret && s->ncodes > 1)
		ret = slice_add_code(to, s->codes[--s->ncodes]);
	return ret;
}

bool slicesplit_take(struct slice *s, struct slice **part, int *ret)
{
	size_t all = weight_all(s);
	uint64_t length = s->end - s->start;

	*ret = 0;
	if (all <= SLICESPLIT_ITEMS && s->ncodes <= 1)
		return false;
	*part = slice_create();
	*ret = *part ? fill_part_of_slice(*part, s) : -ENOMEM;
	if (*ret) {
		slice_free(*part);
		return false;
	}
	(*part)->start = s->start;
	(*part)->end = s->start += length / (all / SLICESPLIT_ITEMS + 2);
	(*part)->wall = s->wall - (s->end - s->start);
	(*part)->self = (struct slice_self){.rss_bytes = s->self.rss_bytes,
					    .budget_bytes = s->self.budget_bytes,
					    .budget_limit = s->self.budget_limit,
					    .loading = s->self.loading,
					    .table_capacity = s->self.table_capacity,
					    .queued = s->self.queued};
	(*part)->recording = s->recording;
	memcpy((*part)->helpers, s->helpers, sizeof(s->helpers));
	return true;
}
