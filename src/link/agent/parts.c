/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/parts.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

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

	if (!vec_reserve(&to->rows, &to->cap_rows, nr, sizeof(*to->rows)))
		return -ENOMEM;
	if (nr)
		memcpy(to->rows, s->rows, nr * sizeof(*s->rows));
	to->nrows = nr;
	s->nrows -= nr;
	if (nr)
		memmove(s->rows, s->rows + nr, s->nrows * sizeof(*s->rows));
	return 0;
}

/* Changes go first: rows may refer to what they define. */
static void move_changes(struct slice *to, struct slice *s)
{
	to->changes = s->changes;
	to->nchanges = s->nchanges;
	to->cap_changes = s->cap_changes;
	to->between = s->between;
	s->between = NULL;
	to->lists = s->lists;
	to->nlists = s->nlists;
	to->cap_lists = s->cap_lists;
	s->changes = NULL;
	s->lists = NULL;
	s->nchanges = s->cap_changes = s->nlists = s->cap_lists = 0;
}

static int fill_part_of_slice(struct slice *to, struct slice *s)
{
	size_t left = PARTS_ITEMS;
	int ret = 0;

	move_changes(to, s);

	for (int k = 0; k < DICT_NR && left && !ret; k++)
		ret = move_entries(to, s, k, &left);
	if (!ret)
		ret = move_first_rows(to, s, left);
	if (!ret && s->ncodes > 1)
		ret = slice_add_code(to, s->codes[--s->ncodes]);
	return ret;
}

bool parts_take(struct slice *s, struct slice **part, int *ret)
{
	size_t all = weight_all(s);
	uint64_t length = s->end - s->start;

	*ret = 0;
	if (all <= PARTS_ITEMS && s->ncodes <= 1)
		return false;
	*part = slice_create();
	*ret = *part ? fill_part_of_slice(*part, s) : -ENOMEM;
	if (*ret) {
		slice_free(*part);
		return false;
	}
	(*part)->start = s->start;
	(*part)->end = s->start += length / (all / PARTS_ITEMS + 2);
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
