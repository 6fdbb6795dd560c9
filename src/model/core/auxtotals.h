/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxtotals - AUX areas over a window, and the list of snapshots.  Part of model/core/model.h.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_AUXTOTALS_H
#define RINGTOP_MODEL_CORE_AUXTOTALS_H

#include "model/core/model.h"

#define AUX_SNAPSHOTS 64 /* the newest are kept */

/* Sums of the whole run, and the newest values. */
struct aux_totals {
	struct slice_aux *now, *sum; /* by area */
	size_t nr, cap_now, cap_sum;
	struct slice_snapshot snapshots[AUX_SNAPSHOTS]; /* at index number % AUX_SNAPSHOTS */
	uint32_t newest; /* number of the newest, 0: none yet */
};

/* Take a slice's AUX areas and snapshots (copied).  Return 0 or -ENOMEM. */
int auxtotals_take(struct aux_totals *t, const struct slice *s);
void auxtotals_reset(struct aux_totals *t); /* set the sums to zero; the newest values stay */
void auxtotals_clear(struct aux_totals *t);

#endif
