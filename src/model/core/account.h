/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account - adding up slice accounts so that counted = attributed + lost + pending stays true.
 *
 * `pending` is a state, the rest are deltas: over a stretch, what was pending before it was
 * counted earlier and attributed inside it, so it is added to counted.
 *
 * An event that had a counter for a part of the time alone is told as if it had had one all the time: what it would
 * have counted more is lost, of the cause LOST_MULTIPLEXED.  That is an estimate, and made anew for each stretch.
 *
 * Threads: one owner of what is added to.
 */
#ifndef RINGTOP_MODEL_CORE_ACCOUNT_H
#define RINGTOP_MODEL_CORE_ACCOUNT_H

#include <stddef.h>

#include "model/core/model.h"

/* One event on one CPU over a stretch of slices. */
struct account_span {
	struct slice_account a; /* deltas added up; pending: at the end */
	uint64_t before;        /* pending before the first slice */
	struct busy busy;
	uint64_t left_out; /* samples whose function was left out */
};

struct accounts {
	struct account_span *span;
	size_t nr, cap;
};

/* Add what follows.  0 or -ENOMEM. */
int accounts_add(struct accounts *sum, const struct account_span *next, size_t hint);

/* `hint`: an index worth trying first (slices list their accounts in the same order). */
struct account_span *accounts_find(const struct accounts *all, unsigned event, int cpu, size_t hint);

/* Add one span to an account; begin from {.exact = true}, end with account_finish. */
void account_add(struct account *a, const struct account_span *s);
void account_finish(struct account *a);

/*
 * Return what an event that counted so much would have counted more with a counter for all of the time.  enabled >=
 * starved must hold.
 */
uint64_t account_multiplexed(uint64_t counted, uint64_t enabled, uint64_t starved);

#endif
