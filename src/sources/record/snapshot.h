/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot - write the rings' contents to a file, when a key, a signal or a condition requests it.
 *
 *   requested ──tick──▶ rings copied by their readers ──▶ queued ──thread──▶ written under a
 *   temporary name, synced, renamed ──tick──▶ reported in a slice
 *
 * Each goes into a file of its own, ringtop-snapshot-DATE-NUMBER.data in a directory. No more than
 * SNAPSHOTS_WAITING wait for the disk: requests beyond that are refused and counted.
 *
 * Threads: snapshots_ask from any thread; the writer is a thread of its own; the rest is the
 * tick's.
 */
#ifndef RINGTOP_SOURCES_RECORD_SNAPSHOT_H
#define RINGTOP_SOURCES_RECORD_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sources/record/sidelog.h"
#include "sources/record/snapfile.h"
#include "core/slice/slice.h"

#define SNAPSHOTS_WAITING 2

struct snapshots;

/*
 * Create; files go into `dir` (NULL: the current directory). NULL with err: EINVAL, EACCES ..., a
 * directory that cannot be written to. Starts no thread yet.
 */
struct snapshots *snapshots_create(const char *dir, struct err *err);

/*
 * Wait at most `patience` ns for the file that is being written, then give it up and remove it.
 * Requests that have not begun are waited for, too, while the tick still runs to begin them
 * (ticking); else they are dropped.
 */
void snapshots_stop(struct snapshots *sn, uint64_t patience, bool ticking);
void snapshots_free(struct snapshots *sn); /* aborts a file that is being written */

/* Request a snapshot. Return 0, or -EBUSY with err: too many wait already. */
int snapshots_ask(struct snapshots *sn, enum snapshot_kind kind, const char *reason,
		  struct err *err);

/*
 * Take the next request: its kind and reason (the caller frees). False: none. Must be followed by
 * snapshots_send or snapshots_fail, unless there is no memory for either.
 */
bool snapshots_next(struct snapshots *sn, enum snapshot_kind *kind, char **reason);

/* Keep a copy of a sideband record for later snapshots. */
void snapshots_keep(struct snapshots *sn, const struct record *rec);

/* Append the kept sideband records (layout SIDELOG_TYPE) to f. Return 0 or -ENOMEM. */
int snapshots_sideband(struct snapshots *sn, struct snapfile *f);

/*
 * Hand over a snapfile with its rings to the writer, which takes ownership. Sets its number, file
 * and kind of state; the caller sets time, wall, bytes and reason.
 */
void snapshots_send(struct snapshots *sn, struct snapfile *f);

/* List a snapshot that could not be begun as failed. Takes over f. */
void snapshots_fail(struct snapshots *sn, struct snapfile *f, const char *why);

/* Add all news to the slice. */
void snapshots_report(struct snapshots *sn, struct slice *s);

/*
 * Format the file's name: DIR/ringtop-snapshot-YYYYMMDD-HHMMSS-NR.data, local time; wall: ns since
 * 1970. False: too long.
 */
bool snapshot_name(char *buf, size_t size, const char *dir, uint64_t wall, uint32_t nr);

#endif
