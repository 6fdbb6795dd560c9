/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting - from the readers' counts, and what the tick made of them, to the slice's accounts.
 *
 * Threads: the tick's; accounting_create and accounting_look also before it starts.
 */
#ifndef RINGTOP_SOURCES_LIVE_ACCOUNTING_H
#define RINGTOP_SOURCES_LIVE_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/live/readers.h"
#include "sources/live/tick.h"
#include "measure/session/slicer.h"

struct accounting;

/*
 * Create accounts for all readers that rs has capacity for.  NULL: out of memory.  The arguments
 * are borrowed.
 */
struct accounting *accounting_create(const struct readers *rs, struct resolver *r);
void accounting_free(struct accounting *a);

/*
 * Read the CPUs' idle times.  To be called before events are enabled, and each time before counters
 * are read.  counting: events have counted since the last call.
 */
void accounting_look(struct accounting *a, bool counting);

/* Count a fork of a measured task: its child has a period of its own under way. */
void accounting_fork(struct accounting *a);

/* Return the sums of a reader's event, for the slicer to add its rows to; valid as long as `a`. */
struct slicer_sums *accounting_sums(struct accounting *a, unsigned reader, unsigned event);

/* Add the accounts of the readers' events, and rows for samples that found no room. */
void accounting_tell(void *accounting, struct tick_now *n);

#endif
