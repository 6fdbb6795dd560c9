/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawpaths - a writer's own store of call paths as raw addresses, each kept once and called by a number: what a key of
 * sums by fields (core/table/fieldsums.h) holds of a path.
 *
 * Two samples have one path where the addresses are the same and mean the same: of one process (its threads share what
 * is mapped), in one mode, in one epoch (core/table/split.h).  Fixed memory, touched as it is used.
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_CORE_TABLE_RAWPATHS_H
#define RINGTOP_CORE_TABLE_RAWPATHS_H

#include <stddef.h>
#include <stdint.h>

#include "core/table/table.h"

struct rawpaths;

/* Room for so many paths, and so many bytes of them.  NULL: out of memory. */
struct rawpaths *rawpaths_create(unsigned paths, size_t bytes);
void rawpaths_free(struct rawpaths *p);

/*
 * The number of a sample's path, from 1 on; of the key counts who it is of, mode, nr and epoch.  0: there is no room (or
 * nr is none of a path's).  The hot path: a compare with the path before it, or a hash, a compare.
 */
uint32_t rawpaths_number(struct rawpaths *p, const struct table_key *key, const uint64_t *ips, uint64_t time);

/* As a row of no samples, at the time of the first that had it; a number that was given since the last clear. */
void rawpaths_row(const struct rawpaths *p, uint32_t number, struct table_row *row);

void rawpaths_clear(struct rawpaths *p); /* cost: its paths, not its room */

#endif
