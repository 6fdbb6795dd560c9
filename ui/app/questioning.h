/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * questioning - a question (measure/session/question.h) put to a session that runs: its event is measured from now on, unless it
 * is already, is summed up as the question says once it has come, and the view with the answer is shown.
 *
 * Threads: one owner, the app's.
 */
#ifndef RINGTOP_UI_APP_QUESTIONING_H
#define RINGTOP_UI_APP_QUESTIONING_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/session/session.h"

struct app;
struct question;

struct questioning {
	const struct question *asked; /* its event is on its way; NULL: none */
	uint64_t until;               /* clock_ns: then it does not come any more */
	unsigned from;                /* those before are not what it is measured by */
};

/* replaced: its event comes in the place of the one shown.  What cannot be is said. */
void questioning_begin(struct app *a, const struct question *q, bool replaced);

/* To be called as slices come. */
void questioning_follow(struct app *a);

#endif
