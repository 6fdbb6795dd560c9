/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/table/rawpaths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"

/* A path in the arena, one behind the other. */
struct entry {
	uint64_t first; /* time */
	uint32_t pid, tid;
	uint32_t slot;
	uint16_t epoch;
	uint8_t mode, nr;
	uint64_t ips[];
};

struct rawpaths {
	unsigned most, nr;
	unsigned mask;	 /* number of slots - 1; a power of two of them, half empty at least */
	size_t room, used; /* bytes of the arena */
	char *arena;
	size_t *at;	 /* by number - 1: the entry's offset in the arena */
	uint32_t *slots; /* number; 0: empty */
	size_t mapped;
	uint32_t last; /* number of the sample's path before: often the next one's, too */
};

static struct entry *path_at(const struct rawpaths *p, uint32_t number)
{
	return (struct entry *)(p->arena + p->at[number - 1]);
}

struct rawpaths *rawpaths_create(unsigned paths, size_t bytes)
{
	struct rawpaths *p = calloc(1, sizeof(*p));
	unsigned slots = 16;
	void *map;

	if (!p)
		return NULL;
	while (slots < 2 * paths)
		slots *= 2;
	bytes = bytes / sizeof(uint64_t) * sizeof(uint64_t);
	*p = (struct rawpaths){.most = paths,
			       .mask = slots - 1,
			       .room = bytes,
			       .mapped =
				       bytes + paths * sizeof(*p->at) + slots * sizeof(*p->slots)};
	map = mmap(NULL, p->mapped, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		free(p);
		return NULL;
	}
	p->arena = map;
	p->at = (size_t *)(p->arena + bytes);
	p->slots = (uint32_t *)(p->at + paths);
	return p;
}

void rawpaths_free(struct rawpaths *p)
{
	if (!p)
		return;
	munmap(p->arena, p->mapped);
	free(p);
}

static inline bool is_raw_path(const struct entry *e, const struct table_key *key,
			       const uint64_t *ips)
{
	return e->nr == key->nr && e->pid == key->pid && e->mode == key->mode &&
	       e->epoch == key->epoch && !memcmp(e->ips, ips, key->nr * sizeof(*ips));
}

/* Hash in two chains: in one a deep path would wait for one multiplication after the other. */
static uint64_t hash_raw_path(const struct table_key *key, const uint64_t *ips)
{
	uint64_t a = hash_mix(key->pid, key->epoch), b = hash_mix(key->mode, ips[0]);
	unsigned i;

	for (i = 1; i + 1 < key->nr; i += 2) {
		a = hash_mix(a, ips[i]);
		b = hash_mix(b, ips[i + 1]);
	}
	if (i < key->nr)
		a = hash_mix(a, ips[i]);
	return hash_mix(hash_mix(a, b), 0);
}

static uint32_t keep_raw_path(struct rawpaths *p, unsigned slot, const struct table_key *key,
			      const uint64_t *ips, uint64_t time)
{
	size_t bytes = sizeof(struct entry) + key->nr * sizeof(*ips);
	struct entry *e;

	if (p->nr == p->most || p->room - p->used < bytes)
		return 0;
	p->at[p->nr++] = p->used;
	e = path_at(p, p->nr);
	*e = (struct entry){.first = time,
			    .pid = key->pid,
			    .tid = key->tid,
			    .slot = slot,
			    .epoch = key->epoch,
			    .mode = key->mode,
			    .nr = key->nr};
	memcpy(e->ips, ips, key->nr * sizeof(*ips));
	p->used += bytes;
	p->slots[slot] = p->nr;
	return p->nr;
}

/* Not inlined, to keep the code short for a sample with the path of the sample before. */
static __attribute__((noinline)) uint32_t find_raw_path(struct rawpaths *p,
							const struct table_key *key,
							const uint64_t *ips, uint64_t time)
{
	unsigned slot = (unsigned)hash_raw_path(key, ips) & p->mask;

	for (; p->slots[slot]; slot = (slot + 1) & p->mask)
		if (is_raw_path(path_at(p, p->slots[slot]), key, ips))
			return p->slots[slot];
	return keep_raw_path(p, slot, key, ips, time);
}

uint32_t rawpaths_number(struct rawpaths *p, const struct table_key *key, const uint64_t *ips,
			 uint64_t time)
{
	uint32_t number = p->last;
	struct entry *e;

	if (!key->nr || key->nr > TABLE_PATH_MAX)
		return 0;
	if (!number || !is_raw_path(path_at(p, number), key, ips))
		number = find_raw_path(p, key, ips, time);
	if (!number)
		return 0;
	e = path_at(p, number);
	e->first = time < e->first ? time : e->first;
	p->last = number;
	return number;
}

void rawpaths_row(const struct rawpaths *p, uint32_t number, struct table_row *row)
{
	const struct entry *e = path_at(p, number);

	*row = (struct table_row){
		.key = {.pid = e->pid,
			.tid = e->tid,
			.mode = e->mode,
			.nr = e->nr,
			.epoch = e->epoch},
		.count = {.first = e->first, .last = e->first},
		.ips = e->ips,
	};
}

void rawpaths_clear(struct rawpaths *p)
{
	for (uint32_t i = 1; i <= p->nr; i++)
		p->slots[path_at(p, i)->slot] = 0;
	p->nr = p->last = 0;
	p->used = 0;
}
