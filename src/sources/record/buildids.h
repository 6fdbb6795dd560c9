/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildids - names of mapped files, collected from records, and their build-ids at the end of a
 * recording.
 *
 * A name is looked up in the root of its process, else in ringtop's own. Bounded: BUILDIDS_MAX
 * names.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_SOURCES_RECORD_BUILDIDS_H
#define RINGTOP_SOURCES_RECORD_BUILDIDS_H

#include <stddef.h>

#include "files/decode/perfwrite.h"
#include "files/decode/record.h"

#define BUILDIDS_MAX 65536

struct buildids;

struct buildids *buildids_create(void); /* NULL: out of memory */
void buildids_free(struct buildids *b);

/* Add the file that this record maps, if it is an executable map of a file. Return 0 or -ENOMEM. */
int buildids_record(struct buildids *b, const struct record_layout *l,
		    const struct perf_event_header *h);

/*
 * Append the build-ids of the kernel and of all files that have one, as perf.data's feature has
 * them. Reads the files.
 */
void buildids_write(const struct buildids *b, struct perfwrite *w);

#endif
