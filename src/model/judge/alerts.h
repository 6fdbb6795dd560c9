/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alerts - alerts that conditions (--alert) have raised, and whether they still hold.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_JUDGE_ALERTS_H
#define RINGTOP_MODEL_JUDGE_ALERTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALERTS_MOST 64 /* with more the oldest are dropped */
#define ALERTS_MARK "alert: %s" /* an alert's mark in a saved time line, with the reason */
#define ALERTS_OVER "alert over: %s" /* the mark of its end, with the condition */

struct alert {
	uint64_t time;	/* ns on the session's clock: when it fired */
	uint64_t until; /* when it ceased to hold; 0: it still holds */
	uint32_t nr;	/* from 1, in the order they fired */
	char condition[512]; /* as written */
	char reason[832];    /* the condition with the value and the function or task; raw */
	char command[96];    /* state of --on-alert's command; "": none was to be run */
};

/* All zero: no alerts. */
struct alerts {
	struct alert *alert; /* the oldest first, room for ALERTS_MOST */
	size_t nr;
	uint32_t fired; /* alerts so far, dropped ones included */
};

/*
 * Add an alert that holds from `time` on; both texts are copied.  The result is valid until the
 * next call.  NULL: no memory.
 */
struct alert *alerts_add(struct alerts *a, uint64_t time, const char *condition,
			 const char *reason);

/* Return true if the alert held at a time in (from, to]. */
static inline bool alerts_in(const struct alert *a, uint64_t from, uint64_t to)
{
	return a->time <= to && (!a->until || a->until > from);
}

/* Return the alert of that number; NULL: it was dropped. */
struct alert *alerts_find(const struct alerts *a, uint32_t nr);

/* Drop all alerts; numbers go on from the last one. */
void alerts_clear(struct alerts *a);

#endif
