/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readers - the readers of a session, the table that they fill, and the only place that sends them
 * requests.
 *
 *   plan: hotplug, attach, recording, snapshots and the tick set requests for single readers or all
 *   ask:  each reader with a plan gets all of it as one request; late readers are passed over
 *
 * A reader without a plan is not woken.  One that has not replied to its previous request is late:
 * its plan is dropped, and the part that planned it sees that by `answered`.
 *
 * Threads: the tick's, and the owner's before it runs.
 */
#ifndef RINGTOP_SOURCES_LIVE_READERS_H
#define RINGTOP_SOURCES_LIVE_READERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sources/aux/auxset.h"
#include "base/err.h"
#include "sources/live/reader.h"
#include "sources/live/scope.h"
#include "sources/live/sideband.h"
#include "names/resolve/resolver.h"
#include "core/table/split.h"

#define READERS_LATE_NS (100 * NSEC_PER_MSEC) /* how long a tick waits for a reader */

struct live_reader {
	struct reader *reader;
	struct auxreader *aux; /* the set's; NULL: none there */
	int cpu;       /* -1: of one thread */
	pid_t tid;
	struct slice_gauge sideband; /* gauge of what was taken since the last slice: gauges.c */
	unsigned plan; /* set of enum reader_request: for the next request */
	bool off;      /* its events are disabled by request */
	/* State of the last request: */
	bool asked;
	bool answered; /* in time; a later reply may have changed the report */
	bool late;     /* it did not reply, or had an older request to finish */
	bool drained;  /* by it: its ring holds only what came since */
};

struct readers {
	const struct scope *scope;
	struct live_reader *reader;
	unsigned nr, capacity; /* with room for CPUs that were never online yet */
	unsigned first;      /* number of readers there at the start */
	struct table *table;
	struct split split;
	struct unwinding *unwinding; /* NULL: samples carry no stacks */
	unsigned unwinders;  /* most workers that the table has room for */
	struct offcpu *offcpu; /* NULL: not wanted */
	unsigned offcpu_writer, expected; /* its number in the table; readers at the start */
	bool by_task;
	struct between *between; /* NULL: not wanted */
	struct auxset *aux;  /* NULL: no AUX event */
	struct ftracing *tracing; /* NULL: nothing comes by ftrace */
	struct sideband *sideband;
	bool off;            /* the events shall not count */
	int done_fd;         /* readable when all have replied, or a reader wants a tick */
	int outstanding;     /* shared: requests without a reply */
	bool dozing;         /* shared: the tick sleeps for longer, or is about to; a reader that
			      * clears it writes done_fd */
};

int readers_init(struct readers *rs, const struct scope *scope); /* 0 or -errno */
void readers_clear(struct readers *rs);

/*
 * Make the table, the unwinders where stacks are copied, and the readers: one of each CPU that is
 * watched, or of each thread.  `more` CPUs may come.  0 or -errno; readers_drop_all must follow
 * also after a failure.
 */
int readers_create(struct readers *rs, bool per_thread, unsigned more, struct resolver *r,
		   struct err *err);

/*
 * Free the readers and their table: at the end, and before they are created again with other rings.
 */
void readers_drop_all(struct readers *rs);

/* Add a reader; the capacity must allow it.  It is neither opened nor started.  0 or -errno. */
int readers_add(struct readers *rs, int cpu, pid_t tid, bool offline, struct err *err);
void readers_drop(struct readers *rs); /* undo the last readers_add */

int readers_start(struct readers *rs, struct err *err);

/* --- asking ------------------------------------------------------------------------------- */

/* Plan a set of enum reader_request for all readers, for the next request. */
void readers_plan(struct readers *rs, unsigned what);

/*
 * Plan requests for the readers whose ring or CPU has news, as far as mapped memory shows it: a CPU
 * that sleeps is not woken only to report that it slept.  Return true if there are some.
 */
bool readers_plan_news(struct readers *rs, unsigned what);

/*
 * Return true if none is late, or needs a request soon for another reason than its ring's records.
 */
bool readers_settled(const struct readers *rs);

/*
 * Send the planned requests, and wait at most `patience` ns.  Every request also lets the reader
 * follow its CPU, and stops or starts the counting.  Return false if one is late.
 */
bool readers_ask(struct readers *rs, uint64_t patience);

/* Plan `what` for all readers, and send it like readers_ask(). */
bool readers_call(struct readers *rs, unsigned what, uint64_t patience);

/* Wait at most `patience` ns for the readers that have not replied. */
void readers_wait(struct readers *rs, uint64_t patience);

/* Return true if all readers have replied. */
bool readers_all_done(const struct readers *rs);

/* --- shared parts ------------------------------------------------------------------------ */

/* Take the sideband of all rings. */
void readers_take_sideband(struct readers *rs);

/*
 * Take the sideband of readers that are not late, with the rest in rings that were open before
 * (READER_REOPEN); ..._of: of one reader.
 */
void readers_take_rest(struct readers *rs);
void readers_take_rest_of(struct readers *rs, struct live_reader *lr);

/*
 * Let readers have stacks unwound from their next READER_REOPEN on, to the session's end, copies of
 * stack_bytes among them.  All readers must be done.  0 or -ENOMEM.
 */
int readers_unwind(struct readers *rs, struct resolver *r, uint32_t stack_bytes, struct err *err);

/* Create off-CPU times of these events, for readers_offcpu.  NULL with err.  Any thread. */
struct offcpu *readers_make_offcpu(const struct readers *rs, const struct event_list *events,
				   struct err *err);

/*
 * Set the consumer of off-CPU records from the readers' next READER_REOPEN on, NULL: none.  All
 * readers must be done.
 */
void readers_offcpu(struct readers *rs, struct offcpu *o);

/*
 * Note that events were closed and opened anew since `since` (CLOCK_MONOTONIC, ns): records from
 * then until now may be in no ring.
 */
void readers_unseen(struct readers *rs, uint64_t since);

/* Take a snapshot of the AUX areas, like auxset_snapshot. */
int readers_copy_aux(struct readers *rs, struct aux_copies **copies, struct err *err);

size_t readers_counters(const struct readers *rs); /* how many are open */

#endif
