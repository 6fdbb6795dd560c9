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
#include "core/slice/slice.h"

struct gauges;

struct gauges *gauges_create(struct readers *rs); /* NULL: out of memory; the readers are
						   * borrowed */
void gauges_free(struct gauges *g);

/* Add the gauges of all rings of a reader to the slice, and reset the sideband's. */
void gauges_add(struct gauges *g, unsigned reader, struct slice *s);

#endif
