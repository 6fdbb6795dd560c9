/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logged - tracepoints' records themselves, as lines of an event log, in a slice.
 *
 * Of what comes faster than anybody reads only the newest become lines; the others are counted.  That is no loss: they
 * are in the sums, as all that was sampled.
 *
 * Threads: whose the slice is.
 */
#ifndef RINGTOP_CORE_SLICE_LOGGED_H
#define RINGTOP_CORE_SLICE_LOGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICE_LOGGED_MOST 16384u /* of a slice that was merged of several; the oldest go first */

/* One record. */
struct slice_logged {
	uint64_t time;    /* session time */
	uint16_t event;   /* index into session_info.events */
	int16_t cpu;      /* -1: not known */
	int32_t pid, tid; /* -1: not known */
	bool late;        /* records of its time were shown before it came */
	char comm[16];    /* raw; "": not known */
	char *text;       /* escaped */
	char *fields;     /* of each NAME, a tab, n (a number in digits) or s (a text), VALUE, a newline; raw */
};

/* What became of the records that the log is of, in this slice. */
struct slice_logging {
	uint64_t lines;     /* are here as lines, or were */
	uint64_t unshown;   /* were more than are shown: they are counted as samples like all others */
	uint64_t unprinted; /* could not be put into words */
	uint64_t late;      /* of the lines */
};

void slice_logged_clear(struct slice_logged *l); /* frees what it holds */

/* By time. */
void slice_logged_sort(struct slice_logged *l, size_t nr);

/* Of `nr` in order of time the newest `most` stay; the others count as not shown. */
void slice_logged_trim(struct slice_logged *l, size_t *nr, size_t most, struct slice_logging *counts);

/* The same of the newest that are of no more bytes, texts and all. */
void slice_logged_fit(struct slice_logged *l, size_t *nr, size_t bytes, struct slice_logging *counts);

void slice_logging_add(struct slice_logging *to, const struct slice_logging *from);

/* The next field of a text of slice_logged.fields: false: there is none, or what follows is none.  Pointers into it. */
struct slice_logged_field {
	const char *name, *value;
	size_t name_len, value_len;
	bool number;
};
bool slice_logged_next(const char **at, struct slice_logged_field *f);

#endif
