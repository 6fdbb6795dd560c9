/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match - find the functions of one profile in another.
 *
 * First by name and the object's base name.  Then an object that only one side has is taken for
 * another one under a new name if both have the same build-id; or if it is the only candidate, most
 * of the weight of both is in functions that both have, and these are at least MATCH_NAMES (a
 * program rebuilt as app-2).  Last, remaining functions are matched by their names without the
 * suffixes that compilers add to a part or copy of a function (.isra.0, .part.1, .cold), where that
 * name is unique on both sides and the sides have different builds.
 *
 * Threads: the same as the profiles.
 */
#ifndef RINGTOP_MODEL_COMPARE_MATCH_H
#define RINGTOP_MODEL_COMPARE_MATCH_H

#include <stdint.h>

#include "model/compare/profile.h"

#define MATCH_NAMES 3

/*
 * Set of[i] for each row i of `now` (room for now->nrows): 1 + the index of the same function's row
 * in `was`, or 0.  No row of `was` appears twice.  Builds was's index where needed.  0 or -ENOMEM.
 */
int match_rows(const struct profile *was, const struct profile *now, uint32_t *of);

#endif
