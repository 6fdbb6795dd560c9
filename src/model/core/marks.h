/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks - moments that somebody gave a name, by time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_MARKS_H
#define RINGTOP_MODEL_CORE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "measure/session/session.h"

#define MARKS_MOST 256 /* the oldest give way */
#define MARK_NAME  SESSION_MARK_NAME /* bytes, the end included; longer ones are cut between two characters */

struct mark {
	uint64_t time; /* ns on the session's clock */
	uint32_t nr;   /* from 1, as they were set: it stays */
	char name[MARK_NAME]; /* raw */
};

/* All zero: none. */
struct marks {
	struct mark *mark; /* the oldest first, MARKS_MOST of room; those of one time as they were set */
	size_t nr;
	uint32_t set; /* ever */
};

/* 0 or -ENOMEM.  One that is there already, of this time and name, is not there twice. */
int marks_add(struct marks *m, uint64_t time, const char *name);

/* One for the model, and for the file that all is saved to, where there is one (what that refuses is logged). */
struct model;
int marks_set(struct model *m, struct session *s, uint64_t time, const char *name);

/* For the file alone. */
void marks_save(struct session *s, uint64_t time, const char *name);

/* What one is called that nobody gave a name: 14:03:20, of a wall time in ns. */
void marks_time_of_day(uint64_t wall, char *to, size_t size);
void marks_clear(struct marks *m); /* they are numbered anew then */

#endif
