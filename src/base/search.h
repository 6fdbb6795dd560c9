/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search - binary search in a sorted array.  Threads: any, while no thread changes the array. */
#ifndef RINGTOP_BASE_SEARCH_H
#define RINGTOP_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Like SEARCH_ABOVE, for elements of `stride` bytes with a uint64_t key at `offset` in each. */
static inline size_t search_above(const void *array, size_t nr, size_t stride, size_t offset,
				  uint64_t value)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint64_t key;

		memcpy(&key, (const char *)array + mid * stride + offset, sizeof(key));
		if (key <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * The index of the first of nr structs, sorted by `field` (a uint64_t), whose field is above value;
 * nr: none is.
 */
#define SEARCH_ABOVE(array, nr, field, value) \
	search_above(array, nr, sizeof(*(array)), offsetof(__typeof__(*(array)), field), value)

/*
 * The index of the first element from `from` on of which the condition `holds`, in which `i` is the
 * element's index, does not hold, nor of any element behind it; `to`: it holds of all below `to`.
 */
#define SEARCH_WHILE(i, from, to, holds)			\
	({							\
		size_t low_ = (from), high_ = (to);		\
								\
		while (low_ < high_) {				\
			size_t i = low_ + (high_ - low_) / 2;	\
								\
			if (holds)				\
				low_ = i + 1;			\
			else					\
				high_ = i;			\
		}						\
		low_;						\
	})

/* The index of the first of nr structs whose field is not below value; nr: none is. */
#define SEARCH_FROM(array, nr, field, value) \
	((value) ? SEARCH_ABOVE(array, nr, field, (value) - 1) : 0)

#endif
