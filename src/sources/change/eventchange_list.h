/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventchange_list - makes the list of events that a request wants, from the one in use; and the
 * inside of struct eventchange, for eventchange*.c alone.
 *
 * Threads: whoever has claimed the list (eventchange.c: claim_list).
 */
#ifndef RINGTOP_SOURCES_CHANGE_EVENTCHANGE_LIST_H
#define RINGTOP_SOURCES_CHANGE_EVENTCHANGE_LIST_H

#include "sources/change/eventchange.h"

struct eventchange {
	struct scope *scope;
	struct recording *recording;
	uint64_t period;
	uint32_t frequency;
	struct event_list **lists; /* all lists that were in use; the last one still is */
	size_t nlists, cap_lists;
	struct event_list *wanted; /* shared: requested, not done */
	bool busy;                 /* shared: until it is done */
	bool ended;                /* shared: no step comes any more */
	uint32_t copies;           /* bytes of stacks for auto events (callgraph.copies) */
	unsigned changes;          /* requested changes that were made */
	char **texts;              /* filters of events that have another one now */
	size_t ntexts, cap_texts;
	struct tracefields **gone; /* replaced field lists, still in readers' tables */
	size_t ngone, cap_gone;
	struct offcpu *offcpu;     /* of `wanted`, if its off-CPU events are new */
	char note[256];            /* notes on these events, with `wanted` */
	struct offcpu **left;      /* of lists that failed to open: a late reader may use it */
	size_t nleft, cap_left;
	struct between **unpaired; /* pairs that were given up: a late reader may still use them */
	size_t nunpaired, cap_unpaired;
	uint16_t pairs; /* the number that was given out last (slice_between.nr) */
};

/* Return a copy with room for `more` events, which shares all that its events own; NULL. */
struct event_list *eventchange_list_copy(const struct event_list *from, unsigned more);

/* Free a list that never was in use, with everything of its events that `from` does not share. */
void eventchange_list_drop(struct event_list *list, const struct event_list *from);

static inline const struct event_list *eventchange_newest(const struct eventchange *c)
{
	return c->lists[c->nlists - 1];
}

/* Return true if off-CPU times are measured with the list. */
bool eventchange_measures_waits(const struct event_list *list);

/* Return the list that the request wants; NULL with err. */
struct event_list *eventchange_list(struct eventchange *c, const struct session_request *rq,
				    struct err *err);

#endif
