/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/latency.h"

uint64_t slice_latency_from(unsigned bin)
{
	return bin < 8 ? bin : (8 + (uint64_t)(bin & 7)) << (bin / 8 - 1);
}

uint64_t slice_latency_to(unsigned bin)
{
	return bin + 1 < SLICE_LATENCY_BINS ? slice_latency_from(bin + 1) - 1 : UINT64_MAX;
}

void slice_latency_take(struct slice_latency *l, uint64_t ns)
{
	if (!l->count || ns < l->min)
		l->min = ns;
	l->max = ns > l->max ? ns : l->max;
	l->count++;
	l->sum += ns;
	l->hist[slice_latency_bin(ns)]++;
}

void slice_latency_add(struct slice_latency *to, const struct slice_latency *from)
{
	if (from->nr != to->nr) {
		*to = *from;
		return;
	}
	if (from->count && (!to->count || from->min < to->min))
		to->min = from->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->count += from->count;
	to->sum += from->sum;
	to->unpaired_from += from->unpaired_from;
	to->unpaired_to += from->unpaired_to;
	to->lost += from->lost;
	for (unsigned i = 0; i < SLICE_LATENCY_BINS; i++)
		to->hist[i] += from->hist[i];
}

uint64_t slice_latency_part(const struct slice_latency *l, double part)
{
	double wanted = part * (double)l->count;
	uint64_t rank = (uint64_t)wanted, n = 0;

	rank += (double)rank < wanted || !rank;
	for (unsigned i = 0; i < SLICE_LATENCY_BINS && l->count; i++) {
		n += l->hist[i];
		if (n >= rank)
			return slice_latency_to(i) < l->max ? slice_latency_to(i) : l->max;
	}
	return l->max;
}
