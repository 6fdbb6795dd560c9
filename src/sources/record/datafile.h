/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * datafile - a perf.data file being written: its events, what was there before, records, AUX data and
 * what decodes it, features, and the end.  A recording streams into it; a snapshot is a recording that
 * is all there at once.
 *
 *   create ─▶ event, ids ─▶ begin (─▶ aux) ─▶ earlier ─▶ records, auxtrace ... ─▶ finish ─▶ free
 *
 * It stands under a temporary name until it is whole (partfile.h).  From the first failed write on no
 * record is taken any more, and the file can be finished with what it has.  Times of samples and files
 * that are mapped are taken from the records: samples have their time where the first event's have it,
 * and maps end with a sample_id of RINGSET_SIDEBAND_TYPE.
 *
 * Threads: one owner at a time, but for what is said to be from any.  All calls may wait for the disk.
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
 * -ENOSPC where there is no room for the bytes of records that are sure to come; -EINVAL where path is
 * something else than a file.
 */
struct datafile *datafile_create(const char *path, uint64_t bytes, struct err *err);

/* Removes the temporary file unless it was finished. */
void datafile_free(struct datafile *df);

/* The same, and after a finish that failed nothing is left either. */
void datafile_discard(struct datafile *df);

/* --- the beginning ------------------------------------------------------------------------ */

/* One event more, before the beginning; the name is borrowed.  Its number or -ENOMEM. */
int datafile_event(struct datafile *df, const struct perf_event_attr *attr, const char *name);

/* All ids of an event, or one more, until the file is finished.  Any thread.  0 or -ENOMEM. */
int datafile_ids(struct datafile *df, unsigned event, const uint64_t *ids, size_t nr);
int datafile_id(struct datafile *df, unsigned event, uint64_t id);

/* The file's header and its events.  0 or -errno, as all that follow. */
int datafile_begin(struct datafile *df);

/* What a decoder must know of AUX data; an ID_INDEX stands before it. */
int datafile_aux(struct datafile *df, const struct auxset_info *info, bool per_cpu);

/*
 * What was there before (synthesize.h) is collected from now on, and comes piece by piece: take what there
 * is, or wait for it, until all is written.  Where the disk is full it goes into the room for the file's
 * end.  -ENOMEM: a piece is not complete.
 */
int datafile_earlier(struct datafile *df, const pid_t *tids, size_t ntids, int wake_fd);
int datafile_take_earlier(struct datafile *df, bool wait);
bool datafile_complete(const struct datafile *df); /* from any thread */

/* --- records ------------------------------------------------------------------------------ */

/*
 * Whole records, as the kernel or perfwrite made them, collected to big writes.  0, or -errno of the
 * first write that failed, for this and all that follow.  *newest, where not NULL: the time of the last
 * sample among them, if there is one.
 */
int datafile_records(struct datafile *df, const void *bytes, size_t len, uint64_t *newest);

/* The same of records that were made, which are freed; -ENOMEM where they could not be. */
int datafile_put(struct datafile *df, struct perfwrite *w);

#define DATAFILE_PARTS 4

/* An AUXTRACE record with its bytes, from `nr` places (at most DATAFILE_PARTS), in one write. */
int datafile_auxtrace(struct datafile *df, const struct perfwrite_auxtrace *a,
		      const struct iovec *parts, unsigned nr);

/* Write out what is collected. */
int datafile_flush(struct datafile *df);

/* --- the end ------------------------------------------------------------------------------ */

/*
 * Features, header, sync, its own name; what stood there before is renamed to path.old.  0 or -errno
 * with err, and the temporary file stays.
 */
int datafile_finish(struct datafile *df, struct err *err);

int datafile_failed(const struct datafile *df); /* -errno of the first write that failed, or 0 */
const char *datafile_path(const struct datafile *df);

/* Of the file so far; samples without those that could not be written.  From any thread. */
uint64_t datafile_bytes(const struct datafile *df);
uint64_t datafile_samples(const struct datafile *df);

#endif
