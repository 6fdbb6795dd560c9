/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting - from what readers counted, and what became of it in the tick, to the slice's accounts.
 *
 * Threads: the tick's; accounting_look also before it starts.
 */
#ifndef RINGTOP_LIVE_ACCOUNTING_H
#define RINGTOP_LIVE_ACCOUNTING_H

#include "live/tick.h"

/* Look how long the CPUs idled so far: before events begin to count, and before counters are read. */
void accounting_look(struct tick *t, bool counting);

/* The accounts of a reader's events, and rows for what found no room. */
void accounting_add(struct tick *t, struct tick_reader *tr, struct slice *s);

#endif
