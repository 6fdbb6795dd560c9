/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * datafile - a perf.data file being written: its events, the state before the recording, records,
 * AUX data and their decoder's information, features, and the end. A recording streams into it; a
 * snapshot is a recording that is complete at once.
 *
 *   create ─▶ event, ids ─▶ begin (─▶ aux) ─▶ earlier ─▶ records, auxtrace ... ─▶ finish ─▶ free
 *
 * The file has a temporary name until it is complete (partfile.h). After the first failed write no
 * more records are taken, and the file can be finished with the records that it has. Times of
 * samples and names of mapped files are read from the records: samples have their time where the
 * first event's have it, and maps end with a sample_id of RINGSET_SIDEBAND_TYPE.
 *
 * Threads: one owner at a time, unless a call allows any. All calls may wait for the disk.
 */
#ifndef RINGTOP_SOURCES_RECORD_DATAFILE_H
#define RINGTOP_SOURCES_RECORD_DATAFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "sources/aux/auxset.h"
#include "base/err.h"
#include "files/decode/perfwrite.h"

struct datafile;

/*
 * Create the temporary file. bytes: amount of records that is certain to come. NULL with err:
 * ENOSPC, no room for them; EINVAL, path is not a regular file; others.
 */
struct datafile *datafile_create(const char *path, uint64_t bytes, struct err *err);

/* Free; the temporary file is removed unless it was finished. */
void datafile_free(struct datafile *df);

/* Free and remove the temporary file, even after a finish that failed. */
void datafile_discard(struct datafile *df);

/* --- the beginning ------------------------------------------------------------------------ */

/* Add an event, before datafile_begin; the name is borrowed. Return its number or -ENOMEM. */
int datafile_event(struct datafile *df, const struct perf_event_attr *attr, const char *name);

/*
 * Set all ids of an event, or add one, until the file is finished. Any thread. Return 0 or -ENOMEM.
 */
int datafile_ids(struct datafile *df, unsigned event, const uint64_t *ids, size_t nr);
int datafile_id(struct datafile *df, unsigned event, uint64_t id);

/* Write the file's header and its events. Return 0 or -errno, as all calls below. */
int datafile_begin(struct datafile *df);

/* Write the information that a decoder of AUX data needs, after an ID_INDEX. */
int datafile_aux(struct datafile *df, const struct auxset_info *info, bool per_cpu);

/*
 * Start collecting the state before the recording (synthesize.h) in the background. It comes piece
 * by piece: each datafile_take_earlier writes the next one if it is there, or with `wait` waits for
 * it, until datafile_complete. On a full disk it goes into the room kept for the file's end.
 * -ENOMEM: a piece is incomplete.
 */
int datafile_earlier(struct datafile *df, const pid_t *tids, size_t ntids, int wake_fd);
int datafile_take_earlier(struct datafile *df, bool wait);
bool datafile_complete(const struct datafile *df); /* from any thread */

/* --- records ------------------------------------------------------------------------------ */

/*
 * Append whole records, as the kernel or perfwrite made them; collected into big writes. Return 0,
 * or -errno of the first write that failed, also for all later calls. *newest, unless NULL: the
 * time of the last sample among them, if there is one.
 */
int datafile_records(struct datafile *df, const void *bytes, size_t len, uint64_t *newest);

/* Append records made with perfwrite and free them; -ENOMEM if w failed. */
int datafile_put(struct datafile *df, struct perfwrite *w);

#define DATAFILE_PARTS 4

/*
 * Append an AUXTRACE record with its bytes, from `nr` places (at most DATAFILE_PARTS), in one
 * write.
 */
int datafile_auxtrace(struct datafile *df, const struct perfwrite_auxtrace *a,
		      const struct iovec *parts, unsigned nr);

/* Write out the collected records. */
int datafile_flush(struct datafile *df);

/* --- the end ------------------------------------------------------------------------------ */

/*
 * Write features and header, sync, and rename the file to its own name; an older file of that name
 * is renamed to path.old. Return 0, or -errno with err, and the temporary file stays.
 */
int datafile_finish(struct datafile *df, struct err *err);

int datafile_failed(const struct datafile *df); /* -errno of the first write that failed, or 0 */
const char *datafile_path(const struct datafile *df);

/*
 * Bytes and samples of the file so far, without samples that could not be written. From any thread.
 */
uint64_t datafile_bytes(const struct datafile *df);
uint64_t datafile_samples(const struct datafile *df);

#endif
