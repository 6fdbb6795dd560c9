/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_take - the tick's half of a snapshot: asking the readers for copies of their rings, and handing
 * these to the writer.
 *
 * Threads: the tick's, but for snapshot_take_ask; snapshot_take_create before it starts.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_SNAPSHOT_TAKE_H
#define RINGTOP_SOURCES_CONSUMERS_SNAPSHOT_TAKE_H

#include "base/err.h"
#include "sources/live/readers.h"
#include "sources/record/snapshot.h"
#include "measure/session/session.h"

struct snapshot_take;

/* NULL: out of memory.  The arguments are borrowed. */
struct snapshot_take *snapshot_take_create(struct readers *rs, struct snapshots *sn);

/* After the readers: one that was late may still have copied into what is freed here. */
void snapshot_take_free(struct snapshot_take *tk);

/* SESSION_SNAPSHOT and SESSION_DUMP; from any thread. */
int snapshot_take_ask(struct snapshot_take *tk, const struct session_request *rq, struct err *err);

/* Before the readers are asked: plan what else to ask them. */
void snapshot_take_plan(struct snapshot_take *tk);

/* When they have answered and the sideband up to then was taken. */
void snapshot_take_end(struct snapshot_take *tk, struct slice *s);

#endif
