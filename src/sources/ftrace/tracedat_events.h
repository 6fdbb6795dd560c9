/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_events - which events a trace.dat has records of, by what its formats say of them: what each is called,
 * where a record says what a task is called, and which function it tells of.
 *
 * Each buffer's are its own, so that what one lost is no matter of another's events; where two have the same one, the
 * later buffer's is called "sched:sched_switch@NAME".
 *
 * Threads: one owner.  Pure.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_EVENTS_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sources/ftrace/tracedat_pages.h"

#define TRACEDAT_COMM	 16u
#define TRACEDAT_RENAMES 2u
#define TRACEDAT_CALLS	 8u

struct tracedat_rename { /* where a record has a task's number and its name */
	uint16_t pid, comm, size;
};

struct tracedat_call { /* where a tracer's record has addresses; 0: nowhere */
	uint32_t id;
	uint16_t function, caller;
};

struct tracedat_event {
	uint32_t id, buffer;
	uint64_t records;
	char name[128];
	struct tracedat_rename rename[TRACEDAT_RENAMES];
	unsigned renames;
	struct tracedat_call call;
};

struct tracedat_events { /* zeroed: empty */
	struct tracedat_call calls[TRACEDAT_CALLS];
	unsigned ncalls;
	struct tracedat_event *at;
	size_t nr, cap;
	uint32_t *index[TRACEDAT_BUFFERS]; /* by common_type: one more than the event; NULL: the buffer has none */
};

/* What must be known before records are counted: which ones tell of functions. */
void tracedat_events_prepare(struct tracedat_events *e, const struct tracedat_head *h);

/* The event of r, counted: NULL and *ret where there is no room for one more. */
struct tracedat_event *tracedat_events_count(struct tracedat_events *e, struct tracedat_head *h,
					     const struct tracedat_record *r, int *ret);

/* The same, of one that was counted before; NULL: it was not. */
struct tracedat_event *tracedat_events_find(const struct tracedat_events *e, const struct tracedat_head *h,
					    const struct tracedat_record *r);

/* Once all are counted: what they are called. */
void tracedat_events_name(struct tracedat_events *e, struct tracedat_head *h);
void tracedat_events_clear(struct tracedat_events *e);

/* The address at a place of r that a struct tracedat_call has; 0: none. */
uint64_t tracedat_event_address(const struct tracedat_record *r, uint16_t at, const struct tracedat_head *h);

/* What r says that a task is called (rename i of its event), in TRACEDAT_COMM bytes; false: nothing. */
bool tracedat_event_comm(const struct tracedat_event *e, const struct tracedat_record *r, unsigned i, bool swap,
			 uint32_t *tid, char comm[TRACEDAT_COMM]);

#endif
