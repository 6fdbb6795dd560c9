/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lateness - how far the picture lags behind the clock, whatever is late: the session, the link, or
 * the screen.
 *
 * A slice has its end in session time.  The slice that came soonest after its end determines the
 * clock at session time 0; the session's start_wall is not used, as the time of day may be set
 * meanwhile.
 *
 * Times are ns: `now` of a monotonic clock of the caller, `end` and `shown` in session time.
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_LATENESS_H
#define RINGTOP_UI_APP_LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#define LATENESS_DRIFT 5000 /* two machines' clocks drift apart by less than a 5000th of the time */

struct lateness {
	bool known;    /* a slice has come */
	uint64_t noted; /* time when the newest slice came */
	int64_t zero;  /* the clock at session time 0 */
	uint64_t length; /* length of the newest slice, a second at most */
};

/* Note that a slice that lasted from `start` to `end` has come. */
void lateness_note(struct lateness *l, uint64_t now, uint64_t start, uint64_t end);

/*
 * Return how far a picture of the time up to `shown`, refreshed every `delay`, is behind the clock;
 * 0: not more than is normal between two refreshes and two slices.
 */
uint64_t lateness_of(const struct lateness *l, uint64_t now, uint64_t shown, uint64_t delay);

#endif
