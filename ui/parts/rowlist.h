/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowlist - common to the views of the model's rows: cells, list, search.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWLIST_H
#define RINGTOP_UI_PARTS_ROWLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/scene.h"

struct app;
struct editor_file;
struct row;
struct table_state;
struct zoom_level;

/* Draw the selection's mark at y; without colours also how hot the row is. */
void rowlist_mark(struct app *a, int y, double share, bool selected);

/* Return true if the rows are sorted by rising values. */
bool rowlist_rising(const struct table_state *t);

/* Write a function's raw name, escaped, folded to `width` columns.  other: see namefold_fit(). */
void rowlist_fit(const struct app *a, char *buf, size_t size, const char *name, const char *other,
	      int width);

/*
 * Write the name of a row by line in `width` columns: FILE:LINE, or its function if it has no line.
 */
void rowlist_line(const struct app *a, char *buf, size_t size, const struct row *r, int width);

/* Return true if the text contains the search text; case counts only if that has capitals. */
bool rowlist_found(const char *text, const char *search);

/* Return true if a name of the row contains the search text, which may be "". */
bool rowlist_matches(const struct row *r, const char *search);

/* Return an explanation why there are no rows. */
const char *rowlist_empty(const struct app *a);

/* Implement view_ops.function for such views. */
uint64_t rowlist_function(struct app *a, char *name, size_t size);

/*
 * Return the key of the selected row by line, its function's raw name in `name` ("": several); 0:
 * it is no line.
 */
uint64_t rowlist_line_key(struct app *a, char *name, size_t size);

/* Implement view_ops.source for such views. */
bool rowlist_source(struct app *a, struct editor_file *f);

/* Show the callers of the selected row.  False: it is no function, or there are no call paths. */
bool rowlist_callers(struct app *a);

/*
 * Write the words of a filter that only the selected row passes, and its short name; the caller
 * sets level's view and list.  False: no row is selected, it sums many, or its name is too long.
 */
bool rowlist_words(struct app *a, struct zoom_level *level);

/* Return true if the selected row is of several hosts, or is a host. */
bool rowlist_of_hosts(struct app *a);

/* Draw the current view's rows and their heads, and sync its list. */
void rowlist_draw(struct app *a, struct rect area);

/* Return the selected row, with its trend if asked for; NULL: there is none. */
const struct row *rowlist_selected(struct app *a, bool trend);

#endif
