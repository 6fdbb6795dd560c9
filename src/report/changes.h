/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changes - contents of a report of a comparison: two profiles of each event, and their
 * differences.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_CHANGES_H
#define RINGTOP_REPORT_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
