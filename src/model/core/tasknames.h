/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasknames - the name that all threads of a row have in common: their own, or their own without
 * the numbers in it ("price-*"), or their process's.  Where they have none, the number of their
 * processes is more useful than the name of one.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_TASKNAMES_H
#define RINGTOP_MODEL_CORE_TASKNAMES_H

#include <stdbool.h>
#include <stdint.h>

enum tasknames_kind { TASKNAMES_COMM, TASKNAMES_PATTERN, TASKNAMES_PROCESS, TASKNAMES_KINDS };

struct tasknames {
	uint32_t name[TASKNAMES_KINDS]; /* strings of the dictionary: common to all threads, unless
					 * `many` has its bit */
	uint8_t many;
	bool some;
};

static inline void tasknames_merge(struct tasknames *to, const struct tasknames *from)
{
	if (!to->some)
		*to = *from;
	if (!from->some)
		return;
	for (int k = 0; k < TASKNAMES_KINDS; k++)
		if (to->name[k] != from->name[k])
			to->many |= 1 << k;
	to->many |= from->many;
}

/* Return the most specific kind of name that they have in common; TASKNAMES_KINDS: none. */
static inline enum tasknames_kind tasknames_common(const struct tasknames *n)
{
	int k = n->some ? 0 : TASKNAMES_KINDS;

	while (k < TASKNAMES_KINDS && n->many & 1 << k)
		k++;
	return (enum tasknames_kind)k;
}

#endif
