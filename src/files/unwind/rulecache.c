/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/unwind/rulecache.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/hash.h"

#define WAYS   4u /* slots of a set: one cache line */
#define SETS   (RULECACHE_RULES / WAYS)
#define SPACES 8192u

struct slot {
	uint64_t mixed, rule; /* shared, relaxed; mixed: key ^ rule */
};

struct set {
	cache_aligned struct slot slot[WAYS];
};

struct rulecache {
	struct set set[SETS];
	uint32_t changes[SPACES]; /* shared, relaxed; by a hash of the process's number */
	uint32_t victim;	  /* shared, relaxed: the way that the next new rule takes */
};

_Static_assert(sizeof(struct cfi_rule) == sizeof(uint64_t), "a rule is one word");

struct rulecache *rulecache_create(void)
{
	size_t size = (sizeof(struct rulecache) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	struct rulecache *c = aligned_alloc(CACHE_LINE, size);

	if (c)
		memset(c, 0, size);
	return c;
}

void rulecache_free(struct rulecache *c)
{
	free(c);
}

static size_t index_of_space(uint32_t pid)
{
	return hash_u64(pid) % SPACES;
}

uint64_t rulecache_space(const struct rulecache *c, uint32_t pid)
{
	uint64_t changes = atomic_load_relaxed(&c->changes[index_of_space(pid)]);

	/* Mixed once for all addresses of a sample. */
	return hash_mix(0, changes << 32 | pid) | 1;
}

void rulecache_forget(struct rulecache *c, uint32_t pid)
{
	atomic_add_relaxed(&c->changes[index_of_space(pid)], 1);
}

/* Return a key that is never 0: empty slots have that. */
static uint64_t make_key(uint64_t space, uint64_t addr)
{
	return hash_mix(space, addr) | 1;
}

static size_t index_of_set(uint64_t key)
{
	return key >> 32 & (SETS - 1);
}

bool rulecache_get(const struct rulecache *c, uint64_t space, uint64_t addr, struct cfi_rule *rule)
{
	uint64_t key = make_key(space, addr);
	const struct slot *slot = c->set[index_of_set(key)].slot;

	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t word = atomic_load_relaxed(&slot[i].rule);

		if ((atomic_load_relaxed(&slot[i].mixed) ^ word) != key)
			continue;
		memcpy(rule, &word, sizeof(*rule));
		return true;
	}
	return false;
}

void rulecache_put(struct rulecache *c, uint64_t space, uint64_t addr, struct cfi_rule rule)
{
	uint64_t key = make_key(space, addr), word;
	struct slot *slot = c->set[index_of_set(key)].slot;
	unsigned at = WAYS;

	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t old = atomic_load_relaxed(&slot[i].rule),
			 mixed = atomic_load_relaxed(&slot[i].mixed);

		if ((mixed ^ old) == key) {
			at = i;
			break;
		}
		if (!mixed && !old && at == WAYS)
			at = i;
	}
	if (at == WAYS)
		at = atomic_add_relaxed(&c->victim, 1) % WAYS;
	memcpy(&word, &rule, sizeof(word));
	atomic_store_relaxed(&slot[at].rule, word);
	atomic_store_relaxed(&slot[at].mixed, key ^ word);
}
