/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thin - what an old slice gives up so that it may stay: addresses and callers first, and then, of
 * small functions, the name.
 *
 * Its largest rows stay as they are.  The others are added up by function; all functions that are large,
 * or among the largest of their object, keep their names and their weight to the unit, and what is
 * left is one row for each object.  CPU, task and event stay, so all sums do.
 * Of sums by fields the largest keys stay, the others go to the rest of their event.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_THIN_H
#define RINGTOP_MODEL_CORE_THIN_H

#include "base/clock.h"
#include "model/core/history.h"

#define THIN_STAGES    3    /* how often a slice can be thinned */
#define THIN_FUNCTIONS 1024 /* of each event, that have their names before the last stage; by weight */
#define THIN_REACH_NS  (120 * NSEC_PER_SEC) /* a history that is shorter goes to the last stage */

/* The slice's next stage.  False: no memory, and the slice is as it was. */
bool thin_slice(struct history_slice *s, struct dict *d, struct fieldkeys *keys);

/*
 * Sums by fields whose keys are not `used` go to the rest of their event; the slice is measured anew.  False: no memory,
 * and it is as it was.
 */
bool thin_unused(struct history_slice *s, struct fieldkeys *keys);

#endif
