/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/fieldrows.h"

#include <string.h>

#include "base/vec.h"
#include "table/fieldsums.h"

_Static_assert(SLICE_FIELD_BINS == FIELDSUMS_BINS, "one is a copy of the other");

static void add(const struct tracefields *f, const struct fieldsum *from, bool rest, struct slice *s)
{
	struct slice_field *to = &s->fields[s->nfields++];
	char key[TRACEKEY_WORDS * sizeof(uint64_t) * 4 + 1];

	*to = (struct slice_field){.event = from->event, .rest = rest, .count = from->count, .sum = from->sum,
				   .min = from->min, .max = from->max};
	memcpy(to->hist, from->hist, sizeof(to->hist));
	if (rest)
		return;
	tracekey_text(tracefields_key(f, from->event), from->key, key, sizeof(key));
	memcpy(to->key, key, strnlen(key, sizeof(to->key) - 1));
	if (strlen(key) >= sizeof(to->key))
		memcpy(to->key + sizeof(to->key) - 4, "...", 4);
}

void fieldrows_add(const struct tracefields *f, struct reader *r, struct slice *s)
{
	const struct fieldsums *sums = reader_report(r)->fields;
	unsigned nr = 0, nevents = 0;

	if (!sums)
		return;
	while (fieldsums_at(sums, nr))
		nr++;
	nevents = tracefields_events(f);
	if (!vec_reserve(&s->fields, &s->cap_fields, s->nfields + nr + nevents, sizeof(*s->fields)))
		return;
	for (unsigned i = 0; i < nr; i++)
		add(f, fieldsums_at(sums, i), false, s);
	for (unsigned i = 0; i < nevents; i++)
		if (fieldsums_rest(sums, i)->count)
			add(f, fieldsums_rest(sums, i), true, s);
	reader_fields_taken(r);
}
