/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts - a slice that is too much for one message, in several.
 *
 * Each is a slice of its own, of a part of the time: dictionary entries first, then rows, one answer at a time;
 * the rest has all else.  Only for slices without temporary ids, as thin.h makes them.
 *
 * Threads: as the slice.
 */
#ifndef RINGTOP_LINK_AGENT_PARTS_H
#define RINGTOP_LINK_AGENT_PARTS_H

#include <stdbool.h>

#include "core/slice/slice.h"

#define PARTS_ITEMS (64u << 10) /* dictionary entries and rows; long texts count for more */

/* What must go before what then is left in s: true, *part is the caller's.  False: s is small enough, or *ret. */
bool parts_take(struct slice *s, struct slice **part, int *ret);

#endif
