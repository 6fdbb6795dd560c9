/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxrecord - trace bytes of full mode on their way into a recording: the recorder's thread writes
 * AUXTRACE records straight from the areas and returns the written bytes to the driver; the records
 * of the event's ring go with those of the CPU's reader. For snapshot mode, where samples carry the
 * trace, only these records and the decoder's information are written.
 *
 * There is no buffer between the area and the file: where the disk is late the area fills, and the
 * kernel reports TRUNCATED. Only the rest of an area that is closed, its CPU gone, is copied to
 * wait for the writer.
 *
 *   create ─▶ begin (AUXTRACE_INFO) ─▶ sink set ─▶ write, write ...
 *          ─▶ sink unset, readers replied ─▶ free
 *
 * Threads: as named at each call.
 */
#ifndef RINGTOP_SOURCES_RECORD_AUXRECORD_H
#define RINGTOP_SOURCES_RECORD_AUXRECORD_H

#include "sources/record/datafile.h"
#include "sources/record/recqueue.h"

struct auxrecord;

/*
 * Create for the present areas of a set, before `file` is begun; the tick's thread. set and file
 * are borrowed. wake_fd: written when a quarter of an area waits; not owned. NULL: out of memory.
 */
struct auxrecord *auxrecord_create(struct auxset *set, struct datafile *file, int wake_fd);
void auxrecord_free(struct auxrecord *ar);

/*
 * Set the queue of area i's CPU reader, for the records of its ring. The tick's thread, before the
 * sink is set.
 */
void auxrecord_queue(struct auxrecord *ar, unsigned i, struct recqueue *queue);

/* Start or stop taking what the readers drain. Any thread. */
void auxrecord_on(struct auxrecord *ar, bool on);

/* Write the ids that the AUX event has so far to the file's event. Return 0 or -ENOMEM. */
int auxrecord_ids(struct auxrecord *ar);

/* Write what a decoder needs (AUXTRACE_INFO), before the first byte. Return 0 or -errno. */
int auxrecord_begin(struct auxrecord *ar);

/*
 * Write the unread bytes of the areas: those worth a record, or all of them. The recorder's thread.
 * Return 0 or -errno of the first write that failed; bytes that could not be written are returned
 * to the driver all the same, and counted by auxrecord_unwritten.
 */
int auxrecord_write(struct auxrecord *ar, bool all);

/*
 * Return the number of bytes that were taken and are not in the file: on their way or, where
 * writing failed, lost. Any thread.
 */
uint64_t auxrecord_unwritten(const struct auxrecord *ar);

#endif
