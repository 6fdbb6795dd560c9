/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen - which small ids were already met in this round: an array of rounds; and, for the commonest
 * case, the few ids that were met last.  Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_SEEN_H
#define RINGTOP_MODEL_CORE_SEEN_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct seen {
	uint32_t *round; /* by id: the round in which it was last met */
	size_t cap;
	uint32_t now;
};

static inline void seen_begin(struct seen *o)
{
	if (!++o->now) { /* after 2^32 rounds */
		memset(o->round, 0, o->cap * sizeof(*o->round));
		o->now = 1;
	}
}

/* Note that id is met: 1: for the first time in this round; 0: again; -1: out of memory. */
static inline int seen_meet(struct seen *o, uint32_t id)
{
	size_t had = o->cap;

	if (id >= had) {
		if (!vec_reserve(&o->round, &o->cap, (size_t)id + 1, sizeof(*o->round)))
			return -1;
		memset(o->round + had, 0, (o->cap - had) * sizeof(*o->round));
	}
	if (o->round[id] == o->now)
		return 0;
	o->round[id] = o->now;
	return 1;
}

/* Return true if id was met in this round. */
static inline bool seen_met(const struct seen *o, uint32_t id)
{
	return id < o->cap && o->round[id] == o->now;
}

static inline void seen_clear(struct seen *o)
{
	free(o->round);
	*o = (struct seen){0};
}

static inline size_t seen_bytes(const struct seen *o)
{
	return o->cap * sizeof(*o->round);
}

#define FEW 8

struct few {
	uint32_t id[FEW]; /* + 1 */
};

/* Return true if id is among the last few; else it replaces the oldest of them. */
static inline bool few_met(struct few *f, uint32_t id)
{
	for (int i = 0; i < FEW; i++)
		if (f->id[i] == id + 1)
			return true;
	memmove(f->id + 1, f->id, (FEW - 1) * sizeof(*f->id));
	f->id[0] = id + 1;
	return false;
}

#endif
