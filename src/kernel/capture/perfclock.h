/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfclock - measures the offset of perf's clock, which stamps records, from CLOCK_MONOTONIC.
 *
 * Events are not opened with CLOCK_MONOTONIC (use_clockid): the kernel would then read the
 * clocksource for every sample, which costs a microsecond and more if that is not the CPU's own
 * counter, and a reading in NMI may go backwards. Times from elsewhere (jitdumps) are converted
 * instead.
 *
 * Threads: any.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_PERFCLOCK_H
#define RINGTOP_KERNEL_CAPTURE_PERFCLOCK_H

#include "base/clock.h"

/* Measure the relation, in about 50 us with two pages of locked memory. Return 0 or -errno. */
int perfclock_relate(struct clock_relation *c);

#endif
