/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tickparts - the table of a tick's parts.  A new part is a row of it and a file of its own; only
 * the headers of parts that others use, too, are included here.
 *
 * Threads: the tick's; ..._create and ..._free before and after it.
 */
#ifndef RINGTOP_SOURCES_LIVE_TICKPARTS_H
#define RINGTOP_SOURCES_LIVE_TICKPARTS_H

#include "measure/session/outbox.h"
#include "sources/change/eventchange.h"
#include "sources/change/hotplug.h"
#include "sources/consumers/inkernel.h"
#include "sources/consumers/logevents.h"
#include "sources/consumers/snapshot_take.h"
#include "sources/consumers/throttling.h"
#include "sources/consumers/ftracing.h"
#include "sources/live/accounting.h"
#include "sources/live/command.h"
#include "sources/live/tick.h"
#include "sources/record/snapshot.h"

#define TICK_LAST_NS (2 * NSEC_PER_SEC) /* how long the last tick, which has no next, waits */

/* Phases of a tick, in this order.  All parts do their work of a phase before the next begins. */
enum tick_phase {
	TICK_SWITCH, /* the events begin or end to count, as readers->off has it */
	TICK_CHANGE, /* change what is measured */
	TICK_PLAN,   /* plan requests to the readers; these are sent then */
	TICK_TAKE,   /* add rows to the table's present generation, which is drained then */
	TICK_TELL,   /* add to the slice */
	TICK_END,    /* judge the slice, which has its times and its cost */
	TICK_PHASES
};

/* Create the parts of the tick alone, and list all.  NULL: out of memory. */
void **tickparts_create(const struct tick_parts *p);
void tickparts_free(void **parts);

/* Let all parts do their work of a phase. */
void tickparts_walk(void **parts, enum tick_phase phase, struct tick_now *n);

#endif
