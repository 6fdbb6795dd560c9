/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileevents - mapping of a perf.data file's events to the session's.
 *
 * Threads: none of its own; the file is the caller's.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEEVENTS_H
#define RINGTOP_SOURCES_REPLAY_FILEEVENTS_H

#include "files/decode/perfdata.h"
#include "measure/session/session.h"

/*
 * Fill the session's events, names and rates, into `events`, which has room for COMBINE_EVENTS.
 * Return their number.
 */
unsigned fileevents_describe(const struct perfdata *file, struct session_event *events);

/*
 * Return the session's number of the file's i-th event. Call for each i in turn with *nr, the
 * number of session events so far (0 first). Events beyond what a table can tell apart share one;
 * PERFDATA_NO_EVENT: not shown.
 */
uint32_t fileevents_number(const struct perfdata *file, unsigned i, unsigned *nr);

#endif
