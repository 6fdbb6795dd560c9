/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past - what somebody who has followed a session knows of it, for who begins to save now (model/core/past.h): slices that come
 * before the session's next one.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_MEASURE_SESSION_PAST_H
#define RINGTOP_MEASURE_SESSION_PAST_H

#include "measure/session/session.h"

struct session_past {
	struct slice **slices; /* the oldest first; the first has no length: what ids mean, and what was pending */
	size_t nr;
	struct session_mark *marks;
	size_t nmarks;
};

void session_past_clear(struct session_past *p); /* frees what it holds */

#endif
