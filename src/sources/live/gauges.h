/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gauges - how full the rings are and what went through them, for each slice: of every reader its
 * sample ring, its sideband ring, and its ftrace ring where it has one.
 *
 * Threads: the tick's; gauges_create also before it starts.
 */
#ifndef RINGTOP_SOURCES_LIVE_GAUGES_H
#define RINGTOP_SOURCES_LIVE_GAUGES_H

#include "sources/live/readers.h"
#include "sources/live/tick.h"
#include "core/slice/slice.h"

struct gauges;

void *gauges_create(const struct tick_parts *p); /* for p->readers; freed by free() */

/* Add the gauges of all rings of a reader to the slice, and reset the sideband's. */
void gauges_add(struct gauges *g, unsigned reader, struct slice *s);

/* Add those of all readers, and of AUX areas.  CPUs that came later stand behind all others. */
void gauges_tell(void *gauges, struct tick_now *n);

#endif
