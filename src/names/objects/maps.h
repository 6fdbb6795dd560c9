/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps - executable maps of one address space, as a balanced tree. Spaces share the parts of their
 * trees that are equal.
 *
 * Nodes never change while they have more than one holder: a change makes new nodes on the way from
 * the root, and the rest are the same nodes. So a fork costs nothing, a thousand processes that
 * share one memory (or a fork's) cost what they differ in, and an unwinding thread keeps the tree
 * of its moment. Unshared nodes are changed in place: a process that maps without end costs little
 * more than its records.
 *
 * Where a newer map covers an older one, the covered part is kept for as long as samples of that
 * time may come: a plugin unloaded and another loaded in its place within one tick.
 *
 * The kernel does not report munmap. So a space has at most MAPS_MAX maps, and where all spaces
 * together take more than their part of the budget, those that grow beyond MAPS_FEW lose maps:
 * first those never sampled, then those least recently sampled. The loss is counted.
 *
 * Maps over older ones cost most. All spaces together may have MAPS_COVERS of them in a tick; a
 * space that goes on then, beyond MAPS_COVERS_FEW of its own, has no maps in that range: its
 * contents are unknown, and counted, until it is mapped again in a later tick.
 *
 * Threads: the resolver's; others may call maps_find, maps_changed on maps they were given with a
 * reference.
 */
#ifndef RINGTOP_NAMES_OBJECTS_MAPS_H
#define RINGTOP_NAMES_OBJECTS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/objects/dso.h"

#define MAPS_MAX  32768u      /* in a space */
#define MAPS_FEW  512u        /* granted to every space */
#define MAPS_PART 8u          /* all maps may take 1/MAPS_PART of the budget */
#define MAPS_PAST 1024u       /* covered maps that a space keeps */
#define MAPS_COVERS     512u  /* maps over others in a tick, all spaces together */
#define MAPS_COVERS_FEW 64u   /* granted to every space */

struct map {
	uint64_t start, end, pgoff; /* bytes; pgoff: offset in the file */
	struct dso *object;      /* holds a reference */
	uint64_t born;              /* perf's clock; 0: from before the session */
	uint32_t used; /* tick of the last sample, 0: none; only the resolver's thread uses it */
};

struct maps_node;

/* A map, or a part of one, that a newer map covered at `until`. */
struct maps_past {
	struct map map;
	uint64_t until;
};

/* State of the current tick, shared by all spaces of a session. */
struct maps_tick {
	uint64_t settled; /* maps that ended earlier are forgotten */
	unsigned covers;  /* maps over others since the tick began */
};

/* Range where a space mapped over its own code more often than it may. */
struct maps_storm {
	uint64_t settled;    /* settled time of its tick */
	unsigned covers;     /* covers by this space in that tick */
	uint64_t start, end; /* no map in this range is known; start = end: no storm */
	uint64_t since;
};

struct maps {
	unsigned refs;
	uint64_t version; /* unique; changes with every change of the maps */
	struct maps_node *root;
	uint64_t since;   /* time of the last cover: root holds from then on */
	struct maps_past *past; /* sorted by until */
	size_t npast, cap_past;
	uint64_t dim;     /* covered maps from before this time are incomplete */
	struct maps_storm storm;
	uint64_t forgotten; /* maps lost from the tree and the past, for want of room or time */
};

struct maps *maps_create(void); /* reference count 1; NULL: out of memory */
struct maps *maps_get(struct maps *m);
void maps_put(struct maps *m);

/*
 * Add a map, cutting or removing the maps it covers, in a private copy of *m if m is shared. Takes
 * over map's reference to its object, also on failure. Return 0 or -ENOMEM.
 */
int maps_add(struct maps **m, struct map map, struct maps_tick *tick);

/*
 * Add a map only if its whole range is free: maps from before the session, learnt late from /proc.
 * Takes over map's reference to its object in any case. Return 0 or -ENOMEM.
 */
int maps_fill(struct maps **m, struct map map);

/*
 * Free covered maps that ended by `settled`, for spaces that get no new maps; no-op while m is
 * shared.
 */
void maps_settle(struct maps *m, uint64_t settled);

/*
 * Return the map at addr at that time (perf's clock, or MAPS_NOW), borrowed from m. NULL: none is
 * known.
 */
const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time);

#define MAPS_NOW UINT64_MAX

/* Note that a sample of that tick was in map, which maps_find returned. */
void maps_used(const struct map *map, uint32_t tick);

/*
 * Return true if a map was covered after `settled`: then the map at an address depends on the time.
 */
bool maps_changed(const struct maps *m, uint64_t settled);

size_t maps_count(const struct maps *m);

/* Return the i-th map by address; i < maps_count. */
const struct map *maps_at(const struct maps *m, size_t i);

/* Number of nodes of all maps in the program, and the bytes that one takes. */
size_t maps_nodes(void);
#define MAPS_NODE_BYTES 96

#endif
