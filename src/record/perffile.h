/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perffile - a perf.data file being written: under a temporary name beside its own, and under its
 * own only once it is whole, synced and closed.  Whatever ends the program before leaves the
 * temporary file, never half a file where a whole one is expected.
 *
 *   create ─▶ begin ─▶ records, auxtrace ... ─▶ feature ... ─▶ finish ─▶ free
 *
 * A full disk is met before it is full: space is claimed ahead of what is written, what the end of
 * the file needs included, and some is left to others.  From the first failed write on no record
 * is taken any more, and the file can be finished with what it has.
 *
 * Threads: one owner at a time.  All calls may wait for the disk.
 */
#ifndef RINGTOP_RECORD_PERFFILE_H
#define RINGTOP_RECORD_PERFFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/perfwrite.h"

struct perffile;

/* -ENOSPC where there is hardly any room; -EINVAL where path is something else than a file. */
struct perffile *perffile_create(const char *path, struct err *err);

/* So many bytes of records are to come: is there room?  0, or -ENOSPC before any is written. */
int perffile_expect(struct perffile *pf, uint64_t bytes, struct err *err);

/* Removes the temporary file unless it was finished. */
void perffile_free(struct perffile *pf);

/* The same, whatever became of it: after a finish that failed nothing is left either. */
void perffile_discard(struct perffile *pf);

/* The file's header and its events.  0 or -errno. */
int perffile_begin(struct perffile *pf, const struct perfwrite_event *events, unsigned nr);

/*
 * Whole records, as the kernel or perfwrite made them.  Collected to big writes; 0, or -errno of
 * the first write that failed, for this and all that follow.
 */
int perffile_records(struct perffile *pf, const void *bytes, size_t len);

/*
 * The same for what the others need to be read, at once; where the disk is full, into the room for the
 * file's end.
 */
int perffile_needed(struct perffile *pf, const void *bytes, size_t len);

struct iovec;

#define PERFFILE_PARTS 64

/* An AUXTRACE record with its bytes, from `nr` places (at most PERFFILE_PARTS), in one write. */
int perffile_auxtrace(struct perffile *pf, const struct perfwrite_auxtrace *a,
		      const struct iovec *parts, unsigned nr);

/* Write out what is collected. */
int perffile_flush(struct perffile *pf);

/* The content of a feature section, to be filled before perffile_finish; NULL: out of memory. */
struct perfwrite *perffile_feature(struct perffile *pf, enum perfwrite_feature feature);

/*
 * End the file: features, header, sync, its own name.  What stood there before is renamed to
 * path.old.  `events` as in perffile_begin, with ids that came since.  0 or -errno with err, and the
 * temporary file stays.
 */
int perffile_finish(struct perffile *pf, const struct perfwrite_event *events, unsigned nr,
		    struct err *err);

int perffile_failed(const struct perffile *pf); /* -errno of the first write that failed, or 0 */

/* Samples that were given and are not in the file, because writing failed. */
uint64_t perffile_dropped(const struct perffile *pf);

uint64_t perffile_bytes(const struct perffile *pf); /* of the file so far */
const char *perffile_path(const struct perffile *pf);

#endif
