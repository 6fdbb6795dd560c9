/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inkernel - --by with --in-kernel: the kernel sums up by fields itself (hist triggers, sources/ftrace/hist.h), in an instance of
 * ours, and the tick reads what has come together.  No record is written.
 *
 *   tracepoint ─▶ trigger: key ─▶ entry of the kernel's map ─tick: all of it as text─▶ what is new of each ─▶ slice
 *
 * Each keeps its place in the list of events, where a dummy stands for it from then on.  The kernel's sums are never
 * cleared, which would race with hits: what was told before is kept, and the difference is what is new.  At the end the
 * triggers are paused first, so that the last reading is exact.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_INKERNEL_H
#define RINGTOP_SOURCES_CONSUMERS_INKERNEL_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "measure/trace/tracefields.h"

#define INKERNEL_ENTRIES 8192 /* of each event's map: hits of further keys are dropped, and counted */

struct inkernel;

/*
 * Of the list, all that `fields` has keys for; their filters were found good.  The triggers are there afterwards, and
 * paused.  0; -EINVAL: what the kernel's histograms cannot do, a kernel that has none; else see instance_create.
 */
int inkernel_create(struct event_list *list, const struct tracefields *fields, struct inkernel **to, struct err *err);
void inkernel_free(struct inkernel *k);

/* What such events are, for a session's info. */
void inkernel_describe(const struct inkernel *k, struct session_event *events);

/* Shall they count?  What fails is told by the next slice. */
void inkernel_enable(struct inkernel *k, bool on);

/* What is new, and the accounts: counted are hits that have an entry, dropped ones are lost. */
void inkernel_tell(struct inkernel *k, bool last, struct slice *s);

#endif
