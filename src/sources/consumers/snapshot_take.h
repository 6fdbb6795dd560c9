/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_take - the tick's half of a snapshot: requests copies of the rings from the readers, and
 * hands these to the writer.
 *
 * Threads: the tick's, except snapshot_take_ask; snapshot_take_create before it starts.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_SNAPSHOT_TAKE_H
#define RINGTOP_SOURCES_CONSUMERS_SNAPSHOT_TAKE_H

#include "base/err.h"
#include "sources/live/readers.h"
#include "sources/live/tick.h"
#include "sources/record/snapshot.h"
#include "measure/session/session.h"

struct snapshot_take;

/* Create it.  NULL: out of memory.  The arguments are borrowed. */
struct snapshot_take *snapshot_take_create(struct readers *rs, struct snapshots *sn);

/* Free it, after the readers: one that was late may still have copied into its buffers. */
void snapshot_take_free(struct snapshot_take *tk);

/* Request a snapshot (SESSION_SNAPSHOT, SESSION_DUMP).  0 or -errno with err.  Any thread. */
int snapshot_take_ask(struct snapshot_take *tk, const struct session_request *rq, struct err *err);

/* Plan further requests to the readers. */
void snapshot_take_plan(void *taking, struct tick_now *n);

/* Finish the snapshot when the readers have replied and the sideband up to then was taken. */
void snapshot_take_tell(void *taking, struct tick_now *n);

#endif
