/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/radix.h"

#define DIGIT  11
#define VALUES (1u << DIGIT)
#define DIGITS ((64 + DIGIT - 1) / DIGIT)

static unsigned digit_of(uint64_t key, unsigned digit)
{
	return (unsigned)(key >> digit * DIGIT) & (VALUES - 1);
}

static void count_digits(const struct radix_item *items, size_t nr, uint32_t count[DIGITS][VALUES])
{
	for (unsigned d = 0; d < DIGITS; d++)
		for (unsigned v = 0; v < VALUES; v++)
			count[d][v] = 0;
	for (size_t i = 0; i < nr; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			count[d][digit_of(items[i].key, d)]++;
}

/* Turn the counts into the index of the first item of each value. */
static void counts_to_offsets(uint32_t count[VALUES])
{
	uint32_t at = 0;

	for (unsigned v = 0; v < VALUES; v++) {
		uint32_t n = count[v];

		count[v] = at;
		at += n;
	}
}

struct radix_item *radix_sort(struct radix_item *items, struct radix_item *spare, size_t nr)
{
	uint32_t count[DIGITS][VALUES];

	count_digits(items, nr, count);
	for (unsigned d = 0; d < DIGITS; d++) {
		struct radix_item *from = items;

		if (!nr || count[d][digit_of(items[0].key, d)] == nr)
			continue;
		counts_to_offsets(count[d]);
		for (size_t i = 0; i < nr; i++)
			spare[count[d][digit_of(from[i].key, d)]++] = from[i];
		items = spare;
		spare = from;
	}
	return items;
}
