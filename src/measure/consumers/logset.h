/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logset - records for the event log: added in any order, sorted by time, printed, put into a
 * slice.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_LOGSET_H
#define RINGTOP_MEASURE_CONSUMERS_LOGSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"
#include "measure/trace/print_sandbox.h"

#define LOGSET_IDLE "swapper" /* the idle threads, as perf calls them */

struct logrecord {
	uint64_t time;     /* perf's clock */
	uint64_t shown;    /* session time, once it is known */
	uint32_t pid, tid;
	uint32_t id;       /* the tracepoint's */
	uint32_t len;      /* bytes of the record */
	size_t at;         /* their offset in logset.bytes */
	uint16_t event;
	int16_t cpu;
	bool late;
	bool wanted; /* preferred to newer records where not all can be shown */
	char comm[16];
};

/* Zeroed: empty. */
struct logset {
	struct logrecord *record;
	size_t nr, cap;
	uint8_t *bytes;
	size_t nbytes, cap_bytes;
};

/* Add a copy of r and of its bytes; r->at is ignored.  False: no memory, nothing changed. */
bool logset_add(struct logset *s, const struct logrecord *r, const void *bytes);

static inline const uint8_t *logset_bytes(const struct logset *s, const struct logrecord *r)
{
	return s->bytes + r->at;
}

/* Sort by time; records with one time stay in order of addition. */
void logset_sort(struct logset *s);

/*
 * Return how many records in front to cut, so that the newest stay: none before index `from`, at
 * most `most` records, and at most `bytes` bytes.
 */
size_t logset_excess(const struct logset *s, size_t from, size_t most, size_t bytes);

/*
 * Remove the first `nr` records.  `spare`: an empty set, before and after.  Return the others lost
 * for lack of memory.
 */
size_t logset_cut(struct logset *s, struct logset *spare, size_t nr);

void logset_empty(struct logset *s); /* keeps its memory */
void logset_clear(struct logset *s); /* frees it */

/* Printed lines and their counts. */
struct loglines {
	struct slice_logged *line;
	size_t nr;
	struct slice_logging counts;
};

/* Print all records in order; *to is overwritten.  Without memory, they count as unprinted. */
void logset_print(const struct logset *s, struct printer *p, struct loglines *to);

/* Append the lines to s, and empty `from`.  Without memory, they count as unprinted. */
void loglines_give(struct loglines *from, struct slice *s);

#endif
