/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filelog - the event log of a file: its tracepoints' records as lines, by the formats that the
 * file has.
 *
 * Records come in order of time. A report shows all of them, so it gets more slices where there are
 * many (filelog_full); a screen shows the newest of each slice.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILELOG_H
#define RINGTOP_SOURCES_REPLAY_FILELOG_H

#include <stdbool.h>

#include "measure/consumers/consumer.h"
#include "sources/replay/fileformats.h"
#include "measure/trace/print.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

#define FILELOG_LINES 2000  /* lines of a slice, for a screen */
#define FILELOG_BATCH 10000 /* lines for a report, after which the slice ends */

struct filelog;

struct filelog_config {
	const struct fileformats *formats; /* borrowed */
	bool wanted, all; /* all: every record, not only the newest of a slice */
	bool with_fields;
	unsigned long_size;   /* bytes of a long in records; 0: not known */
	print_names *names;   /* source of names that is tried first, with names_arg; NULL: none */
	void *names_arg;
	const char *kallsyms; /* copy of the recorded kernel's kallsyms, borrowed; NULL: none */
};

/* Create; `threads` has their names. NULL: out of memory. *c is copied, all else is borrowed. */
struct filelog *filelog_create(const struct filelog_config *c, const struct resolver *threads);
void filelog_free(struct filelog *l);

/* A sample with what the log needs beside it. */
struct filelog_sample {
	struct consumer_sample c; /* the first member: it is what consumers get */
	uint32_t format;	  /* the tracepoint's number */
	uint64_t shown;		  /* session time */
};

/* Add samples of tracepoints, each in a struct filelog_sample. */
extern const struct consumer_ops filelog_consumer;

/* Return true if there are so many lines that the slice should end. */
bool filelog_full(const struct filelog *l);

/* Move the lines to a slice that ends. */
void filelog_tell(struct filelog *l, struct slice *s);

#endif
