/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgraph - --call-graph: where call paths come from, and the settings that the kernel needs for
 * it.
 *
 * Threads: pure, except for reading sysctls.
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
	CALLGRAPH_AUTO,  /* frame pointers, and copies for where they end:
			  * sources/change/autopaths.h */
};

#define CALLGRAPH_STACK_DEFAULT 8192u
#define CALLGRAPH_STACK_MAX     EVENT_STACK_MOST

struct callgraph {
	enum callgraph_mode mode;
	uint32_t stack_bytes; /* DWARF: a multiple of 8 */
	uint64_t budget;      /* AUTO: bytes of copies a second; 0: the default */
	uint32_t copies;      /* bytes of a stack that auto events copy now; set by eventchange */
	char text[32];        /* "auto", "fp", "dwarf, 8192 bytes"; "by event": only some */
};

/*
 * Parse text: NULL (none), "auto", "auto,BYTES", "fp", "dwarf", "dwarf,BYTES", "lbr". 0 or -EINVAL.
 */
int callgraph_parse(struct callgraph *cg, const char *text, struct err *err);

/*
 * Check that this machine can do it, for these events.  0; -EOPNOTSUPP or -EINVAL with why, and
 * what instead.
 */
int callgraph_check(const struct callgraph *cg, const struct event_list *events, struct err *err);

/*
 * Check that stacks that an event copies can be unwound.  `here`: on this machine;
 * without that the paths would be rubbish.  mode: the session's.  0; -EINVAL with why not, and what
 * instead.
 */
int callgraph_check_copies(const struct event *e, enum callgraph_mode mode, bool here,
			   struct err *err);

/* Set the default size for events that copy stacks and name no size. */
void callgraph_complete(struct event_list *events);

/* Give what waits are made of the call paths of the list's newest event, if it has its own. */
void callgraph_follow(struct event_list *list);

/*
 * Complete events with call paths of their own, and the session's text.  To be called before the
 * other functions for these.
 */
void callgraph_of_events(struct callgraph *cg, struct event_list *events);

/*
 * Check that the call paths of the event's samples are whole when they are read, so that sums can
 * be by them (--by stack).  0; -EINVAL with why not, and what to do.  For a tracefields_source,
 * whose argument is the session's struct callgraph.
 */
int callgraph_check_whole(void *callgraph, const struct event *e, struct err *err);

/* Set up the rings and their events for cg. */
void callgraph_apply(const struct callgraph *cg, struct ringset_config *rings);

/* Like callgraph_apply(), where only the events have changed, or the size of copies. */
void callgraph_apply_events(const struct callgraph *cg, struct ringset_config *rings);

/* Return true if a measured event is auto. */
bool callgraph_any_auto(const struct callgraph *cg, const struct event_list *events);

/* Return true if the chains of a measured event are proved by pieces of stacks. */
bool callgraph_pieces(const struct callgraph *cg, const struct event_list *events);

/* Return the most that a measured event copies of a stack, without the session's mode; 0: none. */
uint32_t callgraph_copies(const struct event_list *events);

/* Append to buf the cost of each event from `from` on that copies stacks, each after "; ". */
void callgraph_note(const struct event_list *events, unsigned from, char *buf, size_t size);

/*
 * Return the size for a sample ring in bytes: `least`, or with copies of stacks as much as comes in
 * a sixth of a second at the events' rates.
 */
uint64_t callgraph_ring_bytes(const struct callgraph *cg, const struct event_list *events,
			      uint64_t least);

#endif
