/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match - which function of one profile is which of another.
 *
 * First by name and the object's base name.  An object that only one side has is another's new name where both have one
 * build-id; or where it is the only other one, most of the weight of both is in functions that both have, and these are
 * MATCH_NAMES at least: a program built anew as app-2.  Last, of what is left, by the name without what compilers add
 * to a part or a copy of a function (.isra.0, .part.1, .cold), where that is one of one on both sides, of two builds.
 *
 * Threads: as the profiles.
 */
#ifndef RINGTOP_MODEL_COMPARE_MATCH_H
#define RINGTOP_MODEL_COMPARE_MATCH_H

#include <stdint.h>

#include "model/compare/profile.h"

#define MATCH_NAMES 3

/* of[i], room for now->nrows: was's row + 1 that now's row i is, or 0.  No row is two.  0 or -ENOMEM. */
int match_rows(const struct profile *was, const struct profile *now, uint32_t *of);

#endif
