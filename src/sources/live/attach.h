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
 *   forked in B, or its parent's first in C         may have some: it and its parent, with all their
 *                                                   children since, are opened anew
 *   forked later                                    has inherited them
 *
 * until a round finds nothing to do.  A parent that never stops forking is left after some rounds: children
 * that may not be measured then are counted as unsure.  So is a first fork soon after the end, which may
 * have been under way for longer than the grace.
 *
 * "Counters" are those of the readers' sampled events, and the sets of those that are only counted (counting.h).
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
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

struct attach;

/* NULL: out of memory.  The arguments are borrowed. */
struct attach *attach_create(struct scope *scope, struct readers *rs, struct resolver *r, struct counting *c);
void attach_free(struct attach *a);

/*
 * Open the events of the session's target, with the rings open and the readers not started; they are not
 * enabled yet.  0 or -errno; -ESRCH: all threads of the target are gone.
 */
int attach_start(struct attach *a, struct err *err);

/*
 * A user's new processes are looked for once a second and their events opened a tick later: by then the FORK
 * records of those that a measured process has forked were read.  True: some were opened.
 */
bool attach_find(struct attach *a);

/*
 * Open the events of these threads, whose rings were opened anew: all that were measured up to the `from`th record
 * that waits in the sideband.  They count after attach_enable.  0, or -errno: it may be tried for the `rest`.
 */
int attach_again(struct attach *a, const pid_t *tids, size_t nr, size_t from, bool rest);

/* Did a reader give no answer in time, when events were opened last?  Then none are open on its CPU. */
bool attach_late(const struct attach *a);

/*
 * Enable all events, and again a little later: a child that is forked in that moment may inherit an event that
 * is still disabled, and the kernel may even exchange it for its parent's, so that all later children have it so
 * (contexts of relatives are swapped where one runs after the other).  All of them are still reached by the
 * event that is open here.  ..._now: of a session that starts.
 */
void attach_enable(struct attach *a);
void attach_enable_now(struct attach *a);

/* After a pause, when others have enabled all events: attach_plan enables them again for some ticks. */
void attach_again_soon(struct attach *a);

/* Plan for the next question to the readers to enable all events again, while some ticks are to do so. */
void attach_plan(struct attach *a);

/* To be called with every sideband record, in order: finds the forks that are unsure. */
void attach_record(struct attach *a, const struct record *rec);

/* Put the unsure forks and the failures since the last call into the slice's counts and log. */
void attach_tell(struct attach *a, struct slice *s);

#endif
