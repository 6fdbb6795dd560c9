/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * question - what is asked often of a machine, by a name: which event is measured for it, by what it is summed up,
 * and which view has the answer.  A table: --question, the list of events and :question take what it says.
 *
 * Threads: any.
 */
#ifndef RINGTOP_MEASURE_SESSION_QUESTION_H
#define RINGTOP_MEASURE_SESSION_QUESTION_H

#include <stddef.h>

#include "base/err.h"

struct question {
	const char *name;
	const char *title;   /* in words */
	const char *event;   /* as -e takes it; NULL: `between`, else off-CPU times */
	const char *needs;   /* the event that the machine must have, by its name in the catalog */
	const char *by;      /* as --by takes it, or NULL */
	const char *between; /* as --between takes it, or NULL */
	const char *view;    /* as --view takes it; one command where an event is asked for */
};

extern const struct question questions[];
extern const size_t questions_nr;

/* NULL with err, which says what there is. */
const struct question *question_find(const char *name, struct err *err);

/* In a line: what it is, and of what it is made. */
void question_text(const struct question *q, char *buf, size_t size);

#endif
