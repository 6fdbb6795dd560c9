/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * questions - a preset question (measure/session/question.h) for a running session: its event is
 * added unless it is measured already; once it has come it is summed up by the question's fields,
 * and the view with the answer is shown.
 *
 * Threads: one owner, the app's.
 */
#ifndef RINGTOP_UI_APP_QUESTIONS_H
#define RINGTOP_UI_APP_QUESTIONS_H

#include <stdbool.h>
#include <stdint.h>


struct app;
struct question;

struct questions {
	const struct question *asked; /* the question whose event has not come yet; NULL: none */
	uint64_t until;               /* clock_ns(): later the event is not expected any more */
	unsigned from;                /* least index of an event that may serve the question */
};

/* Begin a question; replaced: its event replaces the one shown.  Errors are shown as a message. */
void questions_begin(struct app *a, const struct question *q, bool replaced);

/* Continue a question whose event has come; to be called as slices come. */
void questions_follow(struct app *a);

#endif
