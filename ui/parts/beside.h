/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beside - what the session's other events weigh in the rows that are shown, a column each, or that per weight of
 * the event shown.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_BESIDE_H
#define RINGTOP_UI_PARTS_BESIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"
#include "ui/parts/widget.h"

#define BESIDE_MOST 6   /* events */
#define BESIDE_ROWS 256 /* that a screen shows at most */

struct app;
struct details;

struct beside {
	bool on, ratio;
	/* Of the last draw: */
	unsigned nr, event[BESIDE_MOST];
	char title[BESIDE_MOST][16];
	/*
	 * The parts of the time in which each, and the event shown, had a counter; 0: never, 1: as far as is known
	 * always.
	 */
	double part[BESIDE_MOST], shown_part;
	size_t nrows;
	struct beside_row {
		uint64_t key, self;           /* of the event shown */
		uint64_t other[BESIDE_MOST];
	} row[BESIDE_ROWS];
};

/* Has another event samples in the window? */
bool beside_measured(const struct app *a);

/* Which events there are columns for, beside `nr` others; none where it is off.  How many. */
unsigned beside_choose(struct app *a, unsigned nr);

/* Return true if a column's event, or the one shown beside such, is without a counter for a part of the time. */
bool beside_estimates(const struct app *a);

/* The event shown was without a counter for a part of the time: its rows and another one's are of different parts. */
void beside_details(const struct app *a, struct details *d);

/* A column for each, WIDGET_COLUMNS at most with `nr` others. */
void beside_columns(const struct app *a, struct widget_column *columns);

/* Find what they weigh in these rows; asks the model for others: `rows` ends with it. */
void beside_take(struct app *a, const struct row *rows, size_t nr, const struct query *q, struct window w);

#endif
