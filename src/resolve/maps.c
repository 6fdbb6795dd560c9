/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/search.h"
#include "base/vec.h"

static uint64_t last_version; /* shared, relaxed: of all sessions */

static void new_version(struct maps *m)
{
	m->version = atomic_add_relaxed(&last_version, 1) + 1;
}

struct maps *maps_create(void)
{
	struct maps *m = calloc(1, sizeof(*m));

	if (m) {
		m->refs = 1;
		new_version(m);
	}
	return m;
}

struct maps *maps_get(struct maps *m)
{
	m->refs++;
	return m;
}

void maps_put(struct maps *m)
{
	if (!m || --m->refs)
		return;
	for (size_t i = 0; i < m->nr; i++)
		object_put(m->map[i].object);
	for (size_t i = 0; i < m->nold; i++)
		object_put(m->old[i].object);
	free(m->map);
	free(m->old);
	free(m);
}

/* Index of the first map that ends above addr. */
static size_t first_above(const struct maps *m, uint64_t addr)
{
	return SEARCH_ABOVE(m->map, m->nr, end, addr);
}

const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time)
{
	size_t i = first_above(m, addr);

	if (i < m->nr && m->map[i].start <= addr && m->map[i].born <= time)
		return &m->map[i];
	for (size_t k = 0; k < m->nold; k++) {
		const struct map *old = &m->old[k];

		if (old->start <= addr && addr < old->end && old->born <= time && time < old->gone)
			return old;
	}
	/* A sample a little older than the first we heard of its map. */
	return i < m->nr && m->map[i].start <= addr ? &m->map[i] : NULL;
}

bool maps_changed(const struct maps *m, uint64_t settled)
{
	return m->nold && m->old[m->nold - 1].gone > settled;
}

/* Remember part start..end of a map that goes at `time`.  Without memory it is forgotten. */
static void bury(struct maps *m, struct map map, uint64_t start, uint64_t end, uint64_t time)
{
	if (!vec_reserve(&m->old, &m->cap_old, m->nold + 1, sizeof(*m->old)))
		return;
	map.pgoff += start - map.start;
	map.start = start;
	map.end = end;
	map.gone = time;
	map.object->refs++;
	m->old[m->nold++] = map;
}

static void forget_old(struct maps *m, uint64_t settled)
{
	size_t n = 0;

	while (n < m->nold && m->old[n].gone <= settled)
		object_put(m->old[n++].object);
	if (!n)
		return;
	m->nold -= n;
	memmove(m->old, m->old + n, m->nold * sizeof(*m->old));
}

static int make_private(struct maps **m)
{
	struct maps *copy;

	if ((*m)->refs == 1)
		return 0;
	copy = maps_create();
	if (!copy || !vec_reserve(&copy->map, &copy->cap, (*m)->nr + 2, sizeof(*copy->map))) {
		free(copy);
		return -ENOMEM;
	}
	copy->nr = (*m)->nr;
	for (size_t i = 0; i < copy->nr; i++) {
		copy->map[i] = (*m)->map[i];
		copy->map[i].object->refs++;
	}
	/* Without memory what went is forgotten. */
	if (vec_reserve(&copy->old, &copy->cap_old, (*m)->nold, sizeof(*copy->old)))
		copy->nold = (*m)->nold;
	for (size_t i = 0; i < copy->nold; i++) {
		copy->old[i] = (*m)->old[i];
		copy->old[i].object->refs++;
	}
	maps_put(*m);
	*m = copy;
	return 0;
}

static void insert(struct maps *m, size_t at, struct map map)
{
	memmove(&m->map[at + 1], &m->map[at], (m->nr - at) * sizeof(*m->map));
	m->map[at] = map;
	m->nr++;
}

/* Cut [start, end) out of the maps from index i on; room for one more is there. */
static void cut(struct maps *m, size_t i, uint64_t start, uint64_t end, uint64_t time)
{
	while (i < m->nr && m->map[i].start < end) {
		struct map *old = &m->map[i];

		bury(m, *old, old->start > start ? old->start : start,
		     old->end < end ? old->end : end, time);

		if (old->start < start && old->end > end) {
			struct map tail = *old;

			tail.pgoff += end - tail.start;
			tail.start = end;
			tail.object->refs++;
			old->end = start;
			insert(m, i + 1, tail);
			return;
		}
		if (old->start < start) {
			old->end = start;
			i++;
		} else if (old->end > end) {
			old->pgoff += end - old->start;
			old->start = end;
			return;
		} else {
			object_put(old->object);
			m->nr--;
			memmove(old, old + 1, (m->nr - i) * sizeof(*old));
		}
	}
}

static int prepare(struct maps **m, const struct map *map)
{
	int ret = make_private(m);

	if (!ret && !vec_reserve(&(*m)->map, &(*m)->cap, (*m)->nr + 2, sizeof(struct map)))
		ret = -ENOMEM;
	if (ret)
		object_put(map->object);
	else
		new_version(*m);
	return ret;
}

int maps_add(struct maps **m, struct map map, uint64_t settled)
{
	int ret = prepare(m, &map);

	if (ret)
		return ret;
	forget_old(*m, settled);
	cut(*m, first_above(*m, map.start), map.start, map.end, map.born);
	insert(*m, first_above(*m, map.start), map);
	return 0;
}

int maps_fill(struct maps **m, struct map map)
{
	size_t i;
	int ret;

	/* Whole maps or none: a newer one on top means the process changed it since. */
	i = first_above(*m, map.start);
	if (i < (*m)->nr && (*m)->map[i].start < map.end) {
		object_put(map.object);
		return 0;
	}
	ret = prepare(m, &map);
	if (!ret)
		insert(*m, i, map);
	return ret;
}
