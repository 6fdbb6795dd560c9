/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grouping - what the event shown is summed up by, changed on the screen: a menu of its fields, and a line to be typed.
 *
 * Threads: one owner, the app's.
 */
#ifndef RINGTOP_UI_APP_GROUPING_H
#define RINGTOP_UI_APP_GROUPING_H

#include <stdbool.h>
#include <stddef.h>

struct app;
struct session_choice;

struct grouping {
	struct session_choice *list; /* what the menu shows; owned */
	size_t nr;
	bool typed; /* there is no list, and fields may be asked for all the same */
};

/* A menu of the fields, of one line for several, and of one for none. */
void grouping_menu(struct app *a);

/* FIELD,FIELD is asked for, with what there is now, or `text` where that is not NULL. */
void grouping_ask(struct app *a, const char *text);

/* From now on by these fields, "none" or "": by none.  False: it cannot be, which is said. */
bool grouping_set(struct app *a, const char *fields);

/* The prompt's text, which from `at` on is FIELD,FIELD: the last is completed, or what it can be is said. */
void grouping_complete(struct app *a, size_t at);

void grouping_free(struct grouping *g);

#endif
