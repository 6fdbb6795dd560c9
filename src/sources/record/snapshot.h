/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot - what the rings hold, into a file, when a key, a signal or a condition asks for it.
 *
 *   asked ──tick──▶ rings copied by their readers ──▶ queued ──thread──▶ written under a temporary
 *   name, synced, renamed ──tick──▶ said in a slice
 *
 * Each goes into a file of its own, ringtop-snapshot-DATE-NUMBER.data in a directory.  No more than
 * SNAPSHOTS_WAITING wait for the disk: what is asked beyond that is refused and counted.
 *
 * Threads: snapshots_ask from any thread; the writer is our own; the rest is the tick's.
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
 * Into `dir` (NULL: the current directory).  -EINVAL, -EACCES ... where it is none that can be
 * written to.  Starts no thread yet.
 */
struct snapshots *snapshots_create(const char *dir, struct err *err);

/*
 * Wait at most `patience` ns for what is being written, then give it up and remove it.  What was asked
 * for and is not begun is waited for too where the tick still runs to begin it; else it is dropped.
 */
void snapshots_stop(struct snapshots *sn, uint64_t patience, bool ticking);
void snapshots_free(struct snapshots *sn); /* a file that is being written is given up at once */

/* Ask for one.  -EBUSY: so many wait already. */
int snapshots_ask(struct snapshots *sn, enum snapshot_kind kind, const char *reason, struct err *err);

/*
 * The next that was asked for: its kind and reason (to be freed).  False: none.  It is to be sent or
 * failed, but where memory does not last for either.
 */
bool snapshots_next(struct snapshots *sn, enum snapshot_kind *kind, char **reason);

/* Keep a sideband record for the snapshots to come. */
void snapshots_keep(struct snapshots *sn, const struct record *rec);

/* Those that were kept, with sample_ids of SIDELOG_TYPE, for f.  0 or -ENOMEM. */
int snapshots_sideband(struct snapshots *sn, struct snapfile *f);

/*
 * Hand over a snapfile with its rings; takes it over.  Its number, file and kind of state are set
 * here; time, wall, bytes and reason are the caller's to set.
 */
void snapshots_send(struct snapshots *sn, struct snapfile *f);

/* It could not be begun: said in the list all the same. */
void snapshots_fail(struct snapshots *sn, struct snapfile *f, const char *why);

/* All that is new, into the slice. */
void snapshots_report(struct snapshots *sn, struct slice *s);

/* The file's name: DIR/ringtop-snapshot-YYYYMMDD-HHMMSS-NR.data, local time.  false: too long. */
bool snapshot_name(char *buf, size_t size, const char *dir, uint64_t wall, uint32_t nr);

#endif
