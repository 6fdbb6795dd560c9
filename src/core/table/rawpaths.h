/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawpaths - a writer's own store of call paths as raw addresses, each kept once under a number,
 * which stands for the path in keys of sums by fields (core/table/fieldsums.h).
 *
 * Two samples have one path where the addresses are the same and mean the same: of one process (its
 * threads share its mappings), in one mode, in one epoch (core/table/split.h).  Fixed memory,
 * touched as it is used.
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_CORE_TABLE_RAWPATHS_H
#define RINGTOP_CORE_TABLE_RAWPATHS_H

#include <stddef.h>
#include <stdint.h>

#include "core/table/table.h"

struct rawpaths;

/* Create a store with room for so many paths and `bytes` bytes of them.  NULL: out of memory. */
struct rawpaths *rawpaths_create(unsigned paths, size_t bytes);
void rawpaths_free(struct rawpaths *p);

/*
 * Return the number of a sample's path, from 1 on, adding the path if it is new.  Compared are the
 * key's pid, mode, nr and epoch, and the addresses.  0: there is no room, or key->nr is out of
 * range.  The hot path: a compare with the path before it, or a hash and a compare.
 */
uint32_t rawpaths_number(struct rawpaths *p, const struct table_key *key, const uint64_t *ips,
			 uint64_t time);

/*
 * Fill in a row without samples for a path, with the time of its earliest sample, and pid and tid
 * of the first added.  The number must have been returned since the last clear; row->ips is valid
 * until the next.
 */
void rawpaths_row(const struct rawpaths *p, uint32_t number, struct table_row *row);

void rawpaths_clear(struct rawpaths *p); /* cost: its paths, not its room */

#endif
