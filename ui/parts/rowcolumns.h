/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowcolumns - the columns of the model's rows, in Functions and Tasks: a row of the table in
 * rowcolumns.c is all that one needs, with its cell's function and its words for the help.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWCOLUMNS_H
#define RINGTOP_UI_PARTS_ROWCOLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/model.h"
#include "ui/app/view.h"
#include "ui/parts/widget.h"

/* A view's columns for a draw. */
struct rowcolumns {
	struct widget_column column[WIDGET_COLUMNS];
	unsigned nr;
	uint32_t hidden; /* bits of columns that are not shown */
};

/* Make the columns of the current view on a screen of `cols` columns. */
void rowcolumns_make(const struct app *a, int cols, struct rowcolumns *to);

/* Copy a view's columns, WIDGET_COLUMNS at most.  Return how many: 0 for other views. */
unsigned rowcolumns_list(enum view_id view, struct widget_column *to);

/* Return bits of enum sort_by: what a view's rows of that group can be sorted by. */
unsigned rowcolumns_sorts(enum view_id view, enum group_by group);

/* Write the cell of a row's name. */
enum role rowcolumns_name(const struct widget_cell *cell, char *buf, size_t size);

/* Return the width of the column of names; 0: it is not shown. */
int rowcolumns_name_width(const struct widget_table *t);

#endif
