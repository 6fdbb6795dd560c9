/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linerows - parts of views that only rows by source line have.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_LINEROWS_H
#define RINGTOP_UI_PARTS_LINEROWS_H

#include "model/core/model.h"
#include "ui/term/scene.h"
#include "ui/app/view.h"

struct app;
struct widget_cell;

/* Write the line's function: a cell (struct widget_column). */
enum role linerows_text_function(const struct widget_cell *cell, char *buf, size_t size);

/* Add the row's source line to the details, or why it has none. */
void linerows_details(struct details *d, const struct row *r);

/* Request that whatever sends or saves functions also does so by line. */
void linerows_ask(struct app *a);

/* Return the hint below the rows, why some have no line; NULL: none. */
const char *linerows_hint(const struct app *a, const struct rows *rows, char *buf, size_t size);

/* Implement view_ops.source for a selected row. */
bool linerows_source(const struct row *r, struct editor_file *f);

#endif
