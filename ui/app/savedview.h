/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * savedview - named settings of the screen, written as commands of the command line.
 *
 *   "web: tasks; group command; sort peak; filter comm:nginx"
 *
 * Commands start from the screen's initial state: live, all rows, no filter, nothing hidden.  A
 * filter's text may contain any character, so it is the last command and extends to the end.
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
#define SAVEDVIEW_TEXT 2560 /* bytes of a view as written */

struct savedviews {
	struct savedview {
		char name[SAVEDVIEW_NAME];
		char *commands;
	} view[SAVEDVIEW_MAX];
	unsigned nr;
};

/*
 * Add a view as written; a later one of the same name replaces it.  0, -EINVAL, -E2BIG or -ENOMEM.
 */
int savedview_add(struct savedviews *all, const char *written, struct err *err);
void savedview_clear(struct savedviews *all);

/*
 * Show the view of that name, or run `name` as commands.  -EINVAL: neither such a view nor valid
 * commands.
 */
int savedview_go(struct app *a, const char *name, struct err *err);

/* Write the present state as a view; -E2BIG: it is too long. */
int savedview_write(const struct app *a, const char *name, char *to, size_t size, struct err *err);

/* Open a menu of the views; without any, show how to save one. */
void savedview_choose(struct app *a);

#endif
