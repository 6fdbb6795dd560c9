/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taking - the tick's half of a snapshot: asking the readers for copies of their rings, and handing
 * these to the writer.
 *
 * Threads: the tick's, but for taking_ask; taking_create before it starts.
 */
#ifndef RINGTOP_LIVE_TAKING_H
#define RINGTOP_LIVE_TAKING_H

#include "base/err.h"
#include "live/readers.h"
#include "record/snapshot.h"
#include "session/session.h"

struct taking;

/* NULL: out of memory.  The arguments are borrowed. */
struct taking *taking_create(struct readers *rs, struct snapshots *sn);

/* After the readers: one that was late may still have copied into what is freed here. */
void taking_free(struct taking *tk);

/* SESSION_SNAPSHOT and SESSION_DUMP; from any thread. */
int taking_ask(struct taking *tk, const struct session_request *rq, struct err *err);

/* Before the readers are asked: plan what else to ask them. */
void taking_plan(struct taking *tk);

/* When they have answered and the sideband up to then was taken. */
void taking_end(struct taking *tk, struct slice *s);

#endif
