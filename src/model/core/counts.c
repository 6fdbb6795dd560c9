/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint32_t *entry_slot(struct counts *c, const struct tally_entry *e)
{
	return &c->index[e->key >> 32].slot[(uint32_t)e->key];
}

static bool reserve_event_index(struct counts *c, uint32_t event, uint32_t id)
{
	struct counts_index *x;
	size_t had = c->nevents;

	if (event >= had) {
		if (!vec_reserve(&c->index, &c->nevents, (size_t)event + 1, sizeof(*c->index)))
			return false;
		memset(c->index + had, 0, (c->nevents - had) * sizeof(*c->index));
	}
	x = &c->index[event];
	had = x->cap;
	if (!vec_reserve(&x->slot, &x->cap, (size_t)id + 1, sizeof(*x->slot)))
		return false;
	memset(x->slot + had, 0, (x->cap - had) * sizeof(*x->slot));
	return true;
}

struct tally_entry *counts_make(struct counts *c, uint32_t event, uint32_t id)
{
	struct tally_entry *e;

	if (!reserve_event_index(c, event, id) || !(e = VEC_ADD(c->entries, c->nr, c->cap)))
		return NULL;
	e->key = tally_key(event, id);
	*entry_slot(c, e) = (uint32_t)c->nr;
	return e;
}

void counts_remove(struct counts *c, bool (*drop)(void *, const struct tally_entry *), void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nr; i++) {
		uint32_t *slot = entry_slot(c, &c->entries[i]);

		if (drop(arg, &c->entries[i])) {
			*slot = 0;
			continue;
		}
		if (kept != i)
			c->entries[kept] = c->entries[i];
		*slot = (uint32_t)++kept;
	}
	c->nr = kept;
}

void counts_reset(struct counts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		*entry_slot(c, &c->entries[i]) = 0;
	c->nr = 0;
}

void counts_clear(struct counts *c)
{
	for (size_t i = 0; i < c->nevents; i++)
		free(c->index[i].slot);
	free(c->index);
	free(c->entries);
	*c = (struct counts){0};
}

size_t counts_bytes(const struct counts *c)
{
	size_t bytes = c->cap * sizeof(*c->entries) + c->nevents * sizeof(*c->index);

	for (size_t i = 0; i < c->nevents; i++)
		bytes += c->index[i].cap * sizeof(*c->index[i].slot);
	return bytes;
}
