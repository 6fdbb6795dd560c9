/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicesplit - splits a slice that is too large for one message.
 *
 * Each part is a slice of its own, for a part of the time: dictionary entries first, then rows,
 * with at most one function's code; the last part has all else.  Only for slices without temporary
 * ids, as compact.h makes them.
 *
 * Threads: the owner of the slice.
 */
#ifndef RINGTOP_LINK_AGENT_SLICESPLIT_H
#define RINGTOP_LINK_AGENT_SLICESPLIT_H

#include <stdbool.h>

#include "core/slice/slice.h"

#define SLICESPLIT_ITEMS (64u << 10) /* dictionary entries and rows; long texts count for more */

/*
 * Split off a part to be sent before the rest of s.  True: *part is the caller's.  False: s is
 * small enough, or *ret < 0.
 */
bool slicesplit_take(struct slice *s, struct slice **part, int *ret);

#endif
