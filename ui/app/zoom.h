/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zoom - narrowing of all views to one process, thread, object, function or CPU, level by level,
 * and back.
 *
 * Each level adds words to the filter, beside the filter typed at f, and so narrows every view that
 * heeds the filter.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_ZOOM_H
#define RINGTOP_UI_APP_ZOOM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/model.h"
#include "ui/parts/list.h"
#include "ui/app/view.h"

#define ZOOM_LEVELS 8
#define ZOOM_WORDS  1024 /* bytes of a level's words */
#define ZOOM_CRUMB  64

struct app;

struct zoom {
	struct zoom_level {
		char words[ZOOM_WORDS], crumb[ZOOM_CRUMB]; /* crumb: escaped */
		enum group_by group, was; /* of the row; of the view before, to be restored */
		enum view_id view;
		struct list list;
	} level[ZOOM_LEVELS];
	unsigned nr;
};

/* Zoom to the selected row.  Errors are shown as a message. */
void zoom_in(struct app *a);

/*
 * Zoom from a row of several hosts to a row per host, or from a host to its functions.  False: it
 * is no such row.
 */
bool zoom_hosts(struct app *a);

/* Go up a level, and select the row that led down.  False: there is no level. */
bool zoom_out(struct app *a);

/* Write the words of all levels, each with a blank before it. */
void zoom_words(const struct zoom *z, char *buf, size_t size);

/* Write the levels' names, "web01 › java 4242 › worker-1 4250"; "" without a level. */
void zoom_crumbs(const struct app *a, char *buf, size_t size);

#endif
