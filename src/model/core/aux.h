/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aux - AUX areas over a window, and the list of snapshots.  Part of model/core/model.h.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_AUX_H
#define RINGTOP_MODEL_CORE_AUX_H

#include "model/core/model.h"

#define AUX_SNAPSHOTS 64 /* the newest are kept */

/* The whole run's, and what is newest. */
struct aux_totals {
	struct slice_aux *now, *sum; /* by area */
	size_t nr, cap_now, cap_sum;
	struct slice_snapshot snapshots[AUX_SNAPSHOTS]; /* by number, modulo */
	uint32_t newest; /* its number, 0: none yet */
};

/* 0 or -ENOMEM. */
int aux_take(struct aux_totals *t, const struct slice *s);
void aux_reset(struct aux_totals *t); /* the sums, not what is newest */
void aux_clear(struct aux_totals *t);

#endif
