/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_choose - a list of the machine's events, to choose one to measure: added, or in place of
 * another.  Before them stand the questions (measure/session/question.h) that the machine has the
 * events for.
 *
 * The search text filters the list.  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_CHOOSE_H
#define RINGTOP_UI_VIEWS_VIEW_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"
#include "ui/app/view.h"

/* List the events and show the view.  0, or -errno with err: no event may be added. */
int view_choose_open(struct app *a, struct err *err);

struct question;

/* Return the selected question, a constant; NULL: none is selected. */
const struct question *view_choose_question(const struct app *a);

/* Return the selected event's name as -e takes it, borrowed; NULL: none, or a question. */
const char *view_choose_name(const struct app *a);

extern const struct view_ops view_choose;

#endif
