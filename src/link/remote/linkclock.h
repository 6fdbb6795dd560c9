/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkclock - the clocks of another machine beside ours, by questions over the link that it stamps (TIME).
 *
 * Of the last eight answers the one that was under way for the shortest time counts: by half of that its clock may
 * be wrong, if one way took all of it.  Ours is CLOCK_BOOTTIME, since a laptop that slept has missed that time too.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_LINKCLOCK_H
#define RINGTOP_LINK_REMOTE_LINKCLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "link/wire/message.h"

#define LINKCLOCK_KEPT   8
#define LINKCLOCK_LATEST (1ull << 60) /* ns: a session that is 36 years old is none */

struct linkclock_sample {
	uint64_t round_trip;
	int64_t session; /* its session's clock less ours */
	int64_t wall;    /* its wall clock less ours */
};

/* Zeroed: nothing was asked yet. */
struct linkclock {
	struct linkclock_sample kept[LINKCLOCK_KEPT]; /* the newest, by answer */
	uint64_t sent[LINKCLOCK_KEPT];                /* t1 by question; 0: none, or answered */
	uint64_t asked, answered;
	uint64_t due; /* when to ask next */
};

uint64_t linkclock_now(void);

/* Is it time for a question?  Then it is in *ask, to be sent now. */
bool linkclock_ask(struct linkclock *c, uint64_t now, struct message_time *ask);

/* An answer has come, at `now`, when our wall clock was at `wall`.  -EPROTO: it is none; err says so. */
int linkclock_answer(struct linkclock *c, const struct message_time *answer, uint64_t now, uint64_t wall,
		     struct err *err);

/* The best that is known, or NULL. */
const struct linkclock_sample *linkclock_best(const struct linkclock *c);

#endif
