/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps - the executable maps of one address space, sorted; shared by fork, copied when changed.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_RESOLVE_MAPS_H
#define RINGTOP_RESOLVE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/object.h"

struct map {
	uint64_t start, end, pgoff; /* bytes; pgoff: offset in the file */
	struct object *object;      /* holds a reference */
};

struct maps {
	unsigned refs;
	size_t nr, cap;
	struct map *map;
};

struct maps *maps_create(void); /* with one reference; NULL: out of memory */
struct maps *maps_get(struct maps *m);
void maps_put(struct maps *m);

/*
 * Put map in, cutting or removing what it covers, in a private copy of *m where others share it.
 * Takes over map's reference to its object, on failure too.  0 or -ENOMEM.
 */
int maps_add(struct maps **m, struct map map);

/* The same, but only where nothing is yet: what was there when we came, learnt late. */
int maps_fill(struct maps **m, struct map map);

const struct map *maps_find(const struct maps *m, uint64_t addr); /* or NULL */

#endif
