/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks - named moments, by time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_MARKS_H
#define RINGTOP_MODEL_CORE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "measure/session/session.h"

#define MARKS_MOST 256 /* beyond that the oldest are dropped */
#define MARK_NAME  SESSION_MARK_NAME /* bytes with the NUL; longer names are cut at a character */

struct mark {
	uint64_t time; /* ns on the session's clock */
	uint32_t nr;   /* from 1, in the order they were set; never changes */
	char name[MARK_NAME]; /* raw */
};

/* A list of marks; all zero: empty. */
struct marks {
	struct mark *mark; /* oldest first, equal times as set; room for MARKS_MOST */
	size_t nr;
	uint32_t set; /* marks set so far */
};

/*
 * Add a mark; the name is copied.  A mark of this time and name is not added twice.  Return 0 or
 * -ENOMEM.
 */
int marks_add(struct marks *m, uint64_t time, const char *name);

/*
 * Add a mark to the model, and to the file that the session is saved to, if any (errors there are
 * logged).  Return 0 or -ENOMEM of the model's part.
 */
struct model;
int marks_set(struct model *m, struct session *s, uint64_t time, const char *name);

/* Add a mark to the saved file alone. */
void marks_save(struct session *s, uint64_t time, const char *name);

/* Write the name of a mark without one: its time of day, "14:03:20", from a wall time in ns. */
void marks_time_of_day(uint64_t wall, char *to, size_t size);
void marks_clear(struct marks *m); /* also restarts the numbers */

#endif
