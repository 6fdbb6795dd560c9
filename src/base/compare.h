/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare - orders of values and structs for qsort(). */
#ifndef RINGTOP_BASE_COMPARE_H
#define RINGTOP_BASE_COMPARE_H

/* Below 0, 0 or above 0: x comes before y, is equal, or comes behind it. */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* Define a function that compares structs by a member. */
#define COMPARE_BY(name, type, member)						\
	static int name(const void *left, const void *right)			\
	{									\
		const type *x = left, *y = right;				\
										\
		return COMPARE(x->member, y->member);				\
	}

/* Define one that compares by two members: the second counts where the first are equal. */
#define COMPARE_BY_TWO(name, type, first, second)				\
	static int name(const void *left, const void *right)			\
	{									\
		const type *x = left, *y = right;				\
										\
		return COMPARE(x->first, y->first) ?: COMPARE(x->second, y->second); \
	}

#endif
