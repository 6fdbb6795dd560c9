/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section - a part of a report: rows with columns, printed as JSON and as text.
 *
 * section_parts.h has all of them, in their order.  Threads: one, the model's owner.
 */
#ifndef RINGTOP_REPORT_SECTION_H
#define RINGTOP_REPORT_SECTION_H

#include "report/column.h"
#include "report/headless.h"

/* A section on its way to a report. */
struct section_rows {
	struct out *o;
	const struct headless_view *v;
	const struct section *section;
	bool json;	/* false: text */
	unsigned event; /* with by_event: fill in this event's rows */
	unsigned shown; /* see struct column.when; fill sets it, for each row if need be */
	size_t nr;	/* rows so far; 0: a table's head comes before the next one */
	const char *head_end; /* the head's last title, where it depends on the report; or NULL */
};

struct section {
	const char *name; /* JSON: the member; NULL: not in JSON */
	const struct column *columns;
	bool object; /* JSON: the row is an object, null without a row; else rows are an array */
	bool by_event; /* fill is called for each event */
	/*
	 * Call section_row for each row.  Return false to leave out the member where there are no
	 * rows.
	 */
	bool (*fill)(struct section_rows *to);
	/* Append a form of their own; NULL: the rows by the columns. */
	void (*json)(struct out *o, const struct headless_view *v);
	void (*text)(struct out *o, const struct headless_view *v);
};

/* Append a row. */
void section_row(struct section_rows *to, const void *row);

/* Note that there is no memory for the rows. */
void section_no_memory(struct section_rows *to);

/* Append the sections of a report, in the order of its form. */
void section_json_report(struct out *o, const struct headless_view *v);
void section_text_report(struct out *o, const struct headless_view *v);

/* Append one section, behind others. */
void section_json(struct out *o, const struct headless_view *v, const struct section *s);
void section_text(struct out *o, const struct headless_view *v, const struct section *s,
		  unsigned event);

/* Members for a CPU as slices number it, or a thread on no CPU: host (if several), cpu, tid. */
struct section_place {
	const char *host;
	int32_t cpu, tid;
};

struct section_place section_place(const struct headless_view *v, int cpu, int32_t tid);

extern const struct column section_place_columns[];

#define SECTION_PLACE(type, member, ...)                                                           \
	{NULL, COLUMN_OBJECT, .at = offsetof(type, member), .columns = section_place_columns,      \
	 __VA_ARGS__}

#endif
