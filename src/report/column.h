/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column - rows of a report by a table of their columns, in each format: JSON, text, CSV, HTML.
 *
 * A row is any struct; a column is the offset of a member, its form, and its name.  Tables end with
 * an empty column.  A column belongs to JSON if it has a name, to text if it has a `text`; a format
 * with an order of its own has a table of its own.  Threads: one owner of the output.
 */
#ifndef RINGTOP_REPORT_COLUMN_H
#define RINGTOP_REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"

enum column_form {
	COLUMN_NUMBER = 1, /* whole number */
	COLUMN_KNOWN,	   /* whole number; GAUGE_UNKNOWN: null */
	COLUMN_NONZERO,	   /* whole number; 0: null */
	COLUMN_ID,	   /* pid, tid, CPU; negative: null */
	COLUMN_TIME,	   /* ns as seconds with three decimals; any whole number with a `format` */
	COLUMN_REAL,	   /* double by `format`; null if not finite */
	COLUMN_SHARE,	   /* double, 0..1; people see it in percent; NAN: null */
	COLUMN_BOOL,
	COLUMN_NAME,	   /* raw text */
	COLUMN_TEXT,	   /* raw text; NULL and an empty array: null */
	COLUMN_WORD,	   /* number of one of `names`, or a pointer to a plain text */
	COLUMN_COUNTS,	   /* uint64_t[nr]: an object with a number for each of `names`, or without
			    * names an array up to the last that is not 0 */
	COLUMN_ROWS,	   /* pointer to *count structs of `size`: an array of objects */
	COLUMN_OBJECT,	   /* struct: an object with `columns`; without a name just its members */
	COLUMN_OWN,	   /* by the functions `json` and `own` alone */
};

enum column_type {
	COLUMN_ARRAY, COLUMN_POINTER, COLUMN_U8, COLUMN_U16, COLUMN_U32, COLUMN_U64, COLUMN_I16,
	COLUMN_I32, COLUMN_I64, COLUMN_BOOLEAN, COLUMN_DOUBLE,
};

enum column_unit { COLUMN_PLAIN, COLUMN_BYTES, COLUMN_SPAN }; /* of whole numbers, for people */

/*
 * A column is left out where its value is 0, false, "", NULL or not known; of ids and doubles, and
 * with OMIT_UNKNOWN (in text), 0 is not left out.
 */
enum column_omit {
	COLUMN_OMIT_JSON = 1, COLUMN_OMIT_TEXT = 2, COLUMN_OMIT = 3, COLUMN_OMIT_UNKNOWN = 6,
};

struct column {
	const char *name; /* JSON: key; CSV, HTML: title */
	enum column_form form;
	size_t at; /* offset in the row */
	enum column_type type;
	const char *text; /* people: {} stands for the value, (s) for a plural's s */
	enum column_omit omit;
	const char *none; /* people: in place of `text` where `omit` would leave it out */
	const char *head; /* people: in place of the value in the head of a table */
	int width;	  /* people: columns of the value; negative: left-justified */
	enum column_unit unit;
	unsigned when; /* only if one of these bits is in `shown`; 0: always */
	const char *format;
	const char *const *names;
	unsigned nr;
	size_t count, size; /* count: offset of a size_t in the row */
	const struct column *columns;
	/* JSON: put the value; without a name: put members, each with its key. */
	void (*json)(struct out *o, const void *row);
	void (*own)(struct out *o, const void *row); /* people: put the value */
};

/* Put the members that COLUMN_ROWS needs: an array and its length. */
#define COLUMN_ROWS_OF(type, member, nr)                                                           \
	.at = offsetof(type, member), .count = offsetof(type, nr),                                 \
	.size = sizeof(*((type *)0)->member)

/* Put offset and type of a member; the text and what is omitted may follow. */
#define COLUMN_OF(type_, member)                                                                   \
	.at = offsetof(type_, member),                                                             \
	.type = _Generic(&((type_ *)0)->member, char **: COLUMN_POINTER,                           \
			 const char **: COLUMN_POINTER, const uint64_t **: COLUMN_POINTER,         \
			 uint8_t *: COLUMN_U8, uint16_t *: COLUMN_U16, uint32_t *: COLUMN_U32,     \
			 uint64_t *: COLUMN_U64, int16_t *: COLUMN_I16, int32_t *: COLUMN_I32,     \
			 int64_t *: COLUMN_I64, bool *: COLUMN_BOOLEAN, double *: COLUMN_DOUBLE,   \
			 default: COLUMN_ARRAY)

/* Append the row's members behind others, or as an object that is the next value of an array. */
void column_json(struct out *o, const struct column *c, const void *row, unsigned shown);
void column_json_object(struct out *o, const struct column *c, const void *row, unsigned shown);

/*
 * Append the row as text, or the heads of the columns that have one, without a newline.  False: no
 * column has a head.
 */
void column_text(struct out *o, const struct column *c, const void *row, unsigned shown);
bool column_text_head(struct out *o, const struct column *c, unsigned shown);

/* Append a line of CSV with the row, or with the names of the columns. */
void column_csv(struct out *o, const struct column *c, const void *row);
void column_csv_head(struct out *o, const struct column *c);

/* Append a row of an HTML table, or a row with the names of the columns. */
void column_html(struct out *o, const struct column *c, const void *row);
void column_html_head(struct out *o, const struct column *c);

#endif
