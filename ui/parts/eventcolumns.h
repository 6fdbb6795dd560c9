/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventcolumns - columns with the weights of the session's other events in the rows shown, or their
 * ratio to the weight of the event shown.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_EVENTCOLUMNS_H
#define RINGTOP_UI_PARTS_EVENTCOLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"
#include "ui/parts/widget.h"

#define EVENTCOLUMNS_MOST 6   /* events */
#define EVENTCOLUMNS_ROWS 256 /* most rows on a screen */

struct app;
struct details;

struct eventcolumns {
	bool on, ratio;
	/* The following is of the last draw. */
	unsigned nr, event[EVENTCOLUMNS_MOST];
	char title[EVENTCOLUMNS_MOST][16];
	/*
	 * Parts of the time in which these events, and the event shown, had a counter; 0: never;
	 * 1: always, as far as known.
	 */
	double part[EVENTCOLUMNS_MOST], shown_part;
	size_t nrows;
	struct eventcolumns_row {
		uint64_t key, self;           /* of the event shown */
		uint64_t other[EVENTCOLUMNS_MOST];
	} row[EVENTCOLUMNS_ROWS];
};

/* Return true if another event has samples in the window. */
bool eventcolumns_measured(const struct app *a);

/*
 * Choose the events to get a column, beside `nr` other columns; returns their number, 0 if this is
 * off.
 */
unsigned eventcolumns_choose(struct app *a, unsigned nr);

/* Return true if a column's event, or the one shown beside such, is without a counter for a part of
 * the time. */
bool eventcolumns_estimates(const struct app *a);

/*
 * Add a detail, if the event shown had no counter for a part of the time: its rows are not of the
 * others' time.
 */
void eventcolumns_details(const struct app *a, struct details *d);

/* Write a column for each chosen event. */
void eventcolumns_columns(const struct app *a, struct widget_column *columns);

/*
 * Find the weights of the chosen events in these rows; `rows` is invalid afterwards, as the model
 * is queried.
 */
void eventcolumns_take(struct app *a, const struct row *rows, size_t nr, const struct query *q,
		 struct window w);

#endif
