/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filelog - the event log of a file: its tracepoints' records as lines, by the formats that the file has.
 *
 * They come in order of time.  A report has all of them, so it has more slices where there are many (filelog_full); a
 * screen has the newest of each.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILELOG_H
#define RINGTOP_SOURCES_REPLAY_FILELOG_H

#include <stdbool.h>

#include "files/decode/record.h"
#include "sources/replay/formats.h"
#include "measure/trace/print.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

#define FILELOG_LINES 2000  /* of a slice, for a screen */
#define FILELOG_BATCH 10000 /* for a report: then the slice ends */

struct filelog;

struct filelog_config {
	const struct formats *formats; /* outlive it */
	bool wanted, all; /* all: not only the newest of a slice */
	bool with_fields;
	unsigned long_size;   /* bytes of a long in records; 0: not known */
	print_names *names;   /* names that are asked first, with names_arg; NULL: nobody is */
	void *names_arg;
	const char *kallsyms; /* of the recorded kernel, NULL: there are none */
};

/* NULL: out of memory. */
struct filelog *filelog_create(const struct filelog_config *c);
void filelog_free(struct filelog *l);

/* A sample of a tracepoint (id: its attr.config), session time.  NULL: there is no log. */
void filelog_sample(struct filelog *l, uint64_t id, unsigned event, const struct sample *s, uint64_t time,
		    const struct resolver *names);

/* There is so much that the slice should end. */
bool filelog_full(const struct filelog *l);

/* Lines into a slice that ends. */
void filelog_tell(struct filelog *l, struct slice *s);

#endif
