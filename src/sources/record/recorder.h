/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder - a recording to a perf.data file: a queue for each reader and one for sideband, and the
 * thread that writes them.
 *
 *   create ─▶ queue, ids ─▶ start ─▶ round, round ... ─▶ end ─▶ done ─▶ free
 *
 * The state before the recording (synthesize.h) is written by the same thread while records come
 * in, and no round is marked as finished until it is complete. A round ends when all readers have
 * drained at least once: then nothing older than the previous round can come. A file that cannot be
 * written any more ends by itself with its last whole record; the session sees it in the status.
 *
 * Threads: all calls from one thread, but for puts into a queue.
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

/* Create the file, under its temporary name. */
struct recorder *recorder_create(const char *path, struct err *err);

/* Create the readers' queues and, as the last one, the sideband's. Return 0 or -ENOMEM. */
int recorder_queues(struct recorder *r, unsigned readers, const struct ringset_config *rings,
		   struct err *err);
struct recqueue *recorder_queue(struct recorder *r, unsigned i);

/*
 * Note the counters that write into queue i: at the start, and after they were reopened. Return 0
 * or -ENOMEM.
 */
int recorder_ids(struct recorder *r, unsigned i, const struct ringset *set);

/*
 * Record the bytes of AUX areas in full mode, too; call before the start. queues[i]: index of the
 * recording queue of AUX area i's reader. Return 0 or -ENOMEM.
 */
int recorder_aux(struct recorder *r, struct auxset *set, const unsigned *queues);

/*
 * Start writing, including the bytes of AUX areas; with the end the readers drain them again, and
 * every reader must reply to one more request before all is freed. tids: threads whose processes
 * are synthesized (copied); a single -1 for all, none for no process.
 */
int recorder_start(struct recorder *r, const pid_t *tids, size_t ntids, struct err *err);

/*
 * Mark the end of a round: all that any reader and all sideband rings have drained by now is in the
 * queues.
 */
void recorder_round(struct recorder *r);

/* Set how many samples of an event the kernel has lost on queue i since the recording began. */
void recorder_lost(struct recorder *r, unsigned i, unsigned event, uint64_t samples);

/* End: write what the queues hold as the last records, and finish the file. Does not wait. */
void recorder_end(struct recorder *r);
bool recorder_done(const struct recorder *r);
void recorder_wait(struct recorder *r); /* after recorder_end */

/* Remove the file of a session that could not begin; an older one of its name stays. */
void recorder_discard(struct recorder *r);

/* Free; waits while it still runs; a file that was not finished is removed. */
void recorder_free(struct recorder *r);

/* Get the file's name, size, samples and losses, and the recording's state. */
void recorder_status(const struct recorder *r, struct slice_recording *to);

/*
 * Return true if the state before the recording is all written: from now on rounds are marked. From
 * any thread.
 */
bool recorder_complete(const struct recorder *r);

/*
 * Return why it ended by itself or could not be finished; code 0: it did not. Call once it is done.
 */
const struct err *recorder_error(const struct recorder *r);

#endif
