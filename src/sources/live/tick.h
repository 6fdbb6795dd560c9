/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick - the thread behind a live session, its beat: one slice every 100 ms, sooner at the start
 * and when the table fills, and, where that is allowed, later while nothing happens.
 *
 * The parts of a tick are rows of a table (tick_parts.c).  They do their work in phases:
 *
 *   CHANGE what is measured ─▶ PLAN requests to the readers ─▶ these are sent, once ─▶ TAKE what
 *   came ─▶ table rotated, sideband, rows ─▶ TELL the slice ─▶ END: judge it
 *
 * The table knows the order of the parts' work in a tick and nothing of how they do it.
 *
 * Threads: all calls from the front end's; the two threads share atomics.
 */
#ifndef RINGTOP_SOURCES_LIVE_TICK_H
#define RINGTOP_SOURCES_LIVE_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"

struct tick;

/* Parts of the session that others use, too; all are the owner's, and live longer than the tick. */
struct tick_parts {
	const struct measure_config *config;
	struct scope *scope;
	struct readers *readers;
	struct resolver *resolver;
	struct accounting *accounting;
	struct counting *counting;
	struct throttling *throttling;
	struct ftracing *tracing;   /* NULL: nothing comes by ftrace */
	struct inkernel *inkernel; /* NULL: no sums by the kernel */
	struct logevents *logging; /* NULL: no event log */
	struct attach *attach;
	struct hotplug *hotplug;
	struct recording *recording;
	struct eventchange *eventchange;
	struct snapshot_take *taking;
	struct snapshots *snapshots;
	struct command *command; /* none runs where its pid is 0 */
	struct requestqueue *requestqueue;
	struct outbox *outbox;
	const char *first_log; /* for the first slice; "": nothing */
};

/* The tick that is under way, as its parts see it; some members stand from one to the next. */
struct tick_now {
	const struct tick_parts *parts;
	struct slice *s;
	unsigned nr;       /* ticks before it */
	bool last;         /* the session's last one */
	bool all;          /* all readers have a request in it, with news or not */
	bool on_time;      /* all that had one have replied */
	bool recount;      /* events were opened or closed: the number of counters may differ */
	bool paused;       /* by the front end, or before the events begin to count */
	bool counted;      /* events have counted since the tick before */
	uint64_t answered; /* CLOCK_MONOTONIC: counters were read by then */
	uint64_t asked;    /* CLOCK_MONOTONIC: records from before it are in, if all replied */
	uint64_t seen;     /* `asked` of the newest earlier tick in which all did */
	uint64_t horizon;  /* perf's clock: older records have been read */
	double borne;      /* part of its cost, 0..1, that samples cause; in TICK_END */
};

/* A part's work in one phase of a tick. */
typedef void tick_work(void *part, struct tick_now *n);

/* Make the tick, with the parts that are its own.  NULL with err. */
struct tick *tick_create(const struct tick_parts *parts, struct err *err);

int tick_start(struct tick *t, struct err *err); /* start the thread; 0 or -errno */

/* Wake the thread: there is work for it. */
void tick_wake(struct tick *t);

void tick_pause(struct tick *t, bool paused);

/* Stop measuring, but keep serving requests about what was measured. */
void tick_stop(struct tick *t);
bool tick_stopped(const struct tick *t); /* or it has ended by itself */

/* Stop, and wait for the thread: the last slice was made, a recording is finished. */
void tick_end(struct tick *t);

/* Copy out how the session ended, once the outbox has signalled the end. */
void tick_how_ended(const struct tick *t, struct session_end *end);

void tick_free(struct tick *t); /* with tick_end */

#endif
