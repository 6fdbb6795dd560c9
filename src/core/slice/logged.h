/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logged - tracepoints' records themselves, as lines of an event log, in a slice.
 *
 * Records may come faster than a person can read: then only the newest become lines, and the others
 * are counted.  That is no loss: the sums have them, as they have every sample.
 *
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_LOGGED_H
#define RINGTOP_CORE_SLICE_LOGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICE_LOGGED_MOST 16384u /* lines of a merged slice; the oldest are dropped first */

/* One record. */
struct slice_logged {
	uint64_t time;    /* session time */
	uint16_t event;   /* index into session_info.events */
	int16_t cpu;      /* -1: not known */
	int32_t pid, tid; /* -1: not known */
	bool late;        /* records of its time were shown before it came */
	char comm[16];    /* raw; "": not known */
	char *text;       /* escaped */
	char *fields;     /* raw; fields: NAME, a tab, n (number in digits) or s (text), VALUE,
	                   * a newline */
};

/* Counts of a slice's records of the events that are logged. */
struct slice_logging {
	uint64_t lines;     /* records that became lines */
	uint64_t unshown;   /* records beyond the lines shown; in the sums like all others */
	uint64_t unprinted; /* records that could not be formatted */
	uint64_t late;      /* lines that are late */
};

void slice_logged_clear(struct slice_logged *l); /* frees its texts */

/* Sort lines by time. */
void slice_logged_sort(struct slice_logged *l, size_t nr);

/*
 * Keep the newest `most` of *nr lines in order of time; free the others and move them from
 * counts->lines to counts->unshown.
 */
void slice_logged_trim(struct slice_logged *l, size_t *nr, size_t most,
		       struct slice_logging *counts);

/* Like slice_logged_trim(), but keep as many lines as fit into `bytes` with their texts. */
void slice_logged_fit(struct slice_logged *l, size_t *nr, size_t bytes,
		      struct slice_logging *counts);

/* Add the counts of `from`. */
void slice_logging_add(struct slice_logging *to, const struct slice_logging *from);

/* One field of a text of slice_logged.fields; points into that text. */
struct slice_logged_field {
	const char *name, *value;
	size_t name_len, value_len;
	bool number;
};

/* Read the field at *at and move *at behind it.  False: the text ends here, or is malformed. */
bool slice_logged_next(const char **at, struct slice_logged_field *f);

#endif
