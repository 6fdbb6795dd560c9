/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filesession - the session that replays a perf.data file, as fast as slices are taken.
 *
 *   read ─▶ perfdata ─▶ order ─▶ replay ─▶ outbox, waiting while it is full
 *
 * All in one thread, but for those that read symbols. Session time is the file's: 0 is the first
 * sample.
 *
 * Threads: the ops from the front end's thread; file_open blocks until the events are known.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILESESSION_H
#define RINGTOP_SOURCES_REPLAY_FILESESSION_H

#include "base/err.h"
#include "measure/session/measure_config.h"
#include "measure/session/session.h"

/*
 * Open a session that replays c->input; c's texts are borrowed for the session's life. NULL with
 * err: ENOENT, EACCES ..., EBADMSG if it is no perf.data file, ECANCELED.
 */
struct session *file_open(const struct measure_config *c, struct err *err);

#endif
