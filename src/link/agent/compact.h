/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compact - reduces a session's slices to slices that are small on a wire.
 *
 *  - A frame stands for its function and the functions inlined at its address (FRAME_WHOLE), not
 *    for the address: rows of one call path by function, thread, event and CPU become one.  Weights
 *    and samples are exact.  The source file is sent, the line in it is not; where lines are
 *    requested (compact_lines), a frame stands for its function's code of one line (FRAME_LINE),
 * for leaves and callers alike, so that rows by line are those of the session.  A frame whose name
 *    or lines are still being resolved stands for its address.  So does a frame without a name that
 *    occurs twice in a slice; all others of an object are one frame, "[nameless]": a stripped
 *    compiler alone has a new address with each sample, which took half of all bytes.
 *  - Keys of sums by fields with call paths merge where the paths are equal by function.  A slice
 *    has at most SLICE_FIELDS_MESSAGE keys, roughly those with the most samples; the others are
 *    their events' rest.
 *  - A dictionary entry is sent when a row needs it first, and again when it changes; it is
 *    released when the session has released all entries that it stands for.
 *  - Watched functions (compact_watch) keep the addresses of their samples from then on: the last
 * few that were requested (recentcode.h).  Earlier samples have none, and the front end reports
 * that.
 *  - Under pressure: a call path that the receiver does not know and that has few samples becomes
 *    its nearest ancestor that is known there, then "[folded]", then the function itself if it is
 *    known.  The leaf's line is dropped first.
 *
 * Ids on the wire are the compactor's own, and dense.  Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_COMPACT_H
#define RINGTOP_LINK_AGENT_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/code.h"
#include "core/slice/slice.h"

struct compact;

struct compact *compact_create(void); /* NULL: out of memory */
void compact_free(struct compact *t);

struct compact_folded {
	uint32_t most;          /* samples that a folded path may have */
	uint64_t rows, samples; /* rows and samples that were folded in a slice */
};

/*
 * Reduce the session's next slice in place.  folded: fold, and add the figures to it; NULL: do not
 * fold.  Return 0, or -ENOMEM: some rows and keys have no path or task (id 0), with all their
 * counts.
 */
int compact_run(struct compact *t, struct slice *s, struct compact_folded *folded);

/* Start a new receiver: restart ids at 1, and send dictionary entries again when rows need them. */
void compact_restart(struct compact *t);

/* Let frames stand for lines from the next slice on, where lines are known. */
void compact_lines(struct compact *t);

/* Keep the addresses of samples in the function at `place` from now on; `place` is copied. */
void compact_watch(struct compact *t, const struct code_place *place);

#endif
