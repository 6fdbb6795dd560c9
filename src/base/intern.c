/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing over ids, keys in one malloc each.  Deleting rebuilds the slots: sweeps are rare
 * and touch everything anyway, and no tombstones can then pile up.  A slot has a part of its key's hash beside the id, so
 * that what is on the way to a key, elsewhere in memory, is not looked at.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct entry {
	char *key; /* NULL: free, and `hash` is the next free id */
	uint64_t hash;
	uint32_t len;
	uint32_t tick;
};

struct slot {
	uint32_t id; /* 0: empty */
	uint32_t mark;
};

struct intern {
	bool budgeted;
	struct budget *budget;
	enum budget_class class;
	struct entry *entries; /* by id; [0] unused */
	struct slot *slots;
	size_t nr, cap;        /* entries: used high-water mark incl. [0], allocated */
	size_t nslots;         /* power of two */
	size_t live, key_bytes;
	uint32_t free_head;
};

#define KEY_OVERHEAD 16 /* malloc's own header and rounding */

static bool take(const struct intern *in, size_t bytes)
{
	return !in->budgeted || budget_take(in->budget, in->class, bytes);
}

static void give(const struct intern *in, size_t bytes)
{
	if (in->budgeted)
		budget_give(in->budget, in->class, bytes);
}

static struct intern *create(struct intern *in)
{
	if (!in)
		return NULL;
	in->nr = 1;
	in->cap = in->nslots = 64;
	if (!take(in, intern_bytes(in))) {
		free(in);
		return NULL;
	}
	in->entries = calloc(in->cap, sizeof(*in->entries));
	in->slots = calloc(in->nslots, sizeof(*in->slots));
	if (!in->entries || !in->slots) {
		intern_free(in);
		return NULL;
	}
	return in;
}

struct intern *intern_create(void)
{
	return create(calloc(1, sizeof(struct intern)));
}

struct intern *intern_create_in(struct budget *b, enum budget_class c)
{
	struct intern *in = calloc(1, sizeof(*in));

	if (in)
		*in = (struct intern){.budgeted = true, .budget = b, .class = c};
	return create(in);
}

void intern_free(struct intern *in)
{
	if (!in)
		return;
	for (size_t i = 1; in->entries && i < in->nr; i++)
		free(in->entries[i].key);
	give(in, intern_bytes(in));
	free(in->entries);
	free(in->slots);
	free(in);
}

static uint32_t mark_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static size_t slot_of(const struct intern *in, uint64_t hash, const void *key, size_t len)
{
	size_t i = hash & (in->nslots - 1);

	for (; in->slots[i].id; i = (i + 1) & (in->nslots - 1)) {
		const struct entry *e = &in->entries[in->slots[i].id];

		if (in->slots[i].mark == mark_of(hash) && e->hash == hash && e->len == len && !memcmp(e->key, key, len))
			break;
	}
	return i;
}

static void put_slot(struct intern *in, size_t slot, uint32_t id, uint64_t hash)
{
	in->slots[slot] = (struct slot){id, mark_of(hash)};
}

static void place_all(struct intern *in)
{
	memset(in->slots, 0, in->nslots * sizeof(*in->slots));
	for (size_t id = 1; id < in->nr; id++) {
		const struct entry *e = &in->entries[id];

		if (e->key)
			put_slot(in, slot_of(in, e->hash, e->key, e->len), (uint32_t)id, e->hash);
	}
}

static bool grow_slots(struct intern *in)
{
	struct slot *slots;

	if ((in->live + 1) * 4 <= in->nslots * 3)
		return true;
	if (!take(in, in->nslots * 2 * sizeof(*slots)))
		return false;
	slots = malloc(in->nslots * 2 * sizeof(*slots));
	if (!slots) {
		give(in, in->nslots * 2 * sizeof(*slots));
		return false;
	}
	free(in->slots);
	give(in, in->nslots * sizeof(*slots));
	in->slots = slots;
	in->nslots *= 2;
	place_all(in);
	return true;
}

static uint32_t new_id(struct intern *in)
{
	uint32_t id = in->free_head;

	if (id) {
		in->free_head = (uint32_t)in->entries[id].hash;
		return id;
	}
	if (in->nr == in->cap) {
		struct entry *e = NULL;

		if (!take(in, in->cap * sizeof(*e)))
			return 0;
		e = realloc(in->entries, in->cap * 2 * sizeof(*e));
		if (!e) {
			give(in, in->cap * sizeof(*e));
			return 0;
		}
		in->entries = e;
		in->cap *= 2;
	}
	return in->nr++;
}

uint32_t intern_get(struct intern *in, const void *key, size_t len, uint32_t tick, bool *fresh)
{
	uint64_t hash = hash_bytes(key, len);
	size_t slot = slot_of(in, hash, key, len);
	struct entry *e;
	uint32_t id = in->slots[slot].id;
	size_t nslots = in->nslots;
	char *copy;

	if (fresh)
		*fresh = !id;
	if (id) {
		in->entries[id].tick = tick;
		return id;
	}
	if (!take(in, len + 1 + KEY_OVERHEAD))
		return 0;
	copy = malloc(len + 1);
	if (!copy || !grow_slots(in) || !(id = new_id(in))) {
		give(in, len + 1 + KEY_OVERHEAD);
		free(copy);
		return 0;
	}
	if (len)
		memcpy(copy, key, len);
	copy[len] = '\0';
	e = &in->entries[id];
	*e = (struct entry){.key = copy, .hash = hash, .len = (uint32_t)len, .tick = tick};
	put_slot(in, in->nslots == nslots ? slot : slot_of(in, hash, key, len), id, hash);
	in->live++;
	in->key_bytes += len + 1;
	return id;
}

uint32_t intern_find(const struct intern *in, const void *key, size_t len)
{
	return in->slots[slot_of(in, hash_bytes(key, len), key, len)].id;
}

uint32_t intern_find_of(const struct intern *in, const struct intern *other, uint32_t id)
{
	const struct entry *e = &other->entries[id];

	return in->slots[slot_of(in, e->hash, e->key, e->len)].id;
}

bool intern_reserve(struct intern *in, size_t keys)
{
	size_t nslots = in->nslots;
	struct entry *entries = keys + 1 > in->cap ? realloc(in->entries, (keys + 1) * sizeof(*entries)) : in->entries;
	struct slot *slots;

	if (!entries)
		return false;
	in->cap = keys + 1 > in->cap ? keys + 1 : in->cap;
	in->entries = entries;
	while ((keys + 1) * 2 > nslots)
		nslots *= 2;
	slots = nslots > in->nslots ? malloc(nslots * sizeof(*slots)) : in->slots;
	if (!slots)
		return false;
	if (slots == in->slots)
		return true;
	free(in->slots);
	in->slots = slots;
	in->nslots = nslots;
	place_all(in);
	return true;
}

const void *intern_key(const struct intern *in, uint32_t id, size_t *len)
{
	if (len)
		*len = in->entries[id].len;
	return in->entries[id].key;
}

uint64_t intern_hash(const struct intern *in, uint32_t id)
{
	return in->entries[id].hash;
}

void intern_touch(struct intern *in, uint32_t id, uint32_t tick)
{
	in->entries[id].tick = tick;
}

uint32_t intern_tick(const struct intern *in, uint32_t id)
{
	return in->entries[id].tick;
}

void intern_sweep(struct intern *in, uint32_t tick, bool (*release)(void *, uint32_t), void *arg)
{
	size_t before = in->live;

	for (uint32_t id = 1; id < in->nr; id++) {
		struct entry *e = &in->entries[id];

		if (!e->key || (int32_t)(e->tick - tick) >= 0)
			continue;
		if (release && !release(arg, id))
			continue;
		in->key_bytes -= e->len + 1;
		give(in, e->len + 1 + KEY_OVERHEAD);
		free(e->key);
		e->key = NULL;
		e->hash = in->free_head;
		in->free_head = id;
		in->live--;
	}
	if (in->live != before)
		place_all(in);
}

size_t intern_count(const struct intern *in)
{
	return in->live;
}

size_t intern_bound(const struct intern *in)
{
	return in->nr;
}

size_t intern_keys(const struct intern *in)
{
	return in->key_bytes;
}

size_t intern_bytes(const struct intern *in)
{
	return in->cap * sizeof(*in->entries) + in->nslots * sizeof(*in->slots) + in->key_bytes +
	       in->live * KEY_OVERHEAD;
}
