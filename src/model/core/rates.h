/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rates - events that were changed while measured: their counts under each period.
 *
 * They reach back to the start, or model_zero().  An event that never changed has none.  Threads:
 * one owner.
 */
#ifndef RINGTOP_MODEL_CORE_RATES_H
#define RINGTOP_MODEL_CORE_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"

/* One setting of an event, valid from `from` until the event's next one. */
struct rate {
	uint64_t from;      /* session time */
	uint16_t event;
	bool on;            /* measured */
	uint64_t period;    /* fixed, in the event's unit; 0: by frequency */
	uint32_t frequency; /* Hz; 0: by period */
	uint64_t counted, attributed, samples, lost; /* since `from`; first three as in accounts */
	uint64_t enabled, starved; /* ns, as in struct slice_account */
};

struct rates {
	struct rate *rate; /* in order of arrival */
	size_t nr, cap;
};

/* Counts of an event until its first change. */
struct rate_before {
	uint64_t from, counted, attributed, samples, lost, enabled, starved;
};

/*
 * Note a change of an event at session time `at`; `before` is used for its first change.  Return 0
 * or -ENOMEM.
 */
int rates_change(struct rates *r, const struct slice_change *c, uint64_t at,
		 const struct rate_before *before);

/* Return true if the event was ever changed. */
bool rates_has(const struct rates *r, unsigned event);

/* Add a slice's account to the newest setting of its event, if the event was ever changed. */
void rates_add(struct rates *r, const struct slice_account *a);

/*
 * Return the estimated count lost while other events had the hardware counter (LOST_MULTIPLEXED).
 * It is in neither counted nor lost, and belongs to both.
 */
uint64_t rate_multiplexed(const struct rate *r);

/* Keep only the settings that hold now, from `now` on and without counts. */
void rates_reset(struct rates *r, uint64_t now);
void rates_clear(struct rates *r);

/* Return the event's next setting after `last` (NULL: the first); NULL: no more. */
const struct rate *rates_next(const struct rates *r, unsigned event, const struct rate *last);

#endif
