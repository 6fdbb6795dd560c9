/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idmap - values by the ids of slices: an array for each source's ids, which are dense, and one for
 * temporary ids.
 *
 * All calls for one map pass the same `size`, that of a value.  A value is zero until it is set.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_CORE_SLICE_IDMAP_H
#define RINGTOP_CORE_SLICE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "core/slice/slice.h"

struct idmap {
	struct idmap_page {
		char *at;
		size_t nr, cap; /* every value from nr on is zero */
	} page[DICT_SOURCES + 1]; /* by source; the last one: of temporary ids */
};

static inline struct idmap_page *idmap_page(const struct idmap *m, uint32_t id)
{
	return (struct idmap_page *)&m->page[id < DICT_TEMP ? id / DICT_IDS : DICT_SOURCES];
}

/* Return the index of an id in its page. */
static inline size_t idmap_index(uint32_t id)
{
	return id & (id < DICT_TEMP ? DICT_IDS - 1 : ~DICT_TEMP);
}

/* Return the address of an id's value, valid until idmap_slot(); NULL: it is zero. */
static inline void *idmap_find(const struct idmap *m, uint32_t id, size_t size)
{
	const struct idmap_page *p = idmap_page(m, id);
	size_t i = idmap_index(id);

	return i < p->nr ? p->at + i * size : NULL;
}

/* Like idmap_find(), and make room for the value.  NULL: out of memory. */
static inline void *idmap_slot(struct idmap *m, uint32_t id, size_t size)
{
	struct idmap_page *p = idmap_page(m, id);
	size_t i = idmap_index(id);

	if (i >= p->nr) {
		if (!vec_reserve(&p->at, &p->cap, i + 1, size))
			return NULL;
		memset(p->at + p->nr * size, 0, (i + 1 - p->nr) * size);
		p->nr = i + 1;
	}
	return p->at + i * size;
}

/*
 * Return the least id above `id`, 0 at first, that may have a value and is not temporary; 0: there
 * is none.
 */
static inline uint32_t idmap_next(const struct idmap *m, uint32_t id)
{
	for (id++; id < DICT_TEMP; id = (id | (DICT_IDS - 1)) + 1)
		if (idmap_index(id) < idmap_page(m, id)->nr)
			return id;
	return 0;
}

/* Return the number of temporary ids that have had a value since idmap_end_temps(). */
static inline uint32_t idmap_temps(const struct idmap *m)
{
	return (uint32_t)m->page[DICT_SOURCES].nr;
}

/* Forget the temporary ids, at the end of their slice. */
static inline void idmap_end_temps(struct idmap *m)
{
	m->page[DICT_SOURCES].nr = 0;
}

static inline size_t idmap_bytes(const struct idmap *m, size_t size)
{
	size_t values = 0;

	for (unsigned i = 0; i <= DICT_SOURCES; i++)
		values += m->page[i].cap;
	return values * size;
}

static inline void idmap_clear(struct idmap *m)
{
	for (unsigned i = 0; i <= DICT_SOURCES; i++)
		free(m->page[i].at);
}

#endif
