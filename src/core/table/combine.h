/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * combine - a writer's private cache in front of the table: a burst on one hot row becomes one
 * add.  Direct-mapped, small enough for the L1/L2 cache; paths longer than one address are cached
 * too, compared in full.
 *
 * Threads: one writer each.  Never allocates after creation.  Always empty outside a drain.
 */
#ifndef RINGTOP_CORE_TABLE_COMBINE_H
#define RINGTOP_CORE_TABLE_COMBINE_H

#include "core/table/table.h"

#define COMBINE_EVENTS 1024 /* the most events of a session: key->event is below this */

struct combine;

struct combine_total {
	uint64_t samples, weight;
};

/*
 * Create writer `writer`'s cache.  The table is borrowed and must outlive it.  NULL: out of memory.
 */
struct combine *combine_create(struct table *t, unsigned writer);
void combine_free(struct combine *c);

/*
 * Count a sample, between table_enter and table_leave.  The hot path: for key->nr == 1 a hash, a
 * compare and a few additions.  A path of more than TABLE_PATH_MAX addresses or of none is dropped,
 * and counted as dropped.
 */
void combine_add(struct combine *c, const struct table_key *key, const uint64_t *ips,
		 uint64_t weight, uint64_t time);

/* Push all cached counts to the table.  Call it before table_leave. */
void combine_flush(struct combine *c);

/*
 * Return totals per event since creation, COMBINE_EVENTS of them: of samples that reached the table
 * (added), and of those dropped because it was full or their path invalid.  After a flush, added +
 * dropped = everything given to combine_add.
 */
const struct combine_total *combine_added(const struct combine *c);
const struct combine_total *combine_dropped(const struct combine *c);

#endif
