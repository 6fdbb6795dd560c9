/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfclock - how the clock that perf stamps records with stands to CLOCK_MONOTONIC, measured.
 *
 * The events are not opened with CLOCK_MONOTONIC (use_clockid): the kernel then asks the clocksource
 * at every sample, which costs a microsecond and more where that is not the CPU's own counter, and
 * a reading in NMI may go backwards.  What comes from outside with times of its own (jitdumps) is
 * converted instead.
 *
 * Threads: any.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_PERFCLOCK_H
#define RINGTOP_KERNEL_CAPTURE_PERFCLOCK_H

#include "base/clock.h"

/* Takes some 50 us, two pages of locked memory meanwhile.  0 or -errno. */
int perfclock_relate(struct clock_relation *c);

#endif
