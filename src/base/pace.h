/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace - work that may take no more than a share of the time: what took long is followed by a pause
 * in proportion.  Threads: any; what several spend at once adds up.
 */
#ifndef RINGTOP_BASE_PACE_H
#define RINGTOP_BASE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"

/* Zeroed: nothing was spent yet.  All in ns of one clock. */
struct pace {
	uint64_t until; /* shared: what was spent is paid for then */
};

static inline bool pace_open(const struct pace *p, uint64_t now)
{
	return now >= atomic_load_relaxed(&p->until);
}

/* `cost` was spent, of which `percent` of the time is for it; `burst` may be spent ahead of that. */
static inline void pace_spend(struct pace *p, uint64_t now, uint64_t cost, unsigned percent,
			      uint64_t burst)
{
	uint64_t least = now > burst * 100 / percent ? now - burst * 100 / percent : 0;
	uint64_t old = atomic_load_relaxed(&p->until), until;

	do {
		until = (old > least ? old : least) + cost * 100 / percent;
	} while (!atomic_cas_relaxed(&p->until, &old, until));
}

#endif
