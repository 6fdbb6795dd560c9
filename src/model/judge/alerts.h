/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alerts - what conditions (--alert) said, and whether it still holds.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_JUDGE_ALERTS_H
#define RINGTOP_MODEL_JUDGE_ALERTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERTS_MOST 64 /* the oldest give way */
#define ALERTS_MARK "alert: %s" /* with the reason: the mark that one is in a saved time line */
#define ALERTS_OVER "alert over: %s" /* with the condition: the same of its end */

struct alert {
	uint64_t time;	/* ns on the session's clock: when it fired */
	uint64_t until; /* when it held no more; 0: it stands */
	uint32_t nr;	/* from 1, as they fired */
	char condition[512]; /* as written */
	char reason[832];    /* the same, with the value and who it was; raw */
	char command[96];    /* what became of --on-alert's; "": none was to be run */
};

/* All zero: none. */
struct alerts {
	struct alert *alert; /* the oldest first, ALERTS_MOST of room */
	size_t nr;
	uint32_t fired; /* ever */
};

/* It stands from now on.  NULL: no memory.  Valid until the next. */
struct alert *alerts_add(struct alerts *a, uint64_t time, const char *condition, const char *reason);

/* Whether it stood in (from, to]. */
static inline bool alerts_in(const struct alert *a, uint64_t from, uint64_t to)
{
	return a->time <= to && (!a->until || a->until > from);
}

/* By its number; NULL: it gave way. */
struct alert *alerts_find(const struct alerts *a, uint32_t nr);
void alerts_clear(struct alerts *a); /* their numbers go on */

#endif
