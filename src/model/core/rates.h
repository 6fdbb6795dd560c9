/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rates - of events that changed while they were measured: which counts were under which period.
 *
 * Since the start, or since model_zero.  Of an event that never changed there is none.  Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_RATES_H
#define RINGTOP_MODEL_CORE_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"

/* From a time on, until the next one of the same event. */
struct rate {
	uint64_t from;      /* session time */
	uint16_t event;
	bool on;            /* measured */
	uint64_t period;    /* fixed, in the event's unit; 0: by frequency */
	uint32_t frequency; /* Hz; 0: by period */
	uint64_t counted, attributed, samples, lost; /* meanwhile; the first three as accounts have them */
	uint64_t enabled, starved; /* ns, as in struct slice_account */
};

struct rates {
	struct rate *rate; /* as they came */
	size_t nr, cap;
};

/* What the event had been up to then: of one that changes for the first time. */
struct rate_before {
	uint64_t from, counted, attributed, samples, lost, enabled, starved;
};

/* 0 or -ENOMEM. */
int rates_change(struct rates *r, const struct slice_change *c, uint64_t at, const struct rate_before *before);
bool rates_has(const struct rates *r, unsigned event);

void rates_add(struct rates *r, const struct slice_account *a);

/*
 * Return an estimate that is in neither counted nor lost, and belongs to both: what others had the hardware for
 * (LOST_MULTIPLEXED).
 */
uint64_t rate_multiplexed(const struct rate *r);

/* Only what holds now stays, from `now` on. */
void rates_reset(struct rates *r, uint64_t now);
void rates_clear(struct rates *r);

/* The next one of the event after `last` (NULL: the first); NULL: no more. */
const struct rate *rates_next(const struct rates *r, unsigned event, const struct rate *last);

#endif
