/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps - the executable maps of one address space: a balanced tree of which spaces share what they have
 * in common.
 *
 * Nodes never change while more than one holds them: a change makes new ones on the way from the root,
 * and the rest is the same nodes.  So a fork costs nothing, a thousand processes that have one memory (or
 * a fork's) cost what they differ in, and whoever unwinds keeps the tree of its moment.  What nobody shares
 * is changed in place: a process that maps without end costs little more than its records.
 *
 * Where a newer map covers an older one, what was covered is kept for as long as samples of that
 * time may come: a plugin unloaded and another loaded in its place within one tick.
 *
 * The kernel says nothing of munmap.  So a space has at most MAPS_MAX maps, and where all of them
 * together take more than their part of the budget, those that grow beyond MAPS_FEW give way: the maps go
 * that were never sampled, then those that were not for the longest time, and are counted.
 *
 * Maps over older ones cost most.  All spaces together may have MAPS_COVERS of them in a tick; one that goes
 * on then, beyond MAPS_COVERS_FEW of its own, has no maps where it does so: what is there is unknown, and
 * counted, until it is mapped again in a later tick.
 *
 * Threads: the resolver's; others may call maps_find, maps_changed on maps they were given with a reference.
 */
#ifndef RINGTOP_NAMES_OBJECTS_MAPS_H
#define RINGTOP_NAMES_OBJECTS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/objects/dso.h"

#define MAPS_MAX  32768u      /* of one space */
#define MAPS_FEW  512u        /* that every space may have */
#define MAPS_PART 8u          /* of the budget, for all: one of so many parts */
#define MAPS_PAST 1024u       /* maps from before, of one space */
#define MAPS_COVERS     512u  /* maps over others in a tick, of all spaces */
#define MAPS_COVERS_FEW 64u   /* that every space may have */

struct map {
	uint64_t start, end, pgoff; /* bytes; pgoff: offset in the file */
	struct dso *object;      /* holds a reference */
	uint64_t born;              /* perf's clock; 0: since before us */
	uint32_t used;              /* tick of its last sample, 0: none; the resolver's alone */
};

struct maps_node;

/* What was there until a newer map covered it. */
struct maps_past {
	struct map map;
	uint64_t until;
};

/* The tick in which maps are added: of all spaces of a session. */
struct maps_tick {
	uint64_t settled; /* what went before is forgotten */
	unsigned covers;  /* maps over others since it began */
};

/* Where a space has mapped over its own code more often than it may. */
struct maps_storm {
	uint64_t settled;    /* of its tick */
	unsigned covers;     /* of this space, in that tick */
	uint64_t start, end; /* no map from there is known, or start = end */
	uint64_t since;
};

struct maps {
	unsigned refs;
	uint64_t version; /* no other maps have it, nor had these before they were last changed */
	struct maps_node *root;
	uint64_t since;   /* when a map was last covered: root holds from then on */
	struct maps_past *past; /* by until */
	size_t npast, cap_past;
	uint64_t dim;     /* what was covered before then is not known any more */
	struct maps_storm storm;
	uint64_t forgotten; /* maps of the tree and of the past, for want of room or time */
};

struct maps *maps_create(void); /* with one reference; NULL: out of memory */
struct maps *maps_get(struct maps *m);
void maps_put(struct maps *m);

/*
 * Put map in, cutting or removing what it covers, in a private copy of *m where others share it.
 * Takes over map's reference to its object, on failure too.  0 or -ENOMEM.
 */
int maps_add(struct maps **m, struct map map, struct maps_tick *tick);

/* The same, but only where nothing is yet: what was there when we came, learnt late. */
int maps_fill(struct maps **m, struct map map);

/* What went before `settled` is forgotten also where nothing is added any more, unless others share m. */
void maps_settle(struct maps *m, uint64_t settled);

/* What was mapped at addr at that time, or NULL. */
const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time);

#define MAPS_NOW UINT64_MAX

/* A sample of that tick was in map, which maps_find found. */
void maps_used(const struct map *map, uint32_t tick);

/* Was anything covered after `settled`?  Then what is at an address depends on the time. */
bool maps_changed(const struct maps *m, uint64_t settled);

size_t maps_count(const struct maps *m);

/* The map that is i'th by address, below maps_count. */
const struct map *maps_at(const struct maps *m, size_t i);

/* Nodes of all maps there are, and what one takes. */
size_t maps_nodes(void);
#define MAPS_NODE_BYTES 96

#endif
