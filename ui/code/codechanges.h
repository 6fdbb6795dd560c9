/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codechanges - Code while windows are compared (ui/views/view_changes): the heat that the same instructions had in the
 * baseline, beside now's.
 *
 * Only where it is the same code: in windows of one session, or of a file with the same build of the object, whose
 * addresses are the file's own.  Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_CODECHANGES_H
#define RINGTOP_UI_CODE_CODECHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/rows/codes.h"
#include "ui/term/theme.h"

struct app;

struct codechanges_state {
	const struct code_sheet *was; /* of this moment; NULL: there is none */
	enum code_same same;
	struct code_sheet by_line; /* that, where lines are shown alone */
	bool forgotten; /* the baseline's addresses, or a part of them */
};

/* The window that code is shown of: while something is compared, the one that is held against the baseline. */
struct window codechanges_window(struct app *a);

/* Find the baseline's heat of what `now` shows.  False: out of memory. */
bool codechanges_sync(struct app *a, const struct query *q, const struct code_sheet *now);

/* A share's bar: all in a listing are of one scale. */
void codechanges_bar(const struct app *a, double share, char *buf, size_t size, int width);

/* Cells of the baseline's: the part of the function, and its bar. */
enum role codechanges_was(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role codechanges_was_bar(const void *ctx, const void *row, char *buf, size_t size, int width);

/* Why there is no heat of the baseline, or not all of it; "" where nothing is compared. */
enum role codechanges_hint(const struct app *a, char *buf, size_t size);

#endif
