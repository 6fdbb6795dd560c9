/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marking - marks on the time line: setting them, choosing from a menu, jumping to them.
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
	uint64_t time; /* of the mark whose name the prompt asks for */
	char item[MENU_MAX][MARK_NAME + 40]; /* texts of the menu's items */
};

/* Return the time at which a mark would be set now: the end of the window shown. */
uint64_t marking_time(const struct app *a);

/* Set a mark, and show a message.  name "": the time of day. */
void marking_set(struct app *a, uint64_t time, const char *name);

/* Open the prompt for the name of a mark at marking_time(). */
void marking_ask(struct app *a);

/* Open the menu of marks, the newest first. */
void marking_menu(struct app *a);

/* Let the window begin at the mark of that name, or of that menu item. */
void marking_jump(struct app *a, const char *text);

/* Return the last mark in a window; NULL: there is none. */
const struct mark *marking_in(const struct app *a, struct window w);

#endif
