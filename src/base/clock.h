/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock - the monotonic clock in nanoseconds.  Threads: any. */
#ifndef RINGTOP_BASE_CLOCK_H
#define RINGTOP_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull

static inline uint64_t clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

#endif
