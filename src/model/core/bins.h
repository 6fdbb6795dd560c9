/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bins - a stretch of time in equal parts, and how much of a slice lies in each: a slice that
 * covers several, or ends in the middle of one, is shared out by overlap.
 *
 * All arithmetic is with integers, so that a slice never leaves a trace in a bin that it does not
 * touch.
 */
#ifndef RINGTOP_MODEL_CORE_BINS_H
#define RINGTOP_MODEL_CORE_BINS_H

#include <stdbool.h>
#include <stdint.h>

/* Limits: nr up to 4096, to - from up to a hundred days in nanoseconds. */
struct bins {
	uint64_t from, to;
	unsigned nr;
};

/* Return where bin i begins: the first time whose bins_at() is i. */
static inline uint64_t bins_edge(const struct bins *b, unsigned i)
{
	return b->from + ((b->to - b->from) * i + b->nr - 1) / b->nr;
}

/* Return the bin of a time from b->from on; times after the end are in the last bin. */
static inline unsigned bins_at(const struct bins *b, uint64_t time)
{
	uint64_t i = (time - b->from) * b->nr / (b->to - b->from);

	return i < b->nr ? (unsigned)i : b->nr - 1;
}

/*
 * Find the bins [*first, *last] that [start, end) touches; an empty stretch is in one.  Return
 * false if it touches none.
 */
static inline bool bins_touched(const struct bins *b, uint64_t start, uint64_t end,
				unsigned *first, unsigned *last)
{
	uint64_t newest = end > start ? end - 1 : end;

	if (b->to <= b->from || newest < b->from || start >= b->to)
		return false;
	*first = start > b->from ? bins_at(b, start) : 0;
	*last = newest < b->to ? bins_at(b, newest) : b->nr - 1;
	return true;
}

/* Return the part of [start, end) that lies in bin i, 0..1; i is one of the bins touched. */
static inline double bins_part(const struct bins *b, unsigned i, uint64_t start, uint64_t end)
{
	uint64_t from = bins_edge(b, i), to = bins_edge(b, i + 1);

	if (from <= start && end <= to)
		return 1;
	from = from > start ? from : start;
	to = to < end ? to : end;
	return (double)(to - from) / (double)(end - start);
}

/* Add `sum`, which belongs to [start, end), to the bins, to each its part. */
static inline void bins_share(const struct bins *b, uint64_t start, uint64_t end, double sum,
			      double *bins)
{
	unsigned first, last;

	if (!bins_touched(b, start, end, &first, &last))
		return;
	for (unsigned i = first; i <= last; i++)
		bins[i] += sum * bins_part(b, i, start, end);
}

#endif
