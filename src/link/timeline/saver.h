/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saver - a session that passes on another one's slices, and saves them as a time line.
 *
 *   session ─▶ next() ─┬─▶ front end
 *                      └─ a copy ─▶ outbox ─▶ thread: timewriter ─▶ file
 *
 * The outbox merges slices while the disk is slow, so that no counts are lost and the front end
 * never waits.  A failure to write is counted and reported in the next slice; saving goes on when
 * there is room again.
 *
 * Saving may begin late: SESSION_SAVE has the session's history until then, which the thread writes
 * first.
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
	const char *path; /* a file; NULL: `ring` */
	/* dir is borrowed; NULL, too: nothing is saved until SESSION_SAVE */
	struct timering_config ring;
	struct timewriter_config how;
};

/* Open a saver; it owns `inner` from then on.  NULL with err: `inner` stays the caller's. */
struct session *saver_open(struct session *inner, const struct saver_config *c, struct err *err);

#endif
