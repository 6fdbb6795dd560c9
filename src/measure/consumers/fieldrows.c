/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/fieldrows.h"

#include <string.h>

#include "base/text.h"
#include "base/vec.h"

_Static_assert(SLICE_FIELD_BINS == FIELDSUMS_BINS, "one is a copy of the other");

void fieldrows_key(struct slice_field *to, const char *key)
{
	memset(to->key, 0, sizeof(to->key));
	memcpy(to->key, key, strnlen(key, sizeof(to->key) - 1));
	if (strlen(key) >= sizeof(to->key))
		memcpy(to->key + sizeof(to->key) - 4, "...", 4);
}

static uint32_t field_row_path(const struct fieldsums *sums, const struct tracekey *k,
			       const struct fieldsum *from, const struct tracekey_comms *comms)
{
	struct table_row path;

	if (!k->has_path)
		return 0;
	rawpaths_row(fieldsums_paths(sums), tracekey_path(k, from->key), &path);
	return comms->path(comms->arg, &path);
}

static void append_field_row(const struct fieldsums *sums, const struct fieldsum *from, bool rest,
			     const struct tracekey_comms *comms, struct slice *s)
{
	const struct tracefields *f = fieldsums_of(sums);
	struct slice_field *to = &s->fields[s->nfields++];
	char key[TRACEKEY_WORDS * sizeof(uint64_t) * 4 + 1];

	*to = (struct slice_field){.event = from->event,
				   .by = tracefields_number(f, from->event),
				   .rest = rest,
				   .count = from->count,
				   .sum = from->sum,
				   .min = from->min,
				   .max = from->max};
	memcpy(to->hist, from->hist, sizeof(to->hist));
	if (rest)
		return;
	to->path = field_row_path(sums, tracefields_key(f, from->event), from, comms);
	tracekey_text(tracefields_key(f, from->event), from->key, from->time, comms, key,
		      sizeof(key));
	fieldrows_key(to, key);
}

bool fieldrows_add(const struct fieldsums *sums, const struct tracekey_comms *comms,
		   struct slice *s)
{
	const struct tracefields *f = fieldsums_of(sums);
	unsigned nr = 0, nevents = tracefields_events(f);

	while (fieldsums_at(sums, nr))
		nr++;
	if (!vec_reserve(&s->fields, &s->cap_fields, s->nfields + nr + nevents, sizeof(*s->fields)))
		return false;
	for (unsigned i = 0; i < nr; i++)
		append_field_row(sums, fieldsums_at(sums, i), false, comms, s);
	for (unsigned i = 0; i < nevents; i++)
		if (fieldsums_rest(sums, i)->count)
			append_field_row(sums, fieldsums_rest(sums, i), true, comms, s);
	return true;
}

void fieldrows_describe(const struct tracefields *f, unsigned event, const struct event *from,
			struct session_event *to)
{
	text_append(to->weight, sizeof(to->weight), 0, "%s", from->weight ? from->weight : "");
	tracefields_names(f, event, to->by, sizeof(to->by), to->by_kinds);
}

void fieldrows_describe_between(const struct between_plan *plan, struct slice_between *to)
{
	*to = (struct slice_between){.wanted = plan->wanted,
				     .from = (uint16_t)plan->event[BETWEEN_FROM],
				     .to = (uint16_t)plan->event[BETWEEN_TO],
				     .nr = plan->nr};
	text_append(to->key, sizeof(to->key), 0, "%s", plan->key);
}
