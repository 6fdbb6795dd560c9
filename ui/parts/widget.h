/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * widget - gauges, trends, lines of segments that shrink on narrow screens, tables described by
 * data.
 *
 * All values are quantised, so that invisible noise does not rewrite cells.
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_UI_PARTS_WIDGET_H
#define RINGTOP_UI_PARTS_WIDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/scene.h"

#define WIDGET_TEXT 1024 /* enough for any cell's text */

/* Write a bar of `width` columns, frame included; fill 0..1. */
void widget_gauge(char *buf, size_t size, int width, double fill, bool ascii);

/* Write a column per value, at 8 levels of the power of two at or above the largest; 0 is blank. */
void widget_trend(char *buf, size_t size, const float *values, size_t nr, bool ascii);

/* Return the glyph of a level 0..8. */
const char *widget_level(int level, bool ascii);

/* Write a share in per cent: "25.13", "100.00"; NAN: "-". */
void widget_percent(char *buf, size_t size, double share);

/* --- a line of segments ----------------------------------------------------------------- */

/*
 * Return how many bytes of the text fit into a line of that width, broken at a blank if there is
 * one; 0: the text has ended.
 */
size_t widget_wrap(const struct scene *s, const char *text, int cols);

/* Write the text into as many lines of the rectangle as it needs, the last one cut; returns how
 * many. */
int widget_text(struct scene *s, struct rect at, enum role role, const char *text);

/* Write several texts one below the other, the first one plain and the others dim. */
void widget_hints(struct scene *s, struct rect at, const char *const *text, size_t nr);

struct widget_segment {
	char text[160], brief[96]; /* brief is used where the line is too long; "" : as text */
	enum role role;
	uint8_t drop;  /* if even brief is too long the highest are dropped first; 0: never */
	uint8_t gap;   /* blanks before it, where it is not the first */
	uint8_t pad;   /* blanks behind it, for a figure that may become longer */
	bool right;    /* this and all segments after it are at the right edge */
};

struct widget_line {
	struct widget_segment seg[24];
	unsigned nr;
};

struct widget_segment *widget_segment(struct widget_line *l, enum role role, unsigned drop,
				      unsigned gap, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Return the columns of the whole line, with brief or full texts. */
int widget_line_width(const struct scene *s, const struct widget_line *l, bool brief);

void widget_line_draw(struct scene *s, int y, const struct widget_line *l);

/* --- tables ----------------------------------------------------------------------------- */

#define WIDGET_COLUMNS 18

/* A cell to be written. */
struct widget_cell {
	const void *ctx, *row;
	int width;       /* of its column, which is the index in the table drawn */
	unsigned column;
};

/* Define a column's text() that writes a member of its row by widget_PUT. */
#define WIDGET_CELL(name, put, type, member)                                                       \
	static enum role name(const struct widget_cell *cell, char *buf, size_t size)              \
	{                                                                                          \
		return widget_##put(buf, size, ((const type *)cell->row)->member);                 \
	}

/* Write a number with its unit; UINT64_MAX, not known: "-".  A loss is bad unless it is 0. */
enum role widget_count(char *buf, size_t size, uint64_t n);
enum role widget_loss(char *buf, size_t size, uint64_t n);
enum role widget_bytes(char *buf, size_t size, uint64_t bytes);
enum role widget_span(char *buf, size_t size, uint64_t ns);

enum role widget_id(char *buf, size_t size, int id); /* below 0: "-" */

/* Write a name, escaped; NULL: "-". */
enum role widget_name(char *buf, size_t size, const char *name);

struct widget_column {
	const char *title;
	short width;     /* least columns */
	short grow;      /* share of the columns that are left over */
	short most;      /* most columns; 0: no limit */
	uint8_t drop;    /* for lack of room the highest are dropped first; 0: never */
	bool right;      /* aligned */
	signed char sort; /* enum sort_by, -1: not sorted by */
	/* Write the cell's text, escaped; returns its role. */
	enum role (*text)(const struct widget_cell *cell, char *buf, size_t size);
	const char *help; /* NULL: the word of that title in ui/views/glossary.c */
};

struct widget_table {
	const struct widget_column *columns;
	unsigned nr;
	int x[WIDGET_COLUMNS], width[WIDGET_COLUMNS]; /* width 0: not shown */
};

void widget_table_layout(struct widget_table *t, int x, int cols, uint32_t hidden);

/*
 * Draw the heads; `titles` (may be NULL) replaces titles, except by NULL entries.  sort: the column
 * of this enum sort_by gets a mark for rising or falling rows; -1: none.
 */
void widget_table_head(struct scene *s, int y, int cols, const struct widget_table *t,
		       const char *const *titles, int sort, bool rising);
void widget_table_row(struct scene *s, int y, int cols, const struct widget_table *t,
		      const void *ctx, const void *row, bool selected);

#endif
