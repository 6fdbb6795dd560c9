/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export - measured data as a file for another program.
 *
 * A format is one row of export_formats and one function that appends to a struct out.  The file
 * appears under its name whole or not at all: it is written under a temporary name beside it first.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_H
#define RINGTOP_REPORT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "report/out.h"
#include "model/compare/compare.h"
#include "model/core/model.h"

/* Data that an export is compared with. */
struct export_baseline {
	struct model *model; /* the export's, or another */
	struct window window;
	unsigned host;	  /* see query.host; the export's own host is in its query */
	const char *name; /* raw, a description */
	struct compare_how how;
};

struct export_source {
	struct model *model;
	const struct query *query; /* event, hiding, filter, show_self; the rest is not used */
	struct window window;
	const struct session_end *end; /* the session's end, NULL: it goes on */
	const char *version; /* ringtop's version */
	const struct export_baseline *baseline; /* or NULL */
};

struct export_format {
	const char *name;   /* in --export NAME:FILE */
	const char *suffix; /* usual end of its files' names */
	bool gzip;          /* compress the whole file afterwards */
	bool compares;      /* shows differences from the baseline, which others leave out */
	/* Append the whole file; may flush where not compressed.  Errors stick to `o`. */
	void (*write)(struct out *o, const struct export_source *src);
};

extern const struct export_format *const export_formats[]; /* ends with NULL */

/*
 * Parse FORMAT:FILE; *path points into the text.  0, or -EINVAL with err, which names the formats
 * if the format is unknown.
 */
int export_parse(const char *text, const struct export_format **format, const char **path,
		 struct err *err);

/*
 * Write src to the file `path`, replacing a plain file of that name.  0, or -errno with err; then
 * neither a new file nor a temporary one is left.
 */
int export_write(const struct export_format *format, const char *path,
		 const struct export_source *src, struct err *err);

/* --- for the formats -------------------------------------------------------------------- */

/*
 * Return the number of a raw name in a table of strings, adding it escaped, and so as UTF-8.  0: it
 * is "", which is string 0, or out of memory with o->error.
 */
uint32_t export_string(struct out *o, struct intern *strings, const char *name);

/* Return the event's unit as the formats spell it: "nanoseconds" or "count". */
const char *export_unit(const struct session_event *e);

/* Write one line with an event's counts and losses, raw. */
void export_loss(const struct export_source *src, unsigned event, char *text, size_t size);

/*
 * Write how much of the query's event is missing in the paths because history was forgotten, or "".
 */
void export_missing(const struct export_source *src, uint64_t missing, char *text, size_t size);

/*
 * Write the marks in the window, raw: "marks: deploy at 12.000 s, ...", with the number of those
 * that find no room; or "".
 */
void export_marks(const struct export_source *src, char *text, size_t size);

/* Flush the buffer if it is large and has a descriptor. */
void export_breathe(struct out *o);

#endif
