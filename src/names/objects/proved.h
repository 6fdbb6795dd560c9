/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proved - a raw path of the table from a chain that follows frame pointers and a piece of the
 * stack: the chain with the first callers that it lacks, or with a mark where they are not known
 * (files/unwind/proof.h).
 *
 *   reader: rules of the cache ─▶ path
 *                 └ one is missing ─▶ worker: rules of the maps at the sample's time ─▶ path
 *                                               └────────────▶ cache
 *
 * Threads: proved_by_cache any; proved_by_maps any, each with a reference to the maps.  The first
 * never allocates; the other only for the first use of an object (names/objects/dsocfi.h).
 */
#ifndef RINGTOP_NAMES_OBJECTS_PROVED_H
#define RINGTOP_NAMES_OBJECTS_PROVED_H

#include "core/table/table.h"
#include "files/unwind/proof.h"
#include "files/unwind/rulecache.h"
#include "names/objects/dsocfi.h"

struct proved_sample {
	uint64_t mask;        /* of the registers; at least PROOF_REGS_MASK */
	const void *regs;     /* as sampled; may be unaligned */
	const uint8_t *stack; /* from sp upwards */
	size_t size;
	const uint64_t *path; /* with its marks; not proved yet */
	uint16_t nr, nkernel; /* nkernel: index of the user part's mark */
	uint16_t max_stack;   /* most addresses of a path; 0: no limit */
	bool at_entry;        /* as in struct proof_sample */
};

struct proved {
	const uint64_t *ips; /* the sample's path where that stands, or the caller's room */
	uint16_t nr;
	enum proof_end end;
	bool inserted; /* STANDS, with callers that the chain lacks */
};

struct proved proved_by_cache(const struct rulecache *cache, uint64_t space,
			      const struct proved_sample *s, uint64_t ips[TABLE_PATH_MAX]);

/* Without any rule: the leaf's caller gets the mark. */
struct proved proved_by_nothing(const struct proved_sample *s, uint64_t ips[TABLE_PATH_MAX]);

struct proved_place {
	struct dsocfis *cfis;
	const struct maps *maps; /* of the sample's time */
	pid_t pid;
	uint64_t time;
	struct rulecache *cache;
	uint64_t space; /* that these maps are of; 0: rules are not kept */
};

struct proved proved_by_maps(const struct proved_place *at, const struct proved_sample *s,
			     uint64_t ips[TABLE_PATH_MAX]);

#endif
