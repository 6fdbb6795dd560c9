/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pulse - how the weight of a merged slice is spread over its time: the weight of each slice that
 * was merged, in whole seconds of tenths and in ten seconds of whole seconds.  Rows are merged
 * because they are many; this is only a number for each.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_PULSE_H
#define RINGTOP_MODEL_CORE_PULSE_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/bins.h"

#define PULSE_PARTS 16 /* of a slice and event; a slice with more keeps none */

struct history_slice;

struct pulse_part {
	uint64_t start, end;
	double weight; /* attributed, without idle time */
	uint32_t event;
};

struct pulse {
	struct pulse_part *part; /* oldest first */
	uint32_t nr;
};

void pulse_clear(struct pulse *p);

/*
 * Collect the parts of slices that are merged into one of this level.  Without memory there are
 * none, as if the slice had never been merged.
 */
void pulse_merge(struct pulse *to, struct history_slice *const *s, size_t nr, uint8_t level);

/*
 * Add a slice's weight of the event to the bins; `longest`, as many, or NULL: the longest part in
 * each bin so far, ns.
 */
void pulse_share(const struct history_slice *s, unsigned event, const struct bins *in, double *bins, uint64_t *longest);

#endif
