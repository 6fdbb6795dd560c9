/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileevents - which events of the session those of a perf.data file are.
 *
 * Threads: none of its own; the file is the caller's.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEEVENTS_H
#define RINGTOP_SOURCES_REPLAY_FILEEVENTS_H

#include "files/decode/perfdata.h"
#include "measure/session/session.h"

/*
 * Which event of the session each of the file's is; names and rates go into events, which has room
 * for COMBINE_EVENTS.  Returns how many there are.
 */
unsigned fileevents_describe(const struct perfdata *file, struct session_event *events);

/*
 * The session's number of the file's i-th event, called for each in turn with *nr, their number so far (0 first).
 * Beyond what a table can tell apart they share one; PERFDATA_NO_EVENT: it is not shown.
 */
uint32_t fileevents_number(const struct perfdata *file, unsigned i, unsigned *nr);

#endif
