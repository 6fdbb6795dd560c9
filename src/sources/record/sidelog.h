/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sidelog - the last sideband records of all CPUs, kept for snapshots: maps, names and switches of
 * tasks that may be gone when the snapshot is taken.
 *
 * Bounded: the oldest are dropped, and counted.  Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_RECORD_SIDELOG_H
#define RINGTOP_SOURCES_RECORD_SIDELOG_H

#include <stddef.h>
#include <stdint.h>

#include "files/decode/record.h"

#define SIDELOG_BYTES (4u << 20)
/* Layout of the records' sample_ids. */
#define SIDELOG_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct sidelog;

struct sidelog *sidelog_create(size_t bytes); /* bytes: upper limit; NULL: out of memory */
void sidelog_free(struct sidelog *sl);

/* Keep a copy of a record. Return 0, or -ENOMEM: it is counted as dropped. */
int sidelog_add(struct sidelog *sl, const struct record *rec);

/* Return a malloc'ed copy of all records, in the order they came; NULL: out of memory. */
char *sidelog_copy(const struct sidelog *sl, size_t *len);

uint64_t sidelog_dropped(const struct sidelog *sl);

#endif
