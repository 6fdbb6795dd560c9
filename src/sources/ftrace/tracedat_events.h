/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_events - events that a trace.dat has records of, and their formats: each event's name,
 * where a record has a task's name, and which function it reports.
 *
 * Each buffer has its own events, so that one buffer's losses do not count for another's events; if
 * two have the same one, the later buffer's is called "sched:sched_switch@NAME".
 *
 * Threads: one owner. Pure.
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

struct tracedat_rename { /* offsets of a task's number and its name in a record */
	uint16_t pid, comm, size;
};

struct tracedat_call { /* offsets of addresses in a tracer's record; 0: none */
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
	/* Event's index plus one, by common_type; NULL: the buffer has no events. */
	uint32_t *index[TRACEDAT_BUFFERS];
};

/* Find the events that report functions; call before records are counted. */
void tracedat_events_prepare(struct tracedat_events *e, const struct tracedat_head *h);

/*
 * Return the event of r, added if new, and count r. Borrowed until the next call. NULL and *ret
 * (-E2BIG, -ENOMEM): no room for one more.
 */
struct tracedat_event *tracedat_events_count(struct tracedat_events *e, struct tracedat_head *h,
					     const struct tracedat_record *r, int *ret);

/* Look up the event of r, counted before; borrowed. NULL if there is none. */
struct tracedat_event *tracedat_events_find(const struct tracedat_events *e,
					    const struct tracedat_head *h,
					    const struct tracedat_record *r);

/* Set the events' names, once all records are counted. */
void tracedat_events_name(struct tracedat_events *e, struct tracedat_head *h);
void tracedat_events_clear(struct tracedat_events *e);

/* Return the address at an offset of r from a struct tracedat_call; 0: none. */
uint64_t tracedat_event_address(const struct tracedat_record *r, uint16_t at,
				const struct tracedat_head *h);

/*
 * Get a task's number and name from r (rename i of its event), in TRACEDAT_COMM bytes; false: r has
 * none.
 */
bool tracedat_event_comm(const struct tracedat_event *e, const struct tracedat_record *r,
			 unsigned i, bool swap, uint32_t *tid, char comm[TRACEDAT_COMM]);

#endif
