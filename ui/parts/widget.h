/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * widget - gauges, trends, lines of segments that give way when narrow, tables with columns as
 * data.
 *
 * Everything is quantised, so that noise below what can be seen does not rewrite cells.
 * Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_UI_PARTS_WIDGET_H
#define RINGTOP_UI_PARTS_WIDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/scene.h"

#define WIDGET_TEXT 1024 /* enough for any cell's text */

/* A bar of `width` columns, frame included; fill 0..1. */
void widget_gauge(char *buf, size_t size, int width, double fill, bool ascii);

/* One column a value at 8 levels of a scale that is the power of two above the greatest; blank: 0.
 */
void widget_trend(char *buf, size_t size, const float *values, size_t nr, bool ascii);

/* One level 0..8 as a glyph. */
const char *widget_level(int level, bool ascii);

/* "25.13", "100.00"; "-" where it is not a number. */
void widget_percent(char *buf, size_t size, double share);

/* --- a line of segments ----------------------------------------------------------------- */

/*
 * Return how many bytes of the text go into a line of that width, broken at a blank where there is one; 0: it has
 * ended.
 */
size_t widget_wrap(const struct scene *s, const char *text, int cols);

/* Write the text into as many lines of the rectangle as it needs, the last one cut; returns how many. */
int widget_text(struct scene *s, struct rect at, enum role role, const char *text);

/* Write several texts one below the other, the first as the matter itself and the others dim. */
void widget_hints(struct scene *s, struct rect at, const char *const *text, size_t nr);

struct widget_segment {
	char text[160], brief[96]; /* brief is used where the line is too long; "" : as text */
	enum role role;
	uint8_t drop;  /* when even brief is too long the highest go first; 0: never */
	uint8_t gap;   /* blanks before it, where it is not the first */
	uint8_t pad;   /* blanks behind it, for a figure that may become longer */
	bool right;    /* this and all after it stand at the right edge */
};

struct widget_line {
	struct widget_segment seg[24];
	unsigned nr;
};

struct widget_segment *widget_segment(struct widget_line *l, enum role role, unsigned drop,
				      unsigned gap, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Columns of the line with or without abbreviations, nothing dropped. */
int widget_line_width(const struct scene *s, const struct widget_line *l, bool brief);

void widget_line_draw(struct scene *s, int y, const struct widget_line *l);

/* --- tables ----------------------------------------------------------------------------- */

#define WIDGET_COLUMNS 18

struct widget_column {
	const char *title;
	short width;     /* least columns */
	short grow;      /* share of what is left over */
	short most;      /* columns it never exceeds, 0: none */
	uint8_t drop;    /* when it is too narrow the highest go first; 0: never */
	bool right;      /* aligned */
	signed char sort; /* enum sort_by, -1: not sorted by */
	/*
	 * The text of a row's cell, already escaped, for a column of `width`.  Returns its role.
	 */
	enum role (*text)(const void *ctx, const void *row, char *buf, size_t size, int width);
};

struct widget_table {
	const struct widget_column *columns;
	unsigned nr;
	int x[WIDGET_COLUMNS], width[WIDGET_COLUMNS]; /* width 0: not shown */
};

void widget_table_layout(struct widget_table *t, int x, int cols, uint32_t hidden);

/*
 * The head; `titles` may replace single titles (NULL entries do not).  sort: the column that rows are sorted by has a mark
 * behind its title, which shows whether they rise or fall; -1: none.
 */
void widget_table_head(struct scene *s, int y, int cols, const struct widget_table *t,
		       const char *const *titles, int sort, bool rising);
void widget_table_row(struct scene *s, int y, int cols, const struct widget_table *t,
		      const void *ctx, const void *row, bool selected);

#endif
