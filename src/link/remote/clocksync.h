/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clocksync - estimates another machine's clocks by TIME messages over the link, which the agent
 * stamps.
 *
 * The reply with the shortest round trip of the last eight counts: the estimate is wrong by up to
 * half of that, if one direction took all of it.  The local clock is CLOCK_BOOTTIME, which includes
 * the time that a laptop slept.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_CLOCKSYNC_H
#define RINGTOP_LINK_REMOTE_CLOCKSYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "link/wire/message.h"

#define CLOCKSYNC_KEPT   8
#define CLOCKSYNC_LATEST (1ull << 60) /* ns (36 years), the limit of plausible session times */

struct clocksync_sample {
	uint64_t round_trip;
	int64_t session; /* ns, the agent's session clock less the local clock */
	int64_t wall;    /* ns, the agent's wall clock less the local one */
};

/* Zeroed: nothing was sent yet. */
struct clocksync {
	struct clocksync_sample kept[CLOCKSYNC_KEPT]; /* the newest, by number of reply */
	uint64_t sent[CLOCKSYNC_KEPT];                /* t1 by request; 0: none, or replied */
	uint64_t asked, answered; /* number of requests and replies */
	uint64_t due; /* when to send the next request */
};

/* Return the local clock, in ns. */
uint64_t clocksync_now(void);

/* Return true if a request is due: then *ask has it, to be sent now. */
bool clocksync_ask(struct clocksync *c, uint64_t now, struct message_time *ask);

/*
 * Take a reply that arrived at `now`, when the local wall clock was `wall`.  0, or -EPROTO with
 * err: it is implausible.
 */
int clocksync_answer(struct clocksync *c, const struct message_time *answer, uint64_t now,
		     uint64_t wall, struct err *err);

/* Return the best sample, or NULL. */
const struct clocksync_sample *clocksync_best(const struct clocksync *c);

#endif
