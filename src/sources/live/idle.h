/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idle - how long a CPU idled, and how much time its host stole, while a clock counted there.
 *
 * The kernel's figures are coarse and read a little before the counters are, so the results are a
 * least and a most; loss.h decides by these how to explain time without samples.
 *
 * Pure.  Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_LIVE_IDLE_H
#define RINGTOP_SOURCES_LIVE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/capture/cputime.h"
#include "sources/live/loss.h"

/* State for one CPU; start zeroed. */
struct idle_watch {
	struct cputime last;
	bool known;          /* `last` is valid */
	uint64_t at;         /* CLOCK_MONOTONIC of the last look, known or not; 0: none yet */
	uint64_t elapsed;    /* ns of counting, and of these: */
	uint64_t idle, irq, stolen;
	uint64_t unsure;     /* ns without figures: the CPU went offline, or came */
};

/*
 * Take a reading `now` (NULL: none could be had) made at `at` (CLOCK_MONOTONIC, ns).  counting:
 * events have counted since the last one.  To be called before events begin to count, and each time
 * before counters are read.
 */
void idle_look(struct idle_watch *w, const struct cputime *now, uint64_t at, bool counting);

/*
 * Fill in the idle_ fields and `stolen` of `in`, whose counters were read by `read`
 * (CLOCK_MONOTONIC, ns).
 */
void idle_tell(const struct idle_watch *w, uint64_t read, struct loss_input *in);

#endif
