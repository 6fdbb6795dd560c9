/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logset - records on their way into the event log: put in any order, sorted by time, printed, in a slice.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_MEASURE_SESSION_LOGSET_H
#define RINGTOP_MEASURE_SESSION_LOGSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"
#include "measure/trace/print_fence.h"

#define LOGSET_IDLE "swapper" /* the idle threads, as perf calls them */

struct logrecord {
	uint64_t time;     /* perf's clock */
	uint64_t shown;    /* session time, once it is known */
	uint32_t pid, tid;
	uint32_t id;       /* the tracepoint's */
	uint32_t len;      /* bytes of the record */
	size_t at;         /* where they are in the set */
	uint16_t event;
	int16_t cpu;
	bool late;
	bool wanted; /* before newer ones, where not all can be shown */
	char comm[16];
};

/* Zeroed: empty. */
struct logset {
	struct logrecord *record;
	size_t nr, cap;
	uint8_t *bytes;
	size_t nbytes, cap_bytes;
};

/* False: out of memory, nothing changed.  `at` of r is not looked at. */
bool logset_add(struct logset *s, const struct logrecord *r, const void *bytes);

static inline const uint8_t *logset_bytes(const struct logset *s, const struct logrecord *r)
{
	return s->bytes + r->at;
}

/* By time; those of one time as they came. */
void logset_sort(struct logset *s);

/* How many in front must go so that of those from `from` on so many, of so many bytes, are left: the last. */
size_t logset_excess(const struct logset *s, size_t from, size_t most, size_t bytes);

/* The first `nr` go.  `spare` is an empty set, and so afterwards.  How many others found no memory. */
size_t logset_cut(struct logset *s, struct logset *spare, size_t nr);

void logset_empty(struct logset *s); /* keeps its memory */
void logset_clear(struct logset *s); /* frees it */

/* A set and its lines. */
struct loglines {
	struct slice_logged *line;
	size_t nr;
	struct slice_logging counts;
};

/* All of it, in its order.  What finds no memory is unprinted. */
void logset_print(const struct logset *s, struct printer *p, struct loglines *to);

/* Into a slice, behind its own; `from` is empty afterwards.  What finds no memory is unprinted. */
void loglines_give(struct loglines *from, struct slice *s);

#endif
