/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codechanges - the Code view while windows are compared (ui/views/view_changes): the heat of the
 * same instructions in the baseline, beside the current one.
 *
 * Heat is shown for the same code only: in windows of one session, or in a file with the same build
 * of the object, whose addresses are the file's own.  Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_CODECHANGES_H
#define RINGTOP_UI_CODE_CODECHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/rows/codes.h"
#include "ui/term/theme.h"

struct app;
struct widget_cell;
struct view_code_state;

struct codechanges_state {
	const struct code_sheet *was; /* baseline's heat, valid for one draw or key; or NULL */
	enum code_same same;
	struct code_sheet by_line; /* holds `was` by line in LISTING_LINES mode */
	bool forgotten; /* some of the baseline's addresses are no longer kept */
};

/* Return the window that code is shown for: in a comparison, the one beside the baseline. */
struct window codechanges_window(struct app *a);

/*
 * Find the baseline's heat of the code in `now` for the query q; a->code.changes.was stays NULL
 * where there is none.  False: out of memory.
 */
bool codechanges_sync(struct app *a, const struct query *q, const struct code_sheet *now);

/* Return the baseline's heat of the same code, or NULL. */
const struct code_sheet *codechanges_sheet(const struct view_code_state *s);

/* Format the bar of a share (0 to 1) in `width` columns; all bars of a listing have one scale. */
void codechanges_bar(const struct app *a, double share, char *buf, size_t size, int width);

/* Format cells of the baseline: the share of the function, and its bar.  row: a listing_row. */
enum role codechanges_was(const struct widget_cell *cell, char *buf, size_t size);
enum role codechanges_was_bar(const struct widget_cell *cell, char *buf, size_t size);

/* Format why the baseline's heat is missing or incomplete; "": it is not, or no comparison. */
enum role codechanges_hint(const struct app *a, char *buf, size_t size);

#endif
