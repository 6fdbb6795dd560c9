/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export - what was measured, as a file for another program.
 *
 * A format is one row of export_formats and one function that appends to a struct out.  The file
 * appears under its name whole or not at all: it is written beside it under a temporary name first.
 *
 * Threads: as model.h.
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

/* What an export is compared with. */
struct export_baseline {
	struct model *model; /* the export's, or another */
	struct window window;
	unsigned host;	  /* as query.host; the export's is in its query */
	const char *name; /* raw, what it is in words */
	struct compare_how how;
};

struct export_source {
	struct model *model;
	const struct query *query; /* event, hiding, filter, show_self; the rest is not used */
	struct window window;
	const struct session_end *end; /* of the session, NULL: it goes on */
	const char *version; /* ringtop's */
	const struct export_baseline *baseline; /* or NULL */
};

struct export_format {
	const char *name;   /* in --export NAME:FILE */
	const char *suffix; /* what its files are usually called */
	bool gzip;          /* compressed as a whole afterwards */
	bool compares;      /* it says what changed from the source's baseline; else that is left out */
	/* Append it all; may flush where not compressed.  Errors stick to `o`. */
	void (*write)(struct out *o, const struct export_source *src);
};

extern const struct export_format *const export_formats[]; /* ends with NULL */

/* FORMAT:FILE; *path points into the text.  0 or -EINVAL, with the names of the formats in err. */
int export_parse(const char *text, const struct export_format **format, const char **path,
		 struct err *err);

/*
 * Replaces `path` where it is a plain file.  0 or -errno with err; then there is neither a new file
 * nor a temporary one.
 */
int export_write(const struct export_format *format, const char *path,
		 const struct export_source *src, struct err *err);

/* --- for the formats -------------------------------------------------------------------- */

/* A name's number in a table of strings that begins with an empty one: escaped, so UTF-8.  0: "". */
uint32_t export_string(struct out *o, struct intern *strings, const char *name);

/* "ns" and "" as the formats spell them. */
const char *export_unit(const struct session_event *e);

/* One line on what was counted and lost of an event. */
void export_loss(const struct export_source *src, unsigned event, char *text, size_t size);

/* Why the paths are not all that was measured, or "". */
void export_missing(const struct export_source *src, uint64_t missing, char *text, size_t size);

/* The marks in the window, raw: "marks: deploy at 12.000 s, ...", with how many more there are; or "". */
void export_marks(const struct export_source *src, char *text, size_t size);

/* Hand over what has come together, where it is much. */
void export_breathe(struct out *o);

#endif
