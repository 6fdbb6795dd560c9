/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linerows - what rows by source line have that others have not.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_LINEROWS_H
#define RINGTOP_UI_PARTS_LINEROWS_H

#include "model/core/model.h"
#include "ui/term/scene.h"
#include "ui/views/view.h"

struct app;

/* Which function the line is of: a cell (struct widget_column). */
enum role linerows_text_function(const void *ctx, const void *row, char *buf, size_t size, int width);

/* Its source, and why it has none. */
void linerows_details(struct details *d, const struct row *r);

/* Rows are by line: what sends or saves functions is to do so, too. */
void linerows_ask(struct app *a);

/* Said below the rows: why some have no line.  NULL: nothing. */
const char *linerows_hint(const struct app *a, const struct rows *rows, char *buf, size_t size);

/* view_ops.source of a selected row. */
bool linerows_source(const struct row *r, struct editor_file *f);

#endif
