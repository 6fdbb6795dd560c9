/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * savedview - what a screen shows, by a name: commands of the command line, as a person could type them.
 *
 *   "web: tasks; group command; sort peak; filter comm:nginx"
 *
 * Whoever goes to one begins where a screen does: live, all events' rows, no filter, nothing hidden.  A filter's text
 * may have any character, so it is the last command and goes on to the end.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_SAVEDVIEW_H
#define RINGTOP_UI_APP_SAVEDVIEW_H

#include <stddef.h>

#include "base/err.h"

struct app;

#define SAVEDVIEW_MAX  48
#define SAVEDVIEW_NAME 33
#define SAVEDVIEW_TEXT 2560 /* of all commands */

struct savedviews {
	struct savedview {
		char name[SAVEDVIEW_NAME];
		char *commands;
	} view[SAVEDVIEW_MAX];
	unsigned nr;
};

/* One of the settings, as written; of two with one name the later counts.  0, -EINVAL, -E2BIG or -ENOMEM. */
int savedview_add(struct savedviews *all, const char *written, struct err *err);
void savedview_clear(struct savedviews *all);

/* Go to the one of that name, else to what is shown by these commands.  -EINVAL: neither is there, or a command. */
int savedview_go(struct app *a, const char *name, struct err *err);

/* What is shown now, as written; -E2BIG where that is too long. */
int savedview_write(const struct app *a, const char *name, char *to, size_t size, struct err *err);

void savedview_choose(struct app *a); /* a menu of them; there are some, or it is said how to make one */

#endif
