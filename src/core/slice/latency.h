/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency - a slice's histogram of the times, in ns, from one tracepoint to another (--between).
 *
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_LATENCY_H
#define RINGTOP_CORE_SLICE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

/* Definition of the pairs: the event that starts one, the event that ends it, and the key. */
struct slice_between {
	bool wanted; /* false: no pairs are made */
	uint16_t from, to;
	uint16_t nr; /* rises with each new definition of the pairs: slice_latency.nr */
	char key[320]; /* names of the fields to pair by, ", " between them; "": the thread */
};

/*
 * Number of bins: values below 8 have one each, then there are 8 between a power of two and the
 * next, so that a bin is at most 12.5 % wide.
 */
#define SLICE_LATENCY_BINS 496

struct slice_latency {
	uint16_t nr; /* definition of the pairs: slice_between.nr */
	uint64_t count, sum, min, max; /* number of pairs; their times in ns */
	uint64_t unpaired_from, unpaired_to; /* starts without an end, ends without a start */
	uint64_t lost; /* halves whose other half may be lost, or that found no room */
	uint64_t hist[SLICE_LATENCY_BINS];
};

/* Return the bin of a time. */
static inline unsigned slice_latency_bin(uint64_t ns)
{
	unsigned e = 63 - (unsigned)__builtin_clzll(ns | 1);

	return ns < 8 ? (unsigned)ns : (e - 2) * 8 + (unsigned)(ns >> (e - 3) & 7);
}

/* Return the least (from) and the most (to) ns that fall into a bin; both belong to it. */
uint64_t slice_latency_from(unsigned bin);
uint64_t slice_latency_to(unsigned bin);

void slice_latency_take(struct slice_latency *l, uint64_t ns); /* counts a pair */
/* Add `from`, which is not older; if its definition of pairs (nr) is another it replaces `to`. */
void slice_latency_add(struct slice_latency *to, const struct slice_latency *from);

/*
 * Return the quantile `part` (0..1) in ns: the end of the bin of the pair of that rank, and no more
 * than the longest time.  0: there are no pairs.
 */
uint64_t slice_latency_part(const struct slice_latency *l, double part);

#endif
