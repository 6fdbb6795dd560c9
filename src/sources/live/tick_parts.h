/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_parts - the table of a tick's parts.  A new part is a row of it and a file of its own; one
 * that only the tick knows is named in TICK_PARTS, and its file has its row.
 *
 * Threads: the tick's; ..._create and ..._free before and after it.
 */
#ifndef RINGTOP_SOURCES_LIVE_TICK_PARTS_H
#define RINGTOP_SOURCES_LIVE_TICK_PARTS_H

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

struct tick_part {
	/* Makes the part, which free() frees; NULL: its pointer is in struct tick_parts, at `at`. */
	void *(*create)(const struct tick_parts *p);
	size_t at;
	tick_work *work[TICK_PHASES];
};

/* Parts that only the tick makes: their rows stand in their files. */
#define TICK_PARTS(P) P(pace) P(autopaths)

#define TICK_PART_DECLARE(name) extern const struct tick_part tick_part_##name;
TICK_PARTS(TICK_PART_DECLARE)

/* Create the parts of the tick alone, and list all.  NULL: out of memory. */
void **tick_parts_create(const struct tick_parts *p);
void tick_parts_free(void **parts);

/* Let all parts do their work of a phase. */
void tick_parts_walk(void **parts, enum tick_phase phase, struct tick_now *n);

#endif
