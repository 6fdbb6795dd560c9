/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/table/fieldsums.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"

#define PATH_BYTES 256u /* room for a key's path, on an average: 28 addresses */

struct fieldsums {
	unsigned words, keys, events, nr;
	unsigned mask;       /* number of slots - 1; a power of two of them, half empty at least */
	size_t entry;        /* bytes */
	char *entries;       /* `keys` of them, then one for each event: the rest */
	uint32_t *slots;     /* number of the entry plus 1; 0: empty */
	size_t mapped;
	struct fieldsum *last; /* key of the sample before: often the next sample's, too */
	const void *of;
	struct rawpaths *paths; /* NULL: no key has one */
	struct fieldsums *next;
};

static struct fieldsum *sum_at(const struct fieldsums *f, unsigned i)
{
	return (struct fieldsum *)(f->entries + i * f->entry);
}

struct fieldsums *fieldsums_create(unsigned events, unsigned words, unsigned keys, const void *of)
{
	struct fieldsums *f = calloc(1, sizeof(*f));
	unsigned slots = 16;
	void *map;

	if (!f)
		return NULL;
	while (slots < 2 * keys)
		slots *= 2;
	*f = (struct fieldsums){.words = words,
				.keys = keys,
				.events = events,
				.mask = slots - 1,
				.of = of,
				.entry = sizeof(struct fieldsum) + words * sizeof(uint64_t)};
	f->mapped = (keys + events) * f->entry + slots * sizeof(*f->slots);
	map = mmap(NULL, f->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) {
		free(f);
		return NULL;
	}
	f->entries = map;
	f->slots = (uint32_t *)(f->entries + (keys + events) * f->entry);
	return f;
}

void fieldsums_free(struct fieldsums *f)
{
	if (!f)
		return;
	rawpaths_free(f->paths);
	munmap(f->entries, f->mapped);
	free(f);
}

bool fieldsums_keep_paths(struct fieldsums *f)
{
	f->paths = rawpaths_create(f->keys, (size_t)f->keys * PATH_BYTES);
	return f->paths;
}

struct rawpaths *fieldsums_paths(const struct fieldsums *f)
{
	return f->paths;
}

const void *fieldsums_of(const struct fieldsums *f)
{
	return f->of;
}

struct fieldsums **fieldsums_next(struct fieldsums *f)
{
	return &f->next;
}

static inline void count_value(struct fieldsum *e, uint64_t value, uint64_t time)
{
	e->time = time;
	e->min = value < e->min ? value : e->min;
	e->max = value > e->max ? value : e->max;
	e->count++;
	e->sum += value;
	e->hist[value ? 64 - __builtin_clzll(value) : 0]++;
}

static inline bool has_field_key(const struct fieldsum *e, unsigned event, const uint64_t *key,
				 unsigned words)
{
	if (e->event != event || e->words != words || e->key[0] != key[0])
		return false;
	for (unsigned i = 1; i < words; i++)
		if (e->key[i] != key[i])
			return false;
	return true;
}

/* Return the event's rest, whose entry is behind the keys. */
static struct fieldsum *event_rest(struct fieldsums *f, unsigned event)
{
	struct fieldsum *e = sum_at(f, f->keys + event);

	e->event = (uint16_t)event;
	e->min = e->count ? e->min : UINT64_MAX;
	return e;
}

static struct fieldsum *start_field_key(struct fieldsums *f, unsigned at, unsigned event,
					const uint64_t *key, unsigned words)
{
	struct fieldsum *e;

	if (f->nr == f->keys || words > f->words)
		return event_rest(f, event);
	e = sum_at(f, f->nr++);
	e->event = (uint16_t)event;
	e->words = (uint16_t)words;
	e->slot = at;
	e->min = UINT64_MAX;
	memcpy(e->key, key, words * sizeof(*key));
	f->slots[at] = f->nr;
	return e;
}

/* Not inlined, to keep the path short for a sample with the key of the sample before. */
static __attribute__((noinline)) struct fieldsum *find_field_key(struct fieldsums *f,
								 unsigned event,
								 const uint64_t *key,
								 unsigned words)
{
	uint64_t h = event;
	unsigned at;

	for (unsigned i = 0; i < words; i++)
		h = hash_mix(h, key[i]);
	for (at = (unsigned)hash_u64(h) & f->mask; f->slots[at]; at = (at + 1) & f->mask) {
		struct fieldsum *e = sum_at(f, f->slots[at] - 1);

		if (has_field_key(e, event, key, words)) {
			f->last = e;
			return e;
		}
	}
	return start_field_key(f, at, event, key, words);
}

void fieldsums_add(struct fieldsums *f, unsigned event, const uint64_t *key, unsigned words,
		   uint64_t value, uint64_t time)
{
	if (f->last && has_field_key(f->last, event, key, words))
		count_value(f->last, value, time);
	else
		count_value(find_field_key(f, event, key, words), value, time);
}

void fieldsums_add_rest(struct fieldsums *f, unsigned event, uint64_t value, uint64_t time)
{
	count_value(event_rest(f, event), value, time);
}

const struct fieldsum *fieldsums_at(const struct fieldsums *f, unsigned i)
{
	return i < f->nr ? sum_at(f, i) : NULL;
}

const struct fieldsum *fieldsums_rest(const struct fieldsums *f, unsigned event)
{
	return sum_at(f, f->keys + event);
}

void fieldsums_clear(struct fieldsums *f)
{
	for (unsigned i = 0; i < f->nr; i++) {
		f->slots[sum_at(f, i)->slot] = 0;
		memset(sum_at(f, i), 0, sizeof(struct fieldsum));
	}
	for (unsigned i = 0; i < f->events; i++)
		if (sum_at(f, f->keys + i)->count)
			memset(sum_at(f, f->keys + i), 0, sizeof(struct fieldsum));
	f->nr = 0;
	f->last = NULL;
	if (f->paths)
		rawpaths_clear(f->paths);
}
