/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder - a recording to a perf.data file: a queue for each reader and one for sideband, and the
 * thread that writes them.
 *
 *   create ─▶ queue, ids ─▶ start ─▶ round, round ... ─▶ end ─▶ done ─▶ free
 *
 * What was there before (synthesize.h) is written by the same thread while records come in, and no
 * round is marked as finished until it is all there.  A round is what all readers drained at least
 * once: then nothing older than the one before can come.  A file that cannot be written any more
 * ends with its last whole record, by itself; whoever records sees it in the status.
 *
 * Threads: all calls from one thread, but for what is put into a queue.
 */
#ifndef RINGTOP_SOURCES_RECORD_RECORDER_H
#define RINGTOP_SOURCES_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sources/aux/auxset.h"
#include "base/err.h"
#include "kernel/capture/ringset.h"
#include "sources/record/recqueue.h"
#include "core/slice/slice.h"

struct recorder;

/* Makes the file, under its temporary name. */
struct recorder *recorder_create(const char *path, struct err *err);

/* The readers' queues and that of sideband, which is the last.  0 or -ENOMEM. */
int recorder_queues(struct recorder *r, unsigned readers, const struct ringset_config *rings,
		   struct err *err);
struct recqueue *recorder_queue(struct recorder *r, unsigned i);

/* The counters that write into queue i: at the start, and when they were opened anew.  0 or -ENOMEM. */
int recorder_ids(struct recorder *r, unsigned i, const struct ringset *set);

/*
 * The bytes of AUX areas in full mode, too, before the start.  Lane of the i-th area's reader: which of
 * ours.  0 or -ENOMEM.
 */
int recorder_aux(struct recorder *r, struct auxset *set, const unsigned *queues);

/*
 * Write from now on, the bytes of AUX areas, too; with the end they are the readers' again, who must
 * answer once more before all is freed.  The tids are the threads whose processes are synthesized: a single -1 for all,
 * none for no process.
 */
int recorder_start(struct recorder *r, const pid_t *tids, size_t ntids, struct err *err);

/* All that any reader has drained by now is in the queues, and that of all sideband rings. */
void recorder_round(struct recorder *r);

/* Set how many samples of an event the kernel has lost on queue i since the recording began. */
void recorder_lost(struct recorder *r, unsigned i, unsigned event, uint64_t samples);

/* Write what the queues hold as the last records, and finish the file.  Does not wait. */
void recorder_end(struct recorder *r);
bool recorder_done(const struct recorder *r);
void recorder_wait(struct recorder *r); /* after recorder_end */

/* For a session that could not begin: remove the file; an older one of its name stays. */
void recorder_discard(struct recorder *r);

/* Waits where it still runs; a file that was not finished is removed. */
void recorder_free(struct recorder *r);

/* File, size, samples and losses, and how it stands. */
void recorder_status(const struct recorder *r, struct slice_recording *to);

/* All that was there before is written: from now on rounds are marked.  From any thread. */
bool recorder_complete(const struct recorder *r);

/* Why it ended by itself or could not be finished; code 0: it did not.  Once it is done. */
const struct err *recorder_error(const struct recorder *r);

#endif
