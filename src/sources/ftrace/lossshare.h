/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lossshare - divides the loss of a ring among its events in proportion to the records read of
 * each.
 *
 * The kernel counts a ring's losses, not by event. The sum is exact; the parts are estimates where
 * the ring has more than one event.
 *
 * Threads: pure.
 */
#ifndef RINGTOP_SOURCES_FTRACE_LOSSSHARE_H
#define RINGTOP_SOURCES_FTRACE_LOSSSHARE_H

#include <stdint.h>

/*
 * Add `nr` to the counts of n events in proportion to their weights, without a rest; to the first
 * if all weights are 0.
 */
void ftrace_share(uint64_t nr, const uint64_t *weight, unsigned n, uint64_t *count);

#endif
