/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach - opens the events of tasks that start others meanwhile, so that each is counted once.
 *
 * A thread inherits the events that its parent has when it is made (copy_process), and appears in
 * /proc and in a FORK record a little later.  So, in rounds, with nothing counting yet:
 *
 *   sideband of all ─▶ [A] ─▶ counters of all ─▶ [B] ─▶ /proc again, a moment's grace ─▶ [C]
 *
 *   born in A, or in /proc and in no FORK record   has no counters: opened in the next round
 *   born in B, or its parent's first in C          may have some: it and its parent, with all that
 *                                                  was born of them since, are opened anew
 *   born later                                     has inherited them
 *
 * until a round finds nothing to do.  A parent that never stops giving birth is left after some
 * rounds: those who may not be measured then are counted as unsure.  So is a first birth soon after
 * the end, which may have been under way for longer than the grace.
 *
 * Threads: the tick's; attach_start before it runs.
 */
#ifndef RINGTOP_LIVE_ATTACH_H
#define RINGTOP_LIVE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "decode/record.h"
#include "live/readers.h"
#include "live/scope.h"
#include "resolve/resolver.h"
#include "slice/slice.h"

struct attach;

/* NULL: out of memory.  The arguments are borrowed. */
struct attach *attach_create(struct scope *scope, struct readers *rs, struct resolver *r);
void attach_free(struct attach *a);

/*
 * Of a session's target, with the rings open and the readers not started: nothing counts yet, when it
 * returns.  -ESRCH: all of them are gone.
 */
int attach_start(struct attach *a, struct err *err);

/*
 * A user's new processes are looked for once a second and their events opened a tick later: by then the FORK
 * records of those that a measured process has forked were read.  True: some were opened.
 */
bool attach_find(struct attach *a);

/*
 * Of these, whose rings were opened anew: all who were measured up to the `from`th record that waits
 * in the sideband.  They count after attach_enable.  0 or -errno; then it may be tried for the rest.
 */
int attach_again(struct attach *a, const pid_t *tids, size_t nr, size_t from, bool rest);

/* Did a reader not answer in time, the last time?  Then nothing is open on its CPU. */
bool attach_late(const struct attach *a);

/*
 * Let all count, and again a little later: who is born in that moment may inherit an event as it was,
 * and the kernel may even exchange it for its parent's, so that all later children have it so (contexts
 * of relatives are swapped where one runs after the other).  All of them are still found by the event
 * that we hold.  ..._now: of a session that starts.
 */
void attach_enable(struct attach *a);
void attach_enable_now(struct attach *a);

/* All were enabled by others, after a pause: it is to be done again. */
void attach_again_soon(struct attach *a);

/* What the next question is to do for it: let all go again, for some ticks. */
void attach_plan(struct attach *a);

/* Every sideband record, when it is applied. */
void attach_record(struct attach *a, const struct record *rec);

/* What is new goes into the slice's counts and its log. */
void attach_tell(struct attach *a, struct slice *s);

#endif
