/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fields/fieldblocks.h"

#include <stdlib.h>

void fieldblocks_forget(struct fieldblocks *b)
{
	for (size_t i = 0; i < FIELD_BLOCKS; i++)
		b->block[i].start = b->block[i].end = 0;
}

void fieldblocks_free(struct fieldblocks *b)
{
	for (size_t i = 0; i < FIELD_BLOCKS; i++)
		free(b->block[i].row);
	*b = (struct fieldblocks){.changed = 0};
}

const struct fieldblock *fieldblocks_find(const struct fieldblocks *b, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < FIELD_BLOCKS; i++) {
		const struct fieldblock *k = &b->block[i];

		if (k->end > k->start && k->start == start && k->end <= end)
			return k;
	}
	return NULL;
}

struct fieldblock *fieldblocks_free_one(struct fieldblocks *b, struct window w)
{
	for (size_t i = 0; i < FIELD_BLOCKS; i++) {
		struct fieldblock *k = &b->block[i];

		if (k->end > k->start && k->start >= w.from && k->end <= w.to)
			continue;
		k->start = k->end = 0;
		k->nr = 0;
		return k;
	}
	return NULL;
}

size_t fieldblocks_bytes(const struct fieldblocks *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < FIELD_BLOCKS; i++)
		bytes += b->block[i].cap * sizeof(*b->block[i].row);
	return bytes;
}
