/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accountsums - sums of slice accounts, kept so that counted = attributed + lost + pending.
 *
 * `pending` is a state, all other figures are deltas: weight pending before a stretch was counted
 * earlier and attributed inside it, so it is added to counted.
 *
 * An event that had a hardware counter for only part of the time is reported as if it had one all
 * the time: the count it would have had in addition is lost, with the cause LOST_MULTIPLEXED.  This
 * is an estimate, made anew for each stretch.
 *
 * Threads: one owner of the sums.
 */
#ifndef RINGTOP_MODEL_CORE_ACCOUNTSUMS_H
#define RINGTOP_MODEL_CORE_ACCOUNTSUMS_H

#include <stddef.h>

#include "model/core/model.h"

/* One event on one CPU over a stretch of slices. */
struct account_span {
	struct slice_account a; /* sums of deltas; pending: at the end */
	uint64_t before;        /* pending before the first slice */
	struct busy busy;
	uint64_t left_out; /* samples whose function was left out */
};

struct accounts {
	struct account_span *span;
	size_t nr, cap;
};

/* Add the span of the stretch that follows those in `sum`.  Return 0 or -ENOMEM. */
int accounts_add(struct accounts *sum, const struct account_span *next, size_t hint);

/*
 * Return the span of an event and CPU, or NULL.  `hint`: an index worth trying first (slices list
 * their accounts in the same order).
 */
struct account_span *accounts_find(const struct accounts *all, unsigned event, int cpu,
				   size_t hint);

/* Add one span to an account: begin with {.exact = true}, end with account_finish(). */
void account_add(struct account *a, const struct account_span *s);
void account_finish(struct account *a);

/*
 * Return what an event that counted `counted` would have counted in addition with a counter all of
 * the time. enabled >= starved must hold; both in ns.
 */
uint64_t account_multiplexed(uint64_t counted, uint64_t enabled, uint64_t starved);

#endif
