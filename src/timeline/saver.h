/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saver - a session that gives another one's slices, and saves them as a time line.
 *
 *   session ─▶ next() ─┬─▶ front end
 *                      └─ a copy ─▶ outbox ─▶ thread: timewriter ─▶ file
 *
 * The outbox merges where the disk is late, so nothing is lost by that, and nobody who watches waits.  What cannot
 * be written is said in the next slice, counted, and goes on when there is room again.
 *
 * Threads: the ops from the front end's thread.
 */
#ifndef RINGTOP_TIMELINE_SAVER_H
#define RINGTOP_TIMELINE_SAVER_H

#include "base/err.h"
#include "session/session.h"
#include "timeline/timering.h"
#include "timeline/timewriter.h"

struct saver_config {
	const char *path; /* kept by the caller; NULL: ring */
	struct timering_config ring; /* its dir, too, is the caller's */
	struct timewriter_config how;
};

/* `inner` is the new session's, where there is one.  NULL with err. */
struct session *saver_open(struct session *inner, const struct saver_config *c, struct err *err);

#endif
