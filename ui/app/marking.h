/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marking - marks on the time line: set, chosen from a menu, and gone to.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_MARKING_H
#define RINGTOP_UI_APP_MARKING_H

#include <stdint.h>

#include "model/core/marks.h"
#include "model/core/model.h"
#include "ui/app/menu.h"

struct app;

struct marking {
	uint64_t time; /* of the mark whose name is asked for */
	char item[MENU_MAX][MARK_NAME + 40]; /* of the menu */
};

/* Where a mark is set now: the end of what is shown. */
uint64_t marking_time(const struct app *a);

/* Set one and say so.  name "": the time of day. */
void marking_set(struct app *a, uint64_t time, const char *name);

/* Ask for the name of one for this moment. */
void marking_ask(struct app *a);

/* The menu of marks, the newest first. */
void marking_menu(struct app *a);

/* Let the window begin at the mark of that name, or at that item of the menu. */
void marking_jump(struct app *a, const char *text);

/* The last mark in a window; NULL: there is none. */
const struct mark *marking_in(const struct app *a, struct window w);

#endif
