/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing over ids, long keys in one malloc each, short ones in their entries.  Deleting
 * rebuilds the slots: sweeps are rare and touch everything anyway, and no tombstones can then pile
 * up.  A slot has a part of its key's hash beside the id, so that probing rarely touches entries of
 * other keys, elsewhere in memory.  Ticks have an array of their own: marking and sweeping read
 * those of all ids and little else.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define FREE UINT32_MAX

struct entry {
	uint64_t hash;
	uint32_t len; /* FREE: no key, and `hash` is the next free id */
	/* Followed by the key, or by its address. */
};

struct slot {
	uint32_t id; /* 0: empty */
	uint32_t mark;
};

struct intern {
	bool budgeted;
	struct budget *budget;
	enum budget_class class;
	bool is_short;    /* keys are in their entries */
	size_t stride;    /* bytes of an entry with the key or its address */
	char *entries;    /* by id; [0] unused */
	uint32_t *ticks;  /* by id */
	struct slot *slots;
	size_t nr, cap;        /* entries: used high-water mark incl. [0], allocated */
	size_t nslots;         /* power of two */
	size_t live, key_bytes;
	uint32_t free_head;
};

#define KEY_OVERHEAD 16 /* malloc's own header and rounding */

static struct entry *entry_at(const struct intern *in, uint32_t id)
{
	return (struct entry *)(void *)(in->entries + id * in->stride);
}

static char *key_of_entry(const struct intern *in, const struct entry *e)
{
	const char *behind = (const char *)(e + 1);
	char *key;

	if (in->is_short)
		return (char *)(uintptr_t)behind;
	memcpy(&key, behind, sizeof(key));
	return key;
}

/* Bytes that an id takes without its key. */
static size_t id_bytes(const struct intern *in)
{
	return in->stride + sizeof(*in->ticks);
}

/* Bytes that a key takes in an allocation of its own. */
static size_t key_bytes(const struct intern *in, size_t len)
{
	return in->is_short ? 0 : len + 1 + KEY_OVERHEAD;
}

static bool take_memory(const struct intern *in, size_t bytes)
{
	return !in->budgeted || budget_take(in->budget, in->class, bytes);
}

static void give_back_memory(const struct intern *in, size_t bytes)
{
	if (in->budgeted)
		budget_give(in->budget, in->class, bytes);
}

static struct intern *create_table(const struct intern *what)
{
	struct intern *in = malloc(sizeof(*in));

	if (!in)
		return NULL;
	*in = *what;
	in->is_short = in->stride;
	in->stride =
		sizeof(struct entry) + (in->is_short ? (in->stride + 7) / 8 * 8 : sizeof(char *));
	in->nr = 1;
	in->cap = in->nslots = 64;
	if (!take_memory(in, intern_bytes(in))) {
		free(in);
		return NULL;
	}
	in->entries = calloc(in->cap, in->stride);
	in->ticks = calloc(in->cap, sizeof(*in->ticks));
	in->slots = calloc(in->nslots, sizeof(*in->slots));
	if (!in->entries || !in->ticks || !in->slots) {
		intern_free(in);
		return NULL;
	}
	return in;
}

struct intern *intern_create(void)
{
	return create_table(&(struct intern){.nr = 0});
}

struct intern *intern_create_short(size_t most)
{
	return create_table(&(struct intern){.stride = most});
}

struct intern *intern_create_in(struct budget *b, enum budget_class c, size_t most)
{
	return create_table(
		&(struct intern){.budgeted = true, .budget = b, .class = c, .stride = most});
}

void intern_free(struct intern *in)
{
	if (!in)
		return;
	for (uint32_t id = 1; !in->is_short && in->entries && id < in->nr; id++)
		if (entry_at(in, id)->len != FREE)
			free(key_of_entry(in, entry_at(in, id)));
	give_back_memory(in, intern_bytes(in));
	free(in->entries);
	free(in->ticks);
	free(in->slots);
	free(in);
}

static uint32_t mark_of_hash(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static bool entry_has_key(const struct intern *in, const struct entry *e, uint64_t hash,
			  const void *key, size_t len)
{
	return e->hash == hash && e->len == len && !memcmp(key_of_entry(in, e), key, len);
}

static size_t slot_of_key(const struct intern *in, uint64_t hash, const void *key, size_t len)
{
	size_t i = hash & (in->nslots - 1);

	for (; in->slots[i].id; i = (i + 1) & (in->nslots - 1))
		if (in->slots[i].mark == mark_of_hash(hash) &&
		    entry_has_key(in, entry_at(in, in->slots[i].id), hash, key, len))
			break;
	return i;
}

static void put_slot(struct intern *in, size_t slot, uint32_t id, uint64_t hash)
{
	in->slots[slot] = (struct slot){id, mark_of_hash(hash)};
}

/* Fill the slots from the entries; all keys differ, so none is compared. */
static void fill_slots(struct intern *in)
{
	memset(in->slots, 0, in->nslots * sizeof(*in->slots));
	for (uint32_t id = 1; id < in->nr; id++) {
		const struct entry *e = entry_at(in, id);
		size_t i = e->hash & (in->nslots - 1);

		if (e->len == FREE)
			continue;
		while (in->slots[i].id)
			i = (i + 1) & (in->nslots - 1);
		put_slot(in, i, id, e->hash);
	}
}

static bool grow_slots(struct intern *in)
{
	struct slot *slots;

	if ((in->live + 1) * 4 <= in->nslots * 3)
		return true;
	if (!take_memory(in, in->nslots * 2 * sizeof(*slots)))
		return false;
	slots = malloc(in->nslots * 2 * sizeof(*slots));
	if (!slots) {
		give_back_memory(in, in->nslots * 2 * sizeof(*slots));
		return false;
	}
	free(in->slots);
	give_back_memory(in, in->nslots * sizeof(*slots));
	in->slots = slots;
	in->nslots *= 2;
	fill_slots(in);
	return true;
}

/* Make room for `cap` ids.  False: out of memory; entries alone may have grown. */
static bool grow_ids(struct intern *in, size_t cap)
{
	char *entries = realloc(in->entries, cap * in->stride);
	uint32_t *ticks = entries ? realloc(in->ticks, cap * sizeof(*ticks)) : NULL;

	in->entries = entries ? entries : in->entries;
	in->ticks = ticks ? ticks : in->ticks;
	in->cap = ticks ? cap : in->cap;
	return ticks;
}

static uint32_t new_id(struct intern *in)
{
	uint32_t id = in->free_head;

	if (id) {
		in->free_head = (uint32_t)entry_at(in, id)->hash;
		return id;
	}
	if (in->nr == in->cap) {
		size_t more = in->cap * id_bytes(in);

		if (!take_memory(in, more))
			return 0;
		if (!grow_ids(in, in->cap * 2)) {
			give_back_memory(in, more);
			return 0;
		}
	}
	return (uint32_t)in->nr++;
}

/* Allocate room for a long key; short ones get a dummy.  NULL: no memory, or too long. */
static char *key_room(const struct intern *in, size_t len)
{
	char *room;

	if (in->is_short)
		return len <= in->stride - sizeof(struct entry) ? in->entries : NULL;
	if (!take_memory(in, key_bytes(in, len)))
		return NULL;
	room = malloc(len + 1);
	if (!room)
		give_back_memory(in, key_bytes(in, len));
	return room;
}

static void key_drop(const struct intern *in, char *key, size_t len)
{
	if (in->is_short)
		return;
	give_back_memory(in, key_bytes(in, len));
	free(key);
}

static void key_put(const struct intern *in, struct entry *e, char *room, const void *key,
		    size_t len)
{
	char *to = in->is_short ? (char *)(e + 1) : room;

	if (len)
		memcpy(to, key, len);
	if (in->is_short)
		return;
	to[len] = '\0';
	memcpy(e + 1, &to, sizeof(to));
}

uint32_t intern_get(struct intern *in, const void *key, size_t len, uint32_t tick, bool *fresh)
{
	uint64_t hash = hash_bytes(key, len);
	size_t slot = slot_of_key(in, hash, key, len);
	uint32_t id = in->slots[slot].id;
	size_t nslots = in->nslots;
	char *room;

	if (fresh)
		*fresh = !id;
	if (id) {
		in->ticks[id] = tick;
		return id;
	}
	room = key_room(in, len);
	if (!room)
		return 0;
	if (!grow_slots(in) || !(id = new_id(in))) {
		key_drop(in, room, len);
		return 0;
	}
	*entry_at(in, id) = (struct entry){.hash = hash, .len = (uint32_t)len};
	key_put(in, entry_at(in, id), room, key, len);
	in->ticks[id] = tick;
	put_slot(in, in->nslots == nslots ? slot : slot_of_key(in, hash, key, len), id, hash);
	in->live++;
	in->key_bytes += len + 1;
	return id;
}

uint32_t intern_find(const struct intern *in, const void *key, size_t len)
{
	return in->slots[slot_of_key(in, hash_bytes(key, len), key, len)].id;
}

uint32_t intern_find_of(const struct intern *in, const struct intern *other, uint32_t id)
{
	const struct entry *e = entry_at(other, id);

	return in->slots[slot_of_key(in, e->hash, key_of_entry(other, e), e->len)].id;
}

const void *intern_key(const struct intern *in, uint32_t id, size_t *len)
{
	const struct entry *e = entry_at(in, id);

	if (len)
		*len = e->len;
	return e->len == FREE ? NULL : key_of_entry(in, e);
}

uint64_t intern_hash(const struct intern *in, uint32_t id)
{
	return entry_at(in, id)->hash;
}

void intern_touch(struct intern *in, uint32_t id, uint32_t tick)
{
	in->ticks[id] = tick;
}

uint32_t intern_tick(const struct intern *in, uint32_t id)
{
	return in->ticks[id];
}

void intern_sweep(struct intern *in, uint32_t tick, bool (*release)(void *, uint32_t), void *arg)
{
	size_t before = in->live;

	for (uint32_t id = 1; id < in->nr; id++) {
		struct entry *e;

		if ((int32_t)(in->ticks[id] - tick) >= 0)
			continue;
		e = entry_at(in, id);
		if (e->len == FREE || (release && !release(arg, id)))
			continue;
		in->key_bytes -= e->len + 1;
		key_drop(in, key_of_entry(in, e), e->len);
		*e = (struct entry){.hash = in->free_head, .len = FREE};
		in->free_head = id;
		in->live--;
	}
	if (in->live != before)
		fill_slots(in);
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
	return in->cap * id_bytes(in) + in->nslots * sizeof(*in->slots) +
	       (in->is_short ? 0 : in->key_bytes + in->live * KEY_OVERHEAD);
}
