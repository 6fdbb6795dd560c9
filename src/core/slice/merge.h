/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge - make two slices one, and sum up equal rows of one slice.
 *
 * Threads: none of its own; the slices are the caller's.
 */
#ifndef RINGTOP_CORE_SLICE_MERGE_H
#define RINGTOP_CORE_SLICE_MERGE_H

#include "core/slice/slice.h"

/* Sum up rows of equal path, task, event and CPU.  0, or -ENOMEM with nothing changed. */
int slice_combine(struct slice *s);

/*
 * Append all of `src` to `dst`, which precedes it, as if it had been one tick; frees src.
 * 0, or -ENOMEM with both unchanged but for dst's capacity.
 */
int slice_merge(struct slice *dst, struct slice *src);

#endif
