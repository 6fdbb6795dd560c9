/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lateness - how far what is shown lags behind the clock, whatever is late: the session, the way from it, or the screen.
 *
 * A slice says when it ended in the session's time.  The one that came soonest after its end tells what the clock says at
 * the session's time 0; the session's start_wall would tell it as well, but the time of day may be set meanwhile.
 *
 * Times are ns: `now` of one steady clock of the caller's, `end` and `shown` of the session.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_LATENESS_H
#define RINGTOP_UI_APP_LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#define LATENESS_DRIFT 5000 /* clocks of two machines part by less than a 5000th of the time */

struct lateness {
	bool known;    /* a slice has come */
	uint64_t noted; /* time when the newest one came */
	int64_t zero;  /* the clock at the session's time 0 */
	uint64_t length; /* length of the newest one, a second at most */
};

/* A slice that lasted from `start` to `end` has come. */
void lateness_note(struct lateness *l, uint64_t now, uint64_t start, uint64_t end);

/*
 * Return how far a picture of the time up to `shown`, made anew every `delay`, is behind the clock; 0: no farther than
 * it may be between two refreshes and two slices.
 */
uint64_t lateness_of(const struct lateness *l, uint64_t now, uint64_t shown, uint64_t delay);

#endif
