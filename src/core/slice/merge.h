/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge - make two slices one, and sum up equal rows of one slice.
 *
 * Threads: none of its own; the slices are the caller's.
 */
#ifndef RINGTOP_CORE_SLICE_MERGE_H
#define RINGTOP_CORE_SLICE_MERGE_H

#include "core/slice/sliceparts.h"

/*
 * Sum up elements of equal keys, of a part that has keys: rows of one path, task, event and CPU.
 * 0, or -ENOMEM with nothing changed.
 */
int part_combine(enum part_id id, void *elements, size_t *nr);

/*
 * Add states, which follow in time, to those of the same index, and append those beyond: `to` has
 * room for them.  Return the number in `to`, which had `was`.
 */
size_t part_add_up(enum part_id id, void *to, size_t was, const void *from, size_t nr);

/*
 * Append all of `src` to `dst`, which precedes it, as if it had been one tick; frees src.
 * 0, or -ENOMEM with both unchanged but for dst's capacity.
 */
int slice_merge(struct slice *dst, struct slice *src);

#endif
