/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps - the executable maps of one address space, sorted; shared by fork, copied when changed.
 *
 * What a newer map covers is remembered with the time of its end for as long as samples from
 * before it may come: a plugin unloaded and another loaded in its place within one tick.
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
	uint64_t born, gone;        /* perf's clock; born 0: since before us */
};

struct maps {
	unsigned refs;
	uint64_t version; /* no other maps have it, nor had these before they were last changed */
	size_t nr, cap;
	struct map *map;
	struct map *old; /* covered by newer ones, in the order they went */
	size_t nold, cap_old;
};

struct maps *maps_create(void); /* with one reference; NULL: out of memory */
struct maps *maps_get(struct maps *m);
void maps_put(struct maps *m);

/*
 * Put map in, cutting or removing what it covers, in a private copy of *m where others share it.
 * Takes over map's reference to its object, on failure too.  What went before `settled` is forgotten.
 * 0 or -ENOMEM.
 */
int maps_add(struct maps **m, struct map map, uint64_t settled);

/* The same, but only where nothing is yet: what was there when we came, learnt late. */
int maps_fill(struct maps **m, struct map map);

/* What was mapped at addr at that time, or NULL. */
const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time);

#define MAPS_NOW UINT64_MAX

/* Was anything covered after `settled`?  Then what is at an address depends on the time. */
bool maps_changed(const struct maps *m, uint64_t settled);

#endif
