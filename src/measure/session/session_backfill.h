/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_backfill - a session's history as slices, from a model (model/core/backfill.h), for
 * saving that starts in mid-session: the slices come before the session's next one.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_MEASURE_SESSION_SESSION_BACKFILL_H
#define RINGTOP_MEASURE_SESSION_SESSION_BACKFILL_H

#include "measure/session/session.h"

struct session_backfill {
	/* oldest first; the first has no length: live dictionary entries and pending counts */
	struct slice **slices;
	size_t nr;
	struct session_mark *marks;
	size_t nmarks;
};

/* Free the slices and marks. */
void session_backfill_clear(struct session_backfill *p);

#endif
