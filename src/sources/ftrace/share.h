/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share - what a ring lost, shared out among its events as much as each was read.
 *
 * The kernel counts what a ring lost, not of which event it was.  The sum is right to the event; how much of it is whose
 * is an estimate where the ring has more than one.
 *
 * Threads: pure.
 */
#ifndef RINGTOP_SOURCES_FTRACE_SHARE_H
#define RINGTOP_SOURCES_FTRACE_SHARE_H

#include <stdint.h>

/* Add `nr` to the counts of n events, by their weights, all of it; where all weights are 0 to the first. */
void ftrace_share(uint64_t nr, const uint64_t *weight, unsigned n, uint64_t *count);

#endif
