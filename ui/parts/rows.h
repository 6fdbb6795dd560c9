/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows - what views of the model's rows share: cells, list, search.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWS_H
#define RINGTOP_UI_PARTS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/scene.h"
#include "ui/parts/widget.h"

struct app;
struct editor_file;
struct row;
struct table_state;
struct zoom_level;

/* Cell texts (struct widget_column); ctx is the app, row a struct row. */
enum role rows_text_self(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_total(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_half(const void *ctx, const void *row, char *buf, size_t size, int width); /* ui/parts/trust.h */
enum role rows_text_change(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_peak(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_trend(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_samples(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_name(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_object(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_host(const void *ctx, const void *row, char *buf, size_t size, int width);
enum role rows_text_task(const void *ctx, const void *row, char *buf, size_t size, int width);

/* Where there are no colours: how hot the row at y is, beside the selection's mark. */
void rows_mark(struct app *a, int y, double share, bool selected);

/* Do they rise from row to row, as they are sorted? */
bool rows_rising(const struct table_state *t);

/* The name of a function, raw, as it is shown in `width` columns.  other: see names_fit. */
void rows_fit(const struct app *a, char *buf, size_t size, const char *name, const char *other, int width);

/* The same of a row by line: FILE:LINE, or the function that has none. */
void rows_line(const struct app *a, char *buf, size_t size, const struct row *r, int width);

/* Found by the search: as typed, case aside unless it has capitals. */
bool rows_found(const char *text, const char *search);

/* Why there is nothing to see. */
const char *rows_empty(const struct app *a);

/* view_ops.function of such views. */
uint64_t rows_function(struct app *a, char *name, size_t size);

/* The selected row's key where rows are by line, and the raw name of its function ("": of several); 0: it is no line. */
uint64_t rows_line_key(struct app *a, char *name, size_t size);

/* view_ops.source of such views. */
bool rows_source(struct app *a, struct editor_file *f);

/* Callers of the selected row, where it is a function and there are call paths.  False: not so. */
bool rows_callers(struct app *a);

/*
 * Words of a filter that leave the selected row alone, and what to call that; view and list are the caller's.  False:
 * none is selected, it stands for many, or its name is too long.
 */
bool rows_words(struct app *a, struct zoom_level *level);

/* Is the selected row of several hosts, or one of them? */
bool rows_of_hosts(struct app *a);

/* The current view's rows, head included, its list in sync. */
void rows_draw(struct app *a, struct rect area, const struct widget_column *columns, unsigned nr,
	       uint32_t hidden, const char *const *titles);

/* Return the selected row, with its trend if asked for; NULL: there is none. */
const struct row *rows_selected(struct app *a, bool trend);

#endif
