/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grouping - choice of the fields that the event shown is summed up by: a menu of its fields, and a
 * prompt.
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
	struct session_choice *list; /* the event's fields; owned */
	size_t nr;
	bool typed; /* there is no list, but fields can be typed */
};

/* Open a menu of the fields, with an item for several and one for none. */
void grouping_menu(struct app *a);

/* Open the prompt for FIELD,FIELD with `text`; NULL: with the present fields. */
void grouping_ask(struct app *a, const char *text);

/*
 * Sum up by these fields from now on, or by none ("none" or "").  False: impossible, as a message
 * tells.
 */
bool grouping_set(struct app *a, const char *fields);

/*
 * Complete the last field in the prompt's text, which is FIELD,FIELD from `at` on; else show the
 * possible ones.
 */
void grouping_complete(struct app *a, size_t at);

void grouping_free(struct grouping *g);

#endif
