/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The combining cache: entries of one line each, found by a cheap hash, pushed to the table when
 * another key wants the place and at the end of the drain.
 *
 * Flat samples (one address) and paths have entries of their own, so that a path's addresses, 1 KiB
 * an entry, neither pass through the cache lines of flat samples nor become resident without
 * paths.  An entry with nr == 0 is empty and equals no key.
 */
#include "core/table/combine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "base/hash.h"

#define FLAT_BITS 9
#define PATH_BITS 6
#define FLAT_NR	  (1u << FLAT_BITS)
#define PATH_NR	  (1u << PATH_BITS)
#define HASHED	  8 /* addresses of a path that choose its entry */

struct entry {
	struct table_key key;
	uint64_t ip; /* the first one */
	struct table_count count;
} cache_aligned;

_Static_assert(sizeof(struct table_key) == 16, "a key is two words without holes");
_Static_assert(sizeof(struct entry) == CACHE_LINE, "an entry is a line");

struct combine {
	struct entry flat[FLAT_NR];
	struct entry path[PATH_NR];
	uint64_t (*ips)[TABLE_PATH_MAX]; /* addresses of the paths; resident once used */
	struct table *table;
	unsigned writer;
	/* Entries that are or were in use since the last flush. */
	unsigned nflat, npath;
	uint16_t flat_used[FLAT_NR];
	uint16_t path_used[PATH_NR];
	struct combine_total added[COMBINE_EVENTS];
	struct combine_total dropped[COMBINE_EVENTS];
};

#define IPS_BYTES (PATH_NR * sizeof(uint64_t[TABLE_PATH_MAX]))

struct combine *combine_create(struct table *t, unsigned writer)
{
	struct combine *c = aligned_alloc(CACHE_LINE, sizeof(*c));
	void *ips;

	if (!c)
		return NULL;
	ips = mmap(NULL, IPS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ips == MAP_FAILED) {
		free(c);
		return NULL;
	}
	memset(c, 0, sizeof(*c));
	c->ips = ips;
	c->table = t;
	c->writer = writer;
	return c;
}

void combine_free(struct combine *c)
{
	if (!c)
		return;
	munmap(c->ips, IPS_BYTES);
	free(c);
}

static void total_add(struct combine_total *totals, unsigned event, const struct table_count *count)
{
	assert(event < COMBINE_EVENTS);
	totals[event].samples += count->samples;
	totals[event].weight += count->weight;
}

static void combine_push(struct combine *c, const struct table_key *key, const uint64_t *ips,
			 const struct table_count *count)
{
	bool in = table_add(c->table, c->writer, key, ips, count);

	total_add(in ? c->added : c->dropped, key->event, count);
}

static inline void count_add(struct table_count *n, uint64_t weight, uint64_t time)
{
	n->samples++;
	n->weight += weight;
	/* both ways: a backward ring brings the newest first */
	n->first = time < n->first ? time : n->first;
	n->last = time > n->last ? time : n->last;
}

/* The high bits of a product depend on all bits below; the table mixes again, and better. */
static inline unsigned entry_index(const uint64_t words[2], uint64_t ip, unsigned bits)
{
	uint64_t h = hash_mix(words[0], words[1]) ^ ip;

	return (unsigned)((h * hash_secret.factor) >> (64 - bits));
}

static void entry_start(struct entry *e, const struct table_key *key, uint64_t ip, uint64_t weight,
			uint64_t time)
{
	e->key = *key;
	e->ip = ip;
	e->count = (struct table_count){ 1, weight, time, time };
}

static __attribute__((noinline)) void flat_replace(struct combine *c, unsigned i,
						   const struct table_key *key, uint64_t ip,
						   uint64_t weight, uint64_t time)
{
	struct entry *e = &c->flat[i];

	if (e->key.nr)
		combine_push(c, &e->key, &e->ip, &e->count);
	else
		c->flat_used[c->nflat++] = (uint16_t)i;
	entry_start(e, key, ip, weight, time);
}

/* A few addresses, spread over the path, tell most paths apart; the others push each other out. */
static unsigned path_index(const uint64_t words[2], const uint64_t *ips, unsigned nr)
{
	unsigned step = (nr + HASHED - 1) / HASHED, i;
	uint64_t h = 0;

	for (i = 0; i < nr; i += step)
		h = hash_mix(h, ips[i]);
	return entry_index(words, h, PATH_BITS);
}

static __attribute__((noinline)) void path_add(struct combine *c, const struct table_key *key,
					       const uint64_t *ips, uint64_t weight, uint64_t time)
{
	uint64_t words[2];
	struct entry *e;
	unsigned i;

	if (!key->nr || key->nr > TABLE_PATH_MAX) {
		total_add(c->dropped, key->event, &(struct table_count){ 1, weight, time, time });
		return;
	}
	memcpy(words, key, sizeof(words));
	i = path_index(words, ips, key->nr);
	e = &c->path[i];
	if (!memcmp(&e->key, key, sizeof(*key)) && e->ip == ips[0] &&
	    !memcmp(c->ips[i], ips, key->nr * sizeof(*ips))) {
		count_add(&e->count, weight, time);
		return;
	}
	if (e->key.nr)
		combine_push(c, &e->key, c->ips[i], &e->count);
	else
		c->path_used[c->npath++] = (uint16_t)i;
	entry_start(e, key, ips[0], weight, time);
	memcpy(c->ips[i], ips, key->nr * sizeof(*ips));
}

void combine_add(struct combine *c, const struct table_key *key, const uint64_t *ips,
		 uint64_t weight, uint64_t time)
{
	uint64_t words[2], cached[2];
	struct entry *e;
	unsigned i;

	if (key->nr != 1) {
		path_add(c, key, ips, weight, time);
		return;
	}
	memcpy(words, key, sizeof(words));
	i = entry_index(words, ips[0], FLAT_BITS);
	e = &c->flat[i];
	memcpy(cached, &e->key, sizeof(cached));
	if ((cached[0] ^ words[0]) | (cached[1] ^ words[1]) | (e->ip ^ ips[0])) {
		flat_replace(c, i, key, ips[0], weight, time);
		return;
	}
	count_add(&e->count, weight, time);
}

void combine_flush(struct combine *c)
{
	unsigned i, k;

	for (k = 0; k < c->nflat; k++) {
		struct entry *e = &c->flat[c->flat_used[k]];

		combine_push(c, &e->key, &e->ip, &e->count);
		e->key.nr = 0;
	}
	for (k = 0; k < c->npath; k++) {
		i = c->path_used[k];
		combine_push(c, &c->path[i].key, c->ips[i], &c->path[i].count);
		c->path[i].key.nr = 0;
	}
	c->nflat = c->npath = 0;
}

const struct combine_total *combine_added(const struct combine *c)
{
	return c->added;
}

const struct combine_total *combine_dropped(const struct combine *c)
{
	return c->dropped;
}
