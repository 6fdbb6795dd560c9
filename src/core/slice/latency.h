/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency - how long it took from one tracepoint to another (--between), in a slice: times in ns, as a histogram.
 *
 * Threads: whose it is.
 */
#ifndef RINGTOP_CORE_SLICE_LATENCY_H
#define RINGTOP_CORE_SLICE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

/* From which event to which, paired by what. */
struct slice_between {
	bool wanted; /* false: no pairs are made */
	uint16_t from, to;
	uint16_t nr; /* rises where pairs are others from then on: slice_latency.nr */
	char key[320]; /* names of fields, ", " between them; "": the thread */
};

/* Each below 8 by itself, then 8 between a power of two and the next: a bin is at most 12.5 % wide. */
#define SLICE_LATENCY_BINS 496

struct slice_latency {
	uint16_t nr; /* which pairs: slice_between.nr */
	uint64_t count, sum, min, max; /* of pairs, ns */
	uint64_t unpaired_from, unpaired_to; /* halves whose other one never was */
	uint64_t lost; /* halves whose other one may be lost, or that found no room */
	uint64_t hist[SLICE_LATENCY_BINS];
};

static inline unsigned slice_latency_bin(uint64_t ns)
{
	unsigned e = 63 - (unsigned)__builtin_clzll(ns | 1);

	return ns < 8 ? (unsigned)ns : (e - 2) * 8 + (unsigned)(ns >> (e - 3) & 7);
}

/* The least and the most that fall into a bin. */
uint64_t slice_latency_from(unsigned bin);
uint64_t slice_latency_to(unsigned bin);

void slice_latency_take(struct slice_latency *l, uint64_t ns);
/* `from` is not before `to`: where its pairs are others, they are what is left. */
void slice_latency_add(struct slice_latency *to, const struct slice_latency *from);

/*
 * What `part` (0..1) of the pairs took at most: the end of the bin of the pair of that rank, and no more than the
 * longest.  0: there are none.
 */
uint64_t slice_latency_part(const struct slice_latency *l, double part);

#endif
