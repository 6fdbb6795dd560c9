/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_choose - the events that this machine has, one of which is measured from now on: added, or in another's place.
 * Before them stand the questions (measure/session/question.h) that it has the events for.
 *
 * What is searched for narrows it.  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_CHOOSE_H
#define RINGTOP_UI_VIEWS_VIEW_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"
#include "ui/views/view.h"

struct view_choose_state {
	struct session_choice *list; /* owned; see view_choose_free: questions, then events */
	size_t nr;
	size_t nquestions; /* the first of them */
	bool events; /* what there is could be listed; else questions are all that is here */
	uint32_t *shown; /* of these: what is not left out by the search */
	size_t nshown, cap_shown;
};

/* Look for what there is, and show it.  -errno with err where none may be added. */
int view_choose_open(struct app *a, struct err *err);

struct question;

/* The question that is selected; NULL: none is. */
const struct question *view_choose_question(const struct app *a);

/* The selected one's name, as -e takes it; NULL: none is selected, or a question. */
const char *view_choose_name(const struct app *a);

void view_choose_free(struct view_choose_state *s);

extern const struct view_ops view_choose;

#endif
