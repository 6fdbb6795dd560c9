/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeshare - limit work to a share of the time: work that took long is followed by a pause in
 * proportion.  Threads: any; the costs of several threads add up.
 */
#ifndef RINGTOP_BASE_TIMESHARE_H
#define RINGTOP_BASE_TIMESHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"

/* Account of work done.  Zeroed: nothing was spent yet.  All times in ns of one clock. */
struct timeshare {
	uint64_t until; /* shared: end of the pause; work may begin from then on */
};

static inline bool timeshare_open(const struct timeshare *p, uint64_t now)
{
	return now >= atomic_load_relaxed(&p->until);
}

/* End a pause: work may begin at once. */
static inline void timeshare_end_pause(struct timeshare *p)
{
	atomic_store_relaxed(&p->until, 0);
}

/* Record work of `cost` that may take `percent` of the time; `burst` may be spent in advance. */
static inline void timeshare_spend(struct timeshare *p, uint64_t now, uint64_t cost,
				   unsigned percent, uint64_t burst)
{
	uint64_t least = now > burst * 100 / percent ? now - burst * 100 / percent : 0;
	uint64_t old = atomic_load_relaxed(&p->until), until;

	do {
		until = (old > least ? old : least) + cost * 100 / percent;
	} while (!atomic_cas_relaxed(&p->until, &old, until));
}

#endif
