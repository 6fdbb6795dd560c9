/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/fieldrows.h"

#include <string.h>

#include "base/vec.h"
#include "proc/procscan.h"
#include "table/fieldsums.h"

_Static_assert(SLICE_FIELD_BINS == FIELDSUMS_BINS, "one is a copy of the other");

struct names {
	struct resolver *resolver;
	char comm[COMM_LEN];
};

/* Who is from before us is asked at once: what is summed up is told once, and under no other name later. */
static const char *comm_of(void *arg, uint32_t tid, uint64_t time)
{
	struct names *n = arg;
	const char *comm = resolver_comm(n->resolver, (pid_t)tid, time);

	if (!comm && procscan_comm((pid_t)tid, (pid_t)tid, n->comm))
		comm = n->comm;
	return comm;
}

static void add(const struct tracefields *f, const struct fieldsum *from, bool rest, struct resolver *names,
		struct slice *s)
{
	struct slice_field *to = &s->fields[s->nfields++];
	char key[TRACEKEY_WORDS * sizeof(uint64_t) * 4 + 1];

	*to = (struct slice_field){.event = from->event, .rest = rest, .count = from->count, .sum = from->sum,
				   .min = from->min, .max = from->max};
	memcpy(to->hist, from->hist, sizeof(to->hist));
	if (rest)
		return;
	tracekey_text(tracefields_key(f, from->event), from->key, from->time,
		      &(struct tracekey_comms){comm_of, &(struct names){.resolver = names}}, key, sizeof(key));
	memcpy(to->key, key, strnlen(key, sizeof(to->key) - 1));
	if (strlen(key) >= sizeof(to->key))
		memcpy(to->key + sizeof(to->key) - 4, "...", 4);
}

void fieldrows_add(const struct tracefields *f, struct reader *r, struct resolver *names, struct slice *s)
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
		add(f, fieldsums_at(sums, i), false, names, s);
	for (unsigned i = 0; i < nevents; i++)
		if (fieldsums_rest(sums, i)->count)
			add(f, fieldsums_rest(sums, i), true, names, s);
	reader_fields_taken(r);
}
