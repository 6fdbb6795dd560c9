/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pulse - how the weight of a merged slice is spread over its time: that of each slice that it was merged of, in whole
 * seconds of tenths and in ten seconds of whole ones.  Rows are merged, for there are many; this is a number for each.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_PULSE_H
#define RINGTOP_MODEL_CORE_PULSE_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/bins.h"

#define PULSE_PARTS 16 /* of a slice: of one with more nothing is kept */

struct history_slice;

struct pulse_part {
	uint64_t start, end;
	double weight; /* attributed, without idle time */
	uint32_t event;
};

struct pulse {
	struct pulse_part *part; /* the oldest first */
	uint32_t nr;
};

void pulse_clear(struct pulse *p);

/* Of the slices that become one of this level.  Without memory there is none, as of a slice that was never merged. */
void pulse_merge(struct pulse *to, struct history_slice *const *s, size_t nr, uint8_t level);

/* What a slice has of the event goes to the bins; `longest`, of as many, may be NULL: of what is in each, ns. */
void pulse_share(const struct history_slice *s, unsigned event, const struct bins *in, double *bins, uint64_t *longest);

#endif
