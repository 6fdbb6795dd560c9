/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock - the monotonic clock in nanoseconds, and perf's beside it.  Threads: any. */
#ifndef RINGTOP_BASE_CLOCK_H
#define RINGTOP_BASE_CLOCK_H

#include <stdbool.h>
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

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC)};
}

/*
 * Relation of perf's clock (which stamps records) to other clocks.  Perf's is not adjusted as
 * CLOCK_MONOTONIC is: a relation is good for the minute it was taken in.
 */
struct clock_relation {
	int64_t offset; /* perf's time less CLOCK_MONOTONIC */
	bool counter;   /* shift, mult, zero are known: they convert TSC or CNTVCT */
	uint16_t shift;
	uint32_t mult;
	uint64_t zero;
};

static inline uint64_t clock_from_monotonic(const struct clock_relation *c, uint64_t time)
{
	return time + (uint64_t)c->offset;
}

/* Convert with the formula given at time_zero in linux/perf_event.h. */
static inline uint64_t clock_from_counter(const struct clock_relation *c, uint64_t count)
{
	uint64_t rest = count & ((1ull << c->shift) - 1);

	return c->zero + (count >> c->shift) * c->mult + ((rest * c->mult) >> c->shift);
}

#endif
