/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zoom - from all there is down to one process, thread, object, function or CPU, and up again.
 *
 * Each level is some words more for the filter; what was typed at f stays beside them.  Every view that heeds the
 * filter is narrowed.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_ZOOM_H
#define RINGTOP_UI_APP_ZOOM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/model.h"
#include "ui/parts/list.h"
#include "ui/views/view.h"

#define ZOOM_LEVELS 8
#define ZOOM_WORDS  1024 /* bytes of a level's words */
#define ZOOM_CRUMB  64

struct app;

struct zoom {
	struct zoom_level {
		char words[ZOOM_WORDS], crumb[ZOOM_CRUMB]; /* crumb: escaped */
		enum group_by group, was; /* of the row; of the view, to go back to */
		enum view_id view;
		struct list list;
	} level[ZOOM_LEVELS];
	unsigned nr;
};

/* To the selected row.  What cannot be is said on the screen. */
void zoom_in(struct app *a);

/* The same, where a row of several hosts becomes one a host, or a host its functions.  False: it is no such row. */
bool zoom_hosts(struct app *a);

/* A level up, with the row selected that led down.  False: there is none. */
bool zoom_out(struct app *a);

/* All levels' words, each with a blank before it. */
void zoom_words(const struct zoom *z, char *buf, size_t size);

/* "web01 › java 4242 › worker-1 4250"; "" where nothing is zoomed. */
void zoom_crumbs(const struct app *a, char *buf, size_t size);

#endif
