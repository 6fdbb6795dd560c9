/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach - opens the events of tasks that start others meanwhile, so that each is counted once.
 *
 * A thread inherits the events that its parent has when it is made (copy_process), and appears in
 * /proc and in a FORK record a little later.  So, in rounds, with nothing counting yet:
 *
 *   sideband of all ─▶ [A] ─▶ counters of all ─▶ [B] ─▶ /proc again, a moment's grace ─▶ [C]
 *
 *   forked in A, or in /proc and in no FORK record  has no counters: opened in the next round
 *   forked in B, or its parent's first in C         may have some: it and its parent, with all
 *                                                   their children since, are opened anew
 *   forked later                                    has inherited them
 *
 * until a round finds nothing to do.  A parent that never stops forking is left after some rounds:
 * children that may not be measured then are counted as unsure.  So is a first fork soon after the
 * end, which may have been under way for longer than the grace.
 *
 * "Counters" are those of the readers' sampled events, and the sets of events that are only counted
 * (counting.h).
 *
 * Threads: the tick's; attach_start before it runs.
 */
#ifndef RINGTOP_SOURCES_LIVE_ATTACH_H
#define RINGTOP_SOURCES_LIVE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "files/decode/record.h"
#include "sources/consumers/counting.h"
#include "sources/live/readers.h"
#include "sources/live/scope.h"
#include "sources/live/tick.h"
#include "names/resolve/resolver.h"

struct attach;

/* Create it.  NULL: out of memory.  The arguments are borrowed. */
struct attach *attach_create(struct scope *scope, struct readers *rs, struct resolver *r,
			     struct counting *c);
void attach_free(struct attach *a);

/*
 * Open the events of the session's target, with the rings open and the readers not started; the
 * events stay disabled.  0 or -errno; -ESRCH: all threads of the target are gone.
 */
int attach_start(struct attach *a, struct err *err);

/*
 * Look for a user's new processes, once a second, and open their events a tick later: by then the
 * FORK records of processes that a measured one has forked were read.  TICK_CHANGE.
 */
void attach_find(void *attach, struct tick_now *n);

/*
 * Open the events of these threads, whose rings were opened anew: all threads that were measured up
 * to the `from`th waiting sideband record.  They count after attach_enable.  0 or -errno.  rest: a
 * repeated try, which opens only what is missing.
 */
int attach_again(struct attach *a, const pid_t *tids, size_t nr, size_t from, bool rest);

/* Return true if a reader did not reply when events were opened last: its CPU has none. */
bool attach_late(const struct attach *a);

/*
 * Enable all events, and again a little later: a child that is forked in that moment may inherit an
 * event that is still disabled, and the kernel may even exchange it for its parent's, so that all
 * later children have it so (contexts of relatives are swapped where one runs after the other).
 * All of them are still reached by the event that is open here.  ..._now does it in the calling
 * thread, for a session that starts.
 */
void attach_enable(struct attach *a);
void attach_enable_now(struct attach *a);

/* After a pause, with all events enabled elsewhere: let attach_plan repeat that for some ticks. */
void attach_switch(void *attach, struct tick_now *n);

/*
 * Plan READER_ENABLE_NEW for the next request to the readers, while some ticks are still to do so.
 */
void attach_plan(void *attach, struct tick_now *n);

/* Check a sideband record for an unsure fork.  To be called with every record, in order. */
void attach_record(struct attach *a, const struct record *rec);

/* Put the unsure forks and the failures since the last call into the slice's counts and log. */
void attach_tell(void *attach, struct tick_now *n);

#endif
