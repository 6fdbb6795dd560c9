/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thin - slices as a session makes them into slices that are small on a wire.
 *
 *  - A frame stands for its function and what is inlined at its place (FRAME_WHOLE), not for the place: rows of one
 *    call path by function, thread, event and CPU become one.  Weights and samples are exact.  The line in a function
 *    is not sent, its source file is; where lines are asked for (thin_lines) a frame stands for its function's code of one
 *    line (FRAME_LINE), a leaf's and a caller's alike, so that rows by line are those of the session.  A frame whose name or lines are still looked for stands for
 *    its address.  So does one that has no name and was met twice in a slice; all others of an object are one,
 *    "[nameless]": a stripped compiler alone has a new one with each sample, which took half of all bytes.
 *  - Keys of sums by fields that have a call path become one where it is one by function.  There are SLICE_FIELDS_MESSAGE
 *    at most: those with the most samples, about; the others are their events' rest.
 *  - A dictionary entry is said when a row needs it for the first time, and again when it changes; it is released
 *    when the session has let go of all that it stands for.
 *  - Functions that somebody looks into (thin_watch) keep the addresses of their samples from then on: the last
 *    few that were asked for (watched.h).  What came before has none, and the front end says so.
 *  - Under pressure: a call path that is new to the other side and was sampled seldom becomes its nearest ancestor that
 *    is known there, "[folded]", and the function itself if that is known.  The leaf's line goes before that.
 *
 * Ids on the wire are this file's own, dense.  Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_THIN_H
#define RINGTOP_LINK_AGENT_THIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/code.h"
#include "core/slice/slice.h"

struct thin;

struct thin *thin_create(void); /* NULL: out of memory */
void thin_free(struct thin *t);

struct thin_folded {
	uint32_t most;          /* samples of a path that may be folded */
	uint64_t rows, samples; /* what was folded in a slice */
};

/*
 * The session's next slice, changed in place.  folded: NULL, or fold, and add to it what was.  0, or -ENOMEM: then
 * some rows and keys are of no path or task (id 0), with all their counts.
 */
int thin_down(struct thin *t, struct slice *s, struct thin_folded *folded);

/* Who takes the slices from now on knows nothing of what was said: ids begin anew, what rows need is said again. */
void thin_restart(struct thin *t);

/* Frames stand for lines from now on, where they are known. */
void thin_lines(struct thin *t);

/* Of the function at the place addresses are wanted from now on. */
void thin_watch(struct thin *t, const struct code_place *place);

#endif
