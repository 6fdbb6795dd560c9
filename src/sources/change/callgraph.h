/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgraph - what --call-graph asks of the kernel: where call paths come from, and what that
 * takes.
 *
 * Threads: pure, but for reading sysctls.
 */
#ifndef RINGTOP_SOURCES_CHANGE_CALLGRAPH_H
#define RINGTOP_SOURCES_CHANGE_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/capture/ringset.h"
#include "kernel/event/event.h"

enum callgraph_mode {
	CALLGRAPH_NONE,
	CALLGRAPH_FP,    /* the kernel follows frame pointers */
	CALLGRAPH_DWARF, /* stacks are copied and unwound */
	CALLGRAPH_LBR,   /* the processor's branch records, as a stack of calls */
	CALLGRAPH_AUTO,  /* frame pointers, and copies for where they end: sources/change/autopaths.h */
};

#define CALLGRAPH_STACK_DEFAULT 8192u
#define CALLGRAPH_STACK_MAX     EVENT_STACK_MOST

struct callgraph {
	enum callgraph_mode mode;
	uint32_t stack_bytes; /* DWARF: a multiple of 8 */
	uint64_t budget;      /* AUTO: bytes of copies a second; 0: as usual */
	uint32_t copies;      /* events that are auto copy so many bytes of a stack now; eventchange's */
	char text[32];        /* for people: "auto", "fp", "dwarf, 8192 bytes"; "by event" where only some have any */
};

/* text: NULL (none), "auto", "auto,BYTES", "fp", "dwarf", "dwarf,BYTES", "lbr".  0 or -EINVAL. */
int callgraph_parse(struct callgraph *cg, const char *text, struct err *err);

/* Check that this machine can do it, for these events.  0; -EOPNOTSUPP or -EINVAL with why, and what instead. */
int callgraph_check(const struct callgraph *cg, const struct event_list *events, struct err *err);

/*
 * Stacks that an event copies must be unwound `here` (UNWIND_HERE), or all that comes of them is rubbish.  mode: the
 * session's.  0; -EINVAL with why not, and what instead.
 */
int callgraph_check_copies(const struct event *e, enum callgraph_mode mode, bool here, struct err *err);

/* Events that copy stacks, and do not say how much of them, copy as much as usual. */
void callgraph_complete(struct event_list *events);

/* Single events may have call paths of their own: complete them, and the session's text.  Before the rest of these. */
void callgraph_of_events(struct callgraph *cg, struct event_list *events);

/*
 * Are the call paths of the event's samples whole when they are read, so that sums can be by them (--by stack)?  0;
 * -EINVAL with why not, and what to do.  For a tracefields_source, whose argument is the session's struct callgraph.
 */
int callgraph_check_whole(void *callgraph, const struct event *e, struct err *err);

/* Ask the rings for what it needs, and their events. */
void callgraph_apply(const struct callgraph *cg, struct ringset_config *rings);

/* The same where only the events are others now, or what is copied. */
void callgraph_apply_events(const struct callgraph *cg, struct ringset_config *rings);

/* Is one of those that are measured auto? */
bool callgraph_any_auto(const struct callgraph *cg, const struct event_list *events);

/* The most that one that is measured copies of a stack, the session's way aside; 0: none copies any. */
uint32_t callgraph_copies(const struct event_list *events);

/* What copies cost of those from `from` on that make some: each after "; ", behind what buf has. */
void callgraph_note(const struct event_list *events, unsigned from, char *buf, size_t size);

/*
 * How large a sample ring should be: `least`, or with copies of stacks as much as comes in a
 * sixth of a second at the events' rates.
 */
uint64_t callgraph_ring_bytes(const struct callgraph *cg, const struct event_list *events,
			      uint64_t least);

#endif
