/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * question - presets for common questions, by name: the event to measure, the fields to sum by, and
 * the view to show.  --question, the list of events and :question use this table.
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
	const char *needs;   /* catalog name of the event that the machine must have */
	const char *by;      /* as --by takes it, or NULL */
	const char *between; /* as --between takes it, or NULL */
	const char *view;    /* as --view takes it; a single command where `event` is set */
};

extern const struct question questions[];
extern const size_t questions_nr;

/* Find a question by name.  NULL with err, which lists all names. */
const struct question *question_find(const char *name, struct err *err);

/* Write a line with the title, and the options that make it. */
void question_text(const struct question *q, char *buf, size_t size);

#endif
