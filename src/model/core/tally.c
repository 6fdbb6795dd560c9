/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

static size_t key_slot(const struct tally *t, uint64_t key)
{
	size_t i = hash_u64(key) & (t->nslots - 1);

	while (t->slots[i] && t->entries[t->slots[i] - 1].key != key)
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static void rehash_entries(struct tally *t)
{
	memset(t->slots, 0, t->nslots * sizeof(*t->slots));
	for (size_t i = 0; i < t->nr; i++)
		t->slots[key_slot(t, t->entries[i].key)] = (uint32_t)i + 1;
}

static bool reserve_entry(struct tally *t)
{
	size_t nslots = t->nslots ? t->nslots * 2 : 64;
	uint32_t *slots;

	if (!vec_reserve(&t->entries, &t->cap, t->nr + 1, sizeof(*t->entries)))
		return false;
	if ((t->nr + 1) * 3 <= t->nslots * 2)
		return true;
	slots = malloc(nslots * sizeof(*slots));
	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	rehash_entries(t);
	return true;
}

struct tally_entry *tally_find(const struct tally *t, uint64_t key)
{
	size_t i = t->nslots ? key_slot(t, key) : 0;

	return t->nslots && t->slots[i] ? &t->entries[t->slots[i] - 1] : NULL;
}

struct tally_entry *tally_get(struct tally *t, uint64_t key)
{
	struct tally_entry *e = tally_find(t, key);

	if (e)
		return e;
	if (!reserve_entry(t))
		return NULL;
	e = &t->entries[t->nr++];
	*e = (struct tally_entry){.key = key};
	t->slots[key_slot(t, key)] = (uint32_t)t->nr;
	return e;
}

void tally_remove(struct tally *t, bool (*drop)(void *, const struct tally_entry *), void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (!drop(arg, &t->entries[i]))
			t->entries[kept++] = t->entries[i];
	if (kept == t->nr)
		return;
	t->nr = kept;
	rehash_entries(t);
}

void tally_reset(struct tally *t)
{
	t->nr = 0;
	if (t->nslots)
		memset(t->slots, 0, t->nslots * sizeof(*t->slots));
}

void tally_clear(struct tally *t)
{
	free(t->entries);
	free(t->slots);
	*t = (struct tally){0};
}

size_t tally_bytes(const struct tally *t)
{
	return t->cap * sizeof(*t->entries) + t->nslots * sizeof(*t->slots);
}
