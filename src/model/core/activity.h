/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * activity - how the weight of a merged slice is spread over its time: the weight of each slice
 * that was merged, in whole seconds of tenths and in ten seconds of whole seconds.  Rows are merged
 * because they are many; this is only a number for each.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_ACTIVITY_H
#define RINGTOP_MODEL_CORE_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/bins.h"

#define ACTIVITY_PARTS 16 /* of a slice and event; a slice with more keeps none */

struct history_slice;

struct activity_part {
	uint64_t start, end;
	double weight; /* attributed, without idle time */
	uint32_t event;
};

struct activity {
	struct activity_part *part; /* oldest first */
	uint32_t nr;
};

void activity_clear(struct activity *p);

/*
 * Collect the parts of slices that are merged into one of this level.  Without memory there are
 * none, as if the slice had never been merged.
 */
void activity_merge(struct activity *to, struct history_slice *const *s, size_t nr, uint8_t level);

/*
 * Add a slice's weight of the event to the bins; `longest`, as many, or NULL: the longest part in
 * each bin so far, ns.
 */
void activity_share(const struct history_slice *s, unsigned event, const struct bins *in,
		    double *bins, uint64_t *longest);

#endif
