/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idle - how long a CPU idled, and how much time its host stole, while a clock counted there.
 *
 * The kernel's figures are coarse and read a little before the counters are, so what comes out is
 * between a least and a most; account.h decides by these what time without samples was.
 *
 * Pure.  Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_LIVE_IDLE_H
#define RINGTOP_SOURCES_LIVE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/capture/cputime.h"
#include "sources/live/account.h"

/* Of one CPU; start zeroed. */
struct idle_watch {
	struct cputime last;
	bool known;          /* `last` is */
	uint64_t at;         /* CLOCK_MONOTONIC of the last look, known or not; 0: none yet */
	uint64_t elapsed;    /* ns of counting, and of it: */
	uint64_t idle, irq, stolen;
	uint64_t unsure;     /* about which nobody knows: the CPU went, or came */
};

/*
 * A look: `now` (NULL: nobody knows) was read at `at`.  `counting`: events did since the last one.
 * Before they begin, and each time before counters are read.
 */
void idle_look(struct idle_watch *w, const struct cputime *now, uint64_t at, bool counting);

/* What `in`, whose counters were read by `read`, may be told about: its idle_ and stolen. */
void idle_tell(const struct idle_watch *w, uint64_t read, struct account_input *in);

#endif
