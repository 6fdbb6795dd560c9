/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxrecord - what full mode drains, on its way into a recording: the recorder's thread writes AUXTRACE
 * records straight from the areas, and what it wrote is the driver's again; the records of the event's
 * ring go with those of the CPU's reader.  Of snapshot mode, where samples carry the trace, only these
 * records and what a decoder must know.
 *
 * Nothing is between the area and the file: where the disk is late the area fills, and the kernel says
 * TRUNCATED.  Only the rest of an area that is closed, its CPU gone, is copied to wait for the writer.
 *
 *   create ─▶ begin (AUXTRACE_INFO) ─▶ sink set ─▶ write, write ... ─▶ sink unset, readers asked ─▶ free
 *
 * Threads: as named at each call.
 */
#ifndef RINGTOP_SOURCES_RECORD_AUXRECORD_H
#define RINGTOP_SOURCES_RECORD_AUXRECORD_H

#include "sources/aux/auxset.h"
#include "sources/record/datafile.h"
#include "sources/record/recqueue.h"

struct auxrecord;

/*
 * For the areas that a set has now, into a file that has not begun; the tick's thread.  wake_fd: written
 * when a quarter of an area waits; not owned.  NULL: out of memory.
 */
struct auxrecord *auxrecord_create(struct auxset *set, struct datafile *file, int wake_fd);
void auxrecord_free(struct auxrecord *ar);

/* The queue of area i's CPU reader, for the records of its ring.  The tick's thread, before the sink is set. */
void auxrecord_queue(struct auxrecord *ar, unsigned i, struct recqueue *queue);

/* Take what is drained from now on, or nothing any more.  Any thread. */
void auxrecord_on(struct auxrecord *ar, bool on);

/* The file learns the ids of the AUX event so far.  0 or -ENOMEM. */
int auxrecord_ids(struct auxrecord *ar);

/* What a decoder must know, before the first byte.  0 or -errno. */
int auxrecord_begin(struct auxrecord *ar);

/*
 * What waits in the areas: where it is worth a record, or all of it.  The recorder's thread.  0 or
 * -errno of the first write that failed; what could not be written is given back all the same, and
 * told by auxrecord_unwritten.
 */
int auxrecord_write(struct auxrecord *ar, bool all);

/* Bytes that were taken and are not in the file: on their way or, where writing failed, lost.  Any thread. */
uint64_t auxrecord_unwritten(const struct auxrecord *ar);

#endif
