/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxrecord - what full mode drains, on its way into a recording: the bytes of each area through a
 * bounded lane of its own to the recorder's thread, which writes them as AUXTRACE records; the records of
 * the event's ring with those of the CPU's reader.  Of snapshot mode, where samples carry the trace, only
 * these records and what a decoder must know.
 *
 * What does not fit into a lane is lost, and the reader that drains counts it.
 *
 *   create ─▶ begin (AUXTRACE_INFO) ─▶ sink set ─▶ write, write ... ─▶ sink unset, readers asked ─▶ free
 *
 * Threads: as named at each call.
 */
#ifndef RINGTOP_SESSION_AUXRECORD_H
#define RINGTOP_SESSION_AUXRECORD_H

#include "decode/perfwrite.h"
#include "session/auxset.h"
#include "session/lane.h"
#include "session/perffile.h"

struct auxrecord;

/*
 * For the areas of a set; the tick's thread.  wake_fd: written when a lane gets more than
 * half full; not owned.  NULL: out of memory.
 */
struct auxrecord *auxrecord_create(struct auxset *set, int wake_fd);
void auxrecord_free(struct auxrecord *ar);

/* The lane of area i's CPU reader, for the records of its ring.  The tick's thread, before the sink is set. */
void auxrecord_lane(struct auxrecord *ar, unsigned i, struct lane *lane);

/* Take what is drained from now on, or nothing any more.  The tick's thread. */
void auxrecord_on(struct auxrecord *ar, bool on);

/* The AUX event as the file describes it; ids are a copy, to be freed.  False: out of memory. */
bool auxrecord_event(struct auxrecord *ar, struct perfwrite_event *e, uint64_t **ids);

/* What a decoder must know, before the first byte.  0 or -errno. */
int auxrecord_begin(struct auxrecord *ar, struct perffile *file);

/* All that is in the lanes.  The recorder's thread.  0 or -errno of the first write that failed. */
int auxrecord_write(struct auxrecord *ar, struct perffile *file);

/* Bytes that were taken and are not in the file: on their way or, where writing failed, lost.  Any thread. */
uint64_t auxrecord_unwritten(const struct auxrecord *ar);

#endif
