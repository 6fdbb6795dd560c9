/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scope - what a session measures: targets, CPUs, events and rings.
 *
 * live.c fills it in; afterwards hotplug may change `online`, a recording `now`, and attach the
 * list of threads in `target`.
 *
 * Threads: the tick's, once it runs.
 */
#ifndef RINGTOP_SOURCES_LIVE_SCOPE_H
#define RINGTOP_SOURCES_LIVE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/capture/cpus.h"
#include "kernel/capture/ringset.h"
#include "kernel/event/event.h"
#include "measure/consumers/between_queues.h"
#include "sources/change/callgraph.h"
#include "sources/live/target.h"

struct scope {
	struct event_list events;
	unsigned room;             /* most events there may ever be: eventchange adds some */
	struct event_list counted; /* only counted: -S */
	bool threads_only;         /* new threads inherit all events, new processes none */
	bool counts_by_cpu;        /* threads are counted on the CPUs of `watched` alone */
	struct between_plan between;
	bool logged;        /* the event log has events from the start on */
	unsigned log_lines; /* lines of the event log in a tick, at most; 0: no log */
	struct callgraph callgraph;
	struct target target;
	struct cpus watched; /* CPUs wanted, online or not */
	struct cpus online;  /* at the last look */
	bool any_cpu;        /* CPUs that come online later are wanted too */
	struct ringset_config rings;      /* as the session was opened */
	const struct ringset_config *now; /* as its rings are open now */
	bool no_overwrite;   /* by the user's wish, recording or not */
	int realtime;
	uint64_t zero;       /* CLOCK_MONOTONIC of the session's start */
};

/* Return the number of events to have room for. */
static inline unsigned scope_room(const struct scope *sc)
{
	return sc->room > sc->events.nr ? sc->room : sc->events.nr;
}

#endif
