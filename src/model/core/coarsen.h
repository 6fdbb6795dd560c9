/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coarsen - thins old slices so that they can stay: addresses and callers are dropped first, then
 * names of small functions.
 *
 * The largest rows of a slice stay as they are.  The others are added up by function; all functions
 * that are large, or among the largest of their object, keep their names and their weight to the
 * unit, and the remaining rows become one for each object.  CPU, task and event stay, so all sums
 * do.  The largest keys of sums by fields stay, the others go to the rest of their event.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_COARSEN_H
#define RINGTOP_MODEL_CORE_COARSEN_H

#include "base/clock.h"
#include "model/core/history.h"

#define COARSEN_STAGES    3    /* how often a slice can be thinned */
#define COARSEN_FUNCTIONS                                                                          \
	1024 /* of each event, keep their names before the last stage; by weight */
#define COARSEN_REACH_NS  (120 * NSEC_PER_SEC) /* a shorter history goes to the last stage */

/*
 * Thin the slice by one stage.  False: out of memory; the stage counts as done, and rows may be
 * thinned but not added up.
 */
bool coarsen_slice(struct history_slice *s, struct dict *d, struct fieldkeys *keys);

/*
 * Move sums by fields whose keys are not `used` to the rest of their event and measure the slice
 * anew.  False: out of memory, the slice is as it was.
 */
bool coarsen_unused(struct history_slice *s, struct fieldkeys *keys);

#endif
