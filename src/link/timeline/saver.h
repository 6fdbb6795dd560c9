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
 * It may begin late: SESSION_SAVE has what is known of the session until then, which the thread writes first.
 *
 * Threads: the ops from the front end's thread.
 */
#ifndef RINGTOP_LINK_TIMELINE_SAVER_H
#define RINGTOP_LINK_TIMELINE_SAVER_H

#include "base/err.h"
#include "measure/session/session.h"
#include "link/timeline/timering.h"
#include "link/timeline/timewriter.h"

struct saver_config {
	const char *path; /* NULL: ring */
	struct timering_config ring; /* its dir is kept by the caller; NULL too: nothing until SESSION_SAVE */
	struct timewriter_config how;
};

/* `inner` is the new session's, where there is one.  NULL with err. */
struct session *saver_open(struct session *inner, const struct saver_config *c, struct err *err);

#endif
