/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/readings.h"

#include <string.h>

#include "base/budget.h"
#include "base/hash.h"

#define FIRST_SLOTS 64

static struct reading *find_reading(const struct readings *r, uint64_t id, uint32_t tid)
{
	size_t at = hash_u64(hash_mix(id, tid)) & (r->slots - 1);

	while (r->slot[at].id && (r->slot[at].id != id || r->slot[at].tid != tid))
		at = (at + 1) & (r->slots - 1);
	return &r->slot[at];
}

static bool grow_readings(struct readings *r)
{
	struct readings wider = {
		.slots = r->slots ? 2 * r->slots : FIRST_SLOTS, .used = r->used, .gap = r->gap};

	if (wider.slots / 2 > READINGS_MOST)
		return false;
	wider.slot = budget_zalloc(NULL, BUDGET_NAMES, wider.slots, sizeof(*wider.slot));
	if (!wider.slot)
		return false;
	for (size_t i = 0; i < r->slots; i++)
		if (r->slot[i].id)
			*find_reading(&wider, r->slot[i].id, r->slot[i].tid) = r->slot[i];
	budget_free(r->slot);
	*r = wider;
	return true;
}

void readings_gap(struct readings *r)
{
	r->gap++;
}

bool readings_since(struct readings *r, uint64_t id, uint32_t tid, uint64_t value, bool fresh_gap,
		    uint64_t *since, bool *gap)
{
	struct reading *at = r->slots ? find_reading(r, id, tid) : NULL;
	bool fresh = !at || !at->id;

	if (fresh && 2 * (r->used + 1) > r->slots) {
		if (!grow_readings(r))
			return false;
		at = find_reading(r, id, tid);
	}
	if (fresh) {
		*at = (struct reading){.id = id, .tid = tid};
		r->used++;
	}
	*gap = fresh ? fresh_gap : at->gap != r->gap;
	/* The id of a thread that ended is reused, and counts from 0. */
	*since = value < at->value ? value : value - at->value;
	at->value = value;
	at->gap = r->gap;
	return true;
}

uint64_t readings_last(const struct readings *r, uint64_t id, uint32_t tid)
{
	const struct reading *at = r->slots ? find_reading(r, id, tid) : NULL;

	return at && at->id ? at->value : 0;
}

void readings_clear(struct readings *r)
{
	budget_free(r->slot);
	*r = (struct readings){.slots = 0};
}
