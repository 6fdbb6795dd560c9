/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changes - report of a comparison: two profiles of each event, and their differences.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_CHANGES_H
#define RINGTOP_REPORT_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/column.h"
#include "report/out.h"
#include "model/compare/compare.h"

enum { CHANGES_WAS, CHANGES_NOW, CHANGES_SIDES };

struct changes_log {
	bool warning;
	char *text; /* raw */
};

struct changes_side {
	const char *file; /* raw, as it was given; NULL: a host of the session */
	char host[256];	  /* raw, "": not known */
	uint64_t start_wall; /* see session_info.start_wall */
	double seconds;
	char error[512]; /* raw: why the file was not read to its end, "": it was */
	struct changes_log *logs; /* log lines about the file, the oldest first */
	size_t nlogs;
};

/* An event that both sides have. */
struct changes_event {
	struct profile profile[CHANGES_SIDES];
	struct comparison comparison;
};

struct changes {
	bool beside; /* a report of the newer side stands before this one */
	const char *version;
	struct changes_side side[CHANGES_SIDES];
	struct changes_event *events;
	size_t nevents;
	size_t significant; /* number of significant changes, all events */
	uint64_t failed_allocations, failed_reads; /* requests that the system refused meanwhile */
	size_t top;	    /* rows that may be chance, in the text report; 0: a default */
};

/*
 * Append the report as one JSON object (see ringtop-json(5)), or to be read by people: significant
 * changes first, then the largest of those that may be chance.
 */
void changes_json(struct out *o, const struct changes *c);
void changes_text(struct out *o, const struct changes *c);

/* A function's difference as a row of changes_csv or changes_html. */
struct changes_row {
	const char *event, *unit;
	bool clock; /* rates are ns */
	struct difference d;
	struct profile_row row; /* of now if it is there, else of the baseline */
	const char *object, *was_object, *csv_object, *kind;
	uint64_t samples, was_samples, weight, was_weight;
	double half, p; /* half of the interval */
	uint64_t needs; /* ns to measure more, at least; 0: not shown */
	bool significant, appeared, gone, share_only;
	char sure[64];
};

extern const struct column changes_csv[], changes_html[];

/* Fill in a row, which borrows the texts and the difference's. */
void changes_row(struct changes_row *r, const char *event, const char *unit, bool clock,
		 const struct difference *d);

#endif
