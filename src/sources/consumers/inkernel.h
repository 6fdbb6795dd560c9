/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inkernel - --by with --in-kernel: the kernel sums up by fields itself (hist triggers,
 * sources/ftrace/hist.h), in a tracefs instance of the session, and the tick reads the sums.  No
 * record is written.
 *
 *   tracepoint ─▶ trigger: key ─▶ entry of the kernel's map ─tick: as text─▶ differences ─▶ slice
 *
 * Each event keeps its index in the list of events, where a dummy stands for it from then on.  The
 * kernel's sums are never cleared, which would race with hits: the sums published before are kept,
 * and the difference is new.  At the end the triggers are paused first, so that the last reading is
 * exact.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_INKERNEL_H
#define RINGTOP_SOURCES_CONSUMERS_INKERNEL_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "sources/live/tick.h"
#include "measure/session/session.h"
#include "measure/trace/tracefields.h"

#define INKERNEL_ENTRIES 8192 /* of each event; hits of further keys are counted as dropped */

struct inkernel;

/*
 * Take over the events of the list that `fields` has keys for; their filters were found good.  The
 * triggers are there afterwards, and paused.  0; -EINVAL: unsupported by the kernel's histograms,
 * or by a kernel without them; others: see instance_create.
 */
int inkernel_create(struct event_list *list, const struct tracefields *fields, struct inkernel **to,
		    struct err *err);
void inkernel_free(struct inkernel *k);

/* Describe these events for a session's info. */
void inkernel_describe(const struct inkernel *k, struct session_event *events);

/* Let the events count, or not.  The next slice logs failures. */
void inkernel_enable(struct inkernel *k, bool on);
void inkernel_switch(void *inkernel, struct tick_now *n);

/*
 * Add the new sums, and the accounts: hits that have an entry are counted, dropped ones are lost.
 */
void inkernel_tell(void *inkernel, struct tick_now *n);

#endif
